"""Refuse columns that are not read and may say which pairs are matches: verdicts and scores."""

from collections.abc import Iterable, Mapping, Sequence

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.forms import Form, Pairs, columns_read, ignored
from matchbound.tables.sources import NO, YES, Source, listed, quoted, scan

MANY = 20
"""A verdict has fewer different values; an empty one counts."""
SHOWN = 5  # columns in a sentence
FIRST = 1000  # rows that mostly show many values already
SAY_YES = {"1", "1.0", *YES}
SAY_NO = {"", "0", "0.0", "-1", *NO}
SPLINK = ("gamma_", "bf_", "mw_", "tf_")  # how alike a pair's fields are
NETWORK = ("round", "witnesses", "margin")  # how `reconcile` came to a pair
SIDES = (("_l", "_r"), ("_left", "_right"))  # not _x, _y: pandas so names two matchers' verdicts
TABLES = (("ltable_", "rtable_"), ("left_", "right_"))


def refuse_unread_columns(
    con: Engine, source: Source, form: Form, columns: Mapping[str, str]
) -> None:
    """Refuse pairs with a column that may decide which rows count, but is not read.

    Who names the verdict has said what decides.
    """
    if not isinstance(form, Pairs) or "verdict" in columns:
        return
    doubtful = doubtful_columns(con, source, form, ignored(source, columns))
    if doubtful:
        first = form.positive or next(iter(doubtful))
        ignore = [f"ignore={name}" for name in [*doubtful][:SHOWN]]
        ignore += ["…"] if len(doubtful) > SHOWN else []
        raise InputError(
            f"{source.argument} must not have a column that is not read and may say which pairs "
            f"are matches, got {described(doubtful)}. Read the one that does (--columns "
            f"verdict={first} or score={first}); leave out those that do not (--columns "
            f"{','.join(ignore)})."
        )


def refuse_ignored_nothing(sources: Sequence[Source], columns: Mapping[str, str]) -> None:
    """Refuse to ignore a column that none of the tables has: another may be meant."""
    text = columns.get("ignore", "")
    names = [text] if any(source.column(text) for source in sources) else text.split(",")
    for name in filter(None, names):
        if not any(source.column(name) for source in sources):
            raise InputError(
                f"columns must ignore columns of {sources[0].argument}, got {name!r}. "
                f"Choose among {sources[0].listed}."
            )


def doubtful_columns(
    con: Engine, source: Source, form: Pairs, ignored: Iterable[str] = ()
) -> dict[str, list[str]]:
    """The unread columns that may be verdicts or scores, each with its first values.

    A column is none of them if it is known by its name; if it says yes in every row, so that
    reading it changes nothing; or if it has many values, none of them empty, and either a score or
    a verdict is read, or every value begins with a letter or is a date. A field that both records
    have is none, unless it says yes and no or counts, and nothing else decides.
    """
    known = columns_read(form) | {*ignored}
    is_decided = form.score is not None or form.positive is not None
    unread = [name for name in source.columns if name not in known]
    unread = [name for name in unread if not _is_known(source, form, name)]
    twins = [name for name in unread if _is_twin(source, name)]
    unread = [name for name in unread if not (is_decided and name in twins)]
    if not unread:
        return {}
    values_of = _values(con, source, unread)
    unread = [name for name in unread if name not in twins or _decides(values_of[name])]
    many = [name for name in unread if len(values_of[name]) >= MANY]
    strange = dict(zip(many, _count_strange(con, source, many, is_decided), strict=True))
    return {
        name: values_of[name]
        for name in unread
        if strange.get(name, not {value.lower() for value in values_of[name]} <= SAY_YES)
    }


def described(columns: Mapping[str, Sequence[str]]) -> str:
    """Columns and their first values, for a sentence."""
    shown = [
        f"{name[:60]!r} (values {listed(values[:3])}{', …' if len(values) > 3 else ''})"
        for name, values in [*columns.items()][:SHOWN]
    ]
    rest = [f"{len(columns) - SHOWN} others"] if len(columns) > SHOWN else []
    return ", ".join(shown + rest)


def _values(con: Engine, source: Source, columns: Sequence[str]) -> dict[str, list[str]]:
    """Up to `MANY` different values of each column, sorted; most show in the first rows."""
    select = f"select {', '.join(map(_text, columns))}"
    rows = scan(con, source, select, f"true limit {FIRST}")
    values = {name: {row[i] for row in rows} for i, name in enumerate(columns)}
    for name, first in values.items():
        if len(first) < MANY and len(rows) == FIRST:
            select = f"select distinct {_text(name)}"
            values[name] = {value for (value,) in scan(con, source, select, f"true limit {MANY}")}
    return {name: sorted(some) for name, some in values.items()}


def _count_strange(
    con: Engine, source: Source, columns: Sequence[str], is_decided: bool
) -> Sequence[int]:
    """How many values of each column are empty or, if nothing decides yet, may be scores."""
    if not columns:
        return []
    (counts,) = scan(
        con,
        source,
        "select "
        + ", ".join(
            f"count(case when {_text(name)} = '' then 1 end)"
            if is_decided
            else f"count(case when not ({_is_words(_text(name))}) then 1 end)"
            for name in columns
        ),
    )
    return [int(count) for count in counts]


def _text(column: str) -> str:
    return f"coalesce(trim(cast({quoted(column)} as string)), '')"


def _is_words(text: str) -> str:
    """SQL for whether a text begins with a letter and is no number, or is a date."""
    first = f"substr({text}, 1, 1)"
    is_number = f"number({text}) is not null"
    return f"{text} like '____-__-__%' or (lower({first}) <> upper({first}) and not {is_number})"


def _decides(values: Sequence[str]) -> bool:
    """Whether few values may say which rows count: yes and no, or whole numbers."""
    few = {value.lower() for value in values}
    return len(values) < MANY and (
        few <= SAY_YES | SAY_NO or all(value.lstrip("-").isdecimal() for value in few)
    )


def _is_known(source: Source, form: Pairs, column: str) -> bool:
    """Whether a column describes a pair: by its fields, or by the way it was found."""
    name, x = column.lower(), form.x.lower()
    if name == "match_key" or name.startswith(SPLINK):
        return x.endswith(("_l", "_r"))
    if name == "_id":
        return x.startswith(TABLES[0])
    if name == "match_weight" and (form.score or "").lower() == "match_probability":
        return True
    return name in NETWORK and form.score is not None and all(map(source.column, NETWORK))


def _is_twin(source: Source, column: str) -> bool:
    """Whether a column is a field that both records have."""
    name = column.lower()
    others = [name.removesuffix(a) + b for a, b in _both_ways(SIDES) if name.endswith(a)]
    others += [b + name.removeprefix(a) for a, b in _both_ways(TABLES) if name.startswith(a)]
    return source.column(*others) is not None


def _both_ways(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [*pairs, *((b, a) for a, b in pairs)]
