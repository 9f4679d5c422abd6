"""Find columns that may be verdicts: their values say yes or no."""

from collections.abc import Iterator, Mapping, Sequence

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.forms import Clusters, Form, columns_read, ignored
from matchbound.tables.sources import NO, YES, Source, quoted, scan

SAY_YES, SAY_NO = ("1", "1.0", *YES), ("0", "0.0", *NO)
AT_A_TIME = 100
"""Columns that one query counts: with one each, many columns would take minutes."""
SPLINK = ("gamma_", "bf_", "tf_")  # how alike a pair's fields are: often of 0 and 1 alone
NETWORK = ("round", "witnesses", "margin")  # how `reconcile` came to a pair
SIDES = (("_l", "_r"), ("_left", "_right"))
TABLES = (("ltable_", "rtable_"), ("left_", "right_"))


def refuse_unread_verdicts(
    con: Engine, source: Source, form: Form, columns: Mapping[str, str]
) -> None:
    """Refuse matches with a column of both yes and no that is not read: rows may be no matches.

    Who names the verdict has said what decides. A column of yes alone, or of no alone, tells no
    row from another.
    """
    if isinstance(form, Clusters) or "verdict" in columns:
        return
    known = columns_read(form) | ignored(source, columns)
    unread = [name for name in source.columns if name not in known]
    unread = [name for name in unread if not _describes(source, name)]
    doubtful = [name for name, both in columns_of_verdicts(con, source, unread) if both]
    if doubtful:
        raise InputError(
            f"{source.argument} must not have a column that may be a verdict without being read, "
            f"got {', '.join(map(repr, doubtful))}. Name the one that says which pairs count "
            f"(--columns verdict={form.positive or doubtful[0]}); if none does, leave them out "
            f"(--columns {','.join(f'ignore={name}' for name in doubtful)})."
        )


def columns_of_verdicts(
    con: Engine, source: Source, columns: Sequence[str]
) -> Iterator[tuple[str, bool]]:
    """Yield the columns whose every value says yes or no, and whether they have both."""
    perhaps = _perhaps_verdicts(con, source, columns) if columns else []
    for start in range(0, len(perhaps), AT_A_TIME):
        some = perhaps[start : start + AT_A_TIME]
        (counts,) = scan(con, source, f"select {', '.join(map(_counts, some))}")
        for column, *(values, yes, no) in zip(
            some, counts[::3], counts[1::3], counts[2::3], strict=True
        ):
            if values and values == yes + no:
                yield column, bool(yes and no)


def _perhaps_verdicts(con: Engine, source: Source, columns: Sequence[str]) -> list[str]:
    """The columns whose first values do not show already that they are no verdicts."""
    rows = scan(con, source, f"select {', '.join(map(quoted, columns))}", "true limit 20")
    return [
        column
        for column, values in zip(columns, zip(*rows, strict=True), strict=rows != [])
        if all(value is None or _says(value) for value in values)
    ]


def _says(value: object) -> bool:
    return str(value).strip().lower() in SAY_YES + SAY_NO


def _counts(column: str) -> str:
    """SQL for how many values a column has, how many of them say yes, and how many say no."""
    text = f"lower(trim(cast({quoted(column)} as string)))"
    yes, no = (f"count(case when {text} in {words} then 1 end)" for words in (SAY_YES, SAY_NO))
    return f"count({text}), {yes}, {no}"


def _describes(source: Source, column: str) -> bool:
    """Whether a column describes a pair: by its fields, by the way it was found, or by a field
    that both records have."""
    name = column.lower()
    if name == "match_key" or name.startswith(SPLINK):
        return True
    if name in NETWORK and all(map(source.column, NETWORK)):
        return True
    others = [name.removesuffix(a) + b for a, b in _both_ways(SIDES) if name.endswith(a)]
    others += [b + name.removeprefix(a) for a, b in _both_ways(TABLES) if name.startswith(a)]
    return source.column(*others) is not None


def _both_ways(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [*pairs, *((b, a) for a, b in pairs)]
