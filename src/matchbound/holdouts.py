"""A holdout matcher's output before the draw: what `certify` would refuse is refused now."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from matchbound.choices import Choices
from matchbound.comparing import compare_pairs, refuse_unknown
from matchbound.engines import Engine, keep
from matchbound.errors import InputError
from matchbound.forms import Clusters, Form, recognise
from matchbound.loading import count_rows
from matchbound.matching import Matching
from matchbound.scores import check_scored, first_threshold
from matchbound.sources import Source, open_source
from matchbound.standing import matcher
from matchbound.tables import read_matches


def named(given: Any, choices: Choices, argument: str) -> dict[str, Any]:
    """A matcher's output, or those of several algorithms by the names that the draw fixed."""
    if not choices.algorithms:
        if isinstance(given, Mapping):
            raise InputError(
                f"{argument} must be one table, because no algorithms were named at the draw, got "
                f"{', '.join(map(str, given))}. Give one, or draw with --algorithm."
            )
        return {"": given}
    if not isinstance(given, Mapping) or set(given) != set(choices.algorithms):
        got = ", ".join(map(str, given)) if isinstance(given, Mapping) else "one table"
        raise InputError(
            f"{argument} must be given for each of {', '.join(choices.algorithms)}, got {got}. "
            "Give name=FILE for each."
        )
    return {name: given[name] for name in choices.algorithms}


def opened(
    con: Engine,
    holdout: Any,
    threshold: float | None,
    columns: Mapping[str, str] | None,
    choices: Choices,
) -> Iterator[tuple[str, Source, Form, float | None, dict[str, Any]]]:
    """Each holdout matcher's name, table, form and threshold, and how the ledger knows it."""
    for name, given in named(holdout, choices, "holdout").items():
        source = open_source(con, "holdout", given)
        form = recognise(source, columns or {})
        least = first_threshold(choices, threshold, [form])
        check_scored(form, least)
        facts = source.as_dict(threshold=least, columns=dict(columns or {}))
        yield name, source, form, least, matcher(name, facts)


def check_on_population(
    con: Engine, source: Source, form: Form, matching: Matching, least: float | None
) -> str:
    """Read an output as `certify` does, beside the table `population`; what it is, in words.

    The table `matched` has the nodes with a match.
    """
    from matchbound.tallying import _refuse_doubt

    rows = read_matches(con, source, "holdout", form, matching, least)
    is_clusters = isinstance(form, Clusters)
    if not (matching.dedupe or matching.is_link):
        _refuse_doubt(con, "holdout", "holdout")
    keep_matched(con, is_clusters, matching.dedupe)
    if is_clusters:
        refuse_unknown(con, "counted")
    else:
        compare_pairs(con, False, "string")
    what = "records in clusters" if is_clusters else "pairs"
    scores = "" if least is None else f" with a score from {least:g} on"
    where = "a table" if source.path is None else Path(source.path).name
    return f"{where}, {rows} {what}{scores}; it matches {count_rows(con, 'matched')} nodes"


def keep_matched(con: Engine, is_clusters: bool, dedupe: bool) -> None:
    """The nodes that the holdout matcher matched, as the table `matched`."""
    form, itself = "clusters" if is_clusters else "pairs", 1 if dedupe else 0
    keep(con, "counted", f"count_{form}", a="holdout", itself=itself)
    con.keep(
        "matched", "select x as id from counted where n > 0 and x in (select id from population)"
    )
