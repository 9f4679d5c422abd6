"""Select the rows of a matcher's table that are matches: by verdicts, scores or bands of scores."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.forms import Form, Pairs
from matchbound.tables.sources import Source, scan

LOWEST = -3e38  # a threshold that every score reaches, and that a 32-bit float can hold


def has_yes(con: Engine, source: Source, form: Pairs) -> str:
    """The SQL condition that a row's verdict is yes; "true" if there is no column of verdicts."""
    if form.positive is None:
        return "true"
    verdict = source.verdict(form.positive)
    nan = "cast('nan' as double)"
    inside = f"case when {verdict} between 0 and 1 then nullif({verdict}, {nan}) end"
    ((without,),) = scan(con, source, f"select count(*) - count({inside})")
    if without:
        raise InputError(
            f"{source.argument} must have 1 for yes or 0 for no in every {form.positive!r}, got "
            f"{without} rows with neither. Write 1 or 0 there."
        )
    return f"{verdict} >= 0.5"


def has_scores(form: Form) -> bool:
    return isinstance(form, Pairs) and form.score is not None


def check_threshold(threshold: Any, forms: Iterable[Form]) -> float | None:
    """Return the threshold as a finite number; refuse it if no table has scores to compare."""
    if threshold is None:
        return None
    try:
        number = math.nan if isinstance(threshold, str | bool) else float(threshold)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"threshold must be a finite number, got {threshold!r}. "
            "Say from which score on a pair is a match."
        )
    if not any(map(has_scores, forms)):
        raise InputError(
            "threshold must be left out where no matcher has a column 'score', "
            f"got {threshold}. Drop it, or give the scores."
        )
    return number


def first_threshold(
    scores: Sequence[float], threshold: float | None, forms: Iterable[Form]
) -> float | None:
    """The lowest score of a match: the threshold, or the lowest end of a band or candidate."""
    forms = list(forms)
    fixed = min(scores, default=None)
    if fixed is None:
        return check_threshold(threshold, forms)
    if threshold is not None:
        raise InputError(
            "threshold must be left out where bands or candidates fix it, "
            f"got {threshold}. Drop it."
        )
    if not all(map(has_scores, forms)):
        raise InputError(
            "matchers must have scores where bands or candidates were chosen, got one without. "
            "Give pairs with a column 'score', or name it with --columns score=…."
        )
    return fixed


def check_scored(source: Source, form: Form, threshold: float | None) -> None:
    """Refuse to put a matcher with scores on record without a threshold."""
    if isinstance(form, Pairs) and form.score is not None and threshold is None:
        raise InputError(
            f"threshold must be given, because {source.argument} has scores in column "
            f"{form.score!r}. "
            "Say from which score on a pair is a match."
        )


def scores_enough(con: Engine, source: Source, column: str, threshold: float | None) -> str:
    """The SQL condition that a row's score reaches the threshold."""
    score = source.score(column)
    unscored, least, most = scan(
        con,
        source,
        f"select count(*) - count(nullif({score}, cast('nan' as double))), "
        f"min({score}), max({score})",
    )[0]
    if unscored:
        raise InputError(
            f"{source.argument} must have a number in every {column!r}, got {unscored} without. "
            "Remove these pairs, or score them (with a point, not a comma)."
        )
    if threshold is None:
        if least is None:
            return "true"
        raise InputError(
            f"threshold must be given, because {source.argument} has scores "
            f"from {least:g} to {most:g}. Say from which score on a pair is a match."
        )
    kind = "float" if source.columns[column] == "FLOAT" else "double"
    return f"{score} >= cast('{threshold!r}' as {kind})"


def refuse_repeated_rows(con: Engine, source: Source, columns: str, score: str | None) -> None:
    """Refuse a pair that the table has twice.

    With a column of scores: refuse a pair that has two different scores, also as (y, x).
    """
    inner = f"select {columns}" + (f", {source.score(score)} as score" if score else "")
    repeats = "group by x, y having count(*) > 1"
    if score:
        repeats = "group by least(x, y), greatest(x, y) having count(distinct score) > 1"
    first = "order by 1 nulls last, 2 nulls last limit 1"
    select = "select min(x), min(y), count(*) from (" + inner
    for x, y, times in scan(con, source, select, f"true) {repeats} {first}"):
        raise InputError(
            f"{source.argument} must hold each pair once, got ({str(x)!r}, {str(y)!r}) {times} "
            "times. Remove the repeats."
        )


def narrow(con: Engine, table: str, scored: str, least: float | None, below: float | None) -> None:
    """Create a view of the pairs whose scores are at least `least`, and less than `below`."""
    kinds = con.rows(f"select typeof(score) from {scored} limit 1")
    kind = kinds[0][0] if kinds else "double"
    keeps = f"score >= cast('{least!r}' as {kind})"
    if below is not None:
        keeps += f" and score < cast('{below!r}' as {kind})"
    con.rows(f"create or replace temp view {table} as select x, y from {scored} where {keeps}")
