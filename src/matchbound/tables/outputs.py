"""A holdout matcher's output before the draw: what `certify` would refuse is refused now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.audits.standing import matcher
from matchbound.engines.connection import Engine, keep
from matchbound.errors import InputError
from matchbound.tables.forms import Clusters, Form, Pairs, recognise
from matchbound.tables.ids import count_rows
from matchbound.tables.predictions import kind_of_ids, read_matches
from matchbound.tables.scores import check_scored, first_threshold
from matchbound.tables.sides import Matching
from matchbound.tables.sources import Source, key_kind, open_source
from matchbound.tallies.pairs import compare_pairs, refuse_unknown
from matchbound.theorems.choices import Choices


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


@dataclass(frozen=True)
class Output:
    """What a matcher found, before it is read; `facts` is how the ledger knows it."""

    name: str
    source: Source
    form: Form
    threshold: float | None
    facts: Mapping[str, Any]


def opened(
    con: Engine,
    holdout: Any,
    threshold: float | None,
    columns: Mapping[str, str] | None,
    choices: Choices,
) -> list[Output]:
    """Each holdout matcher's output, its form recognised and its threshold checked."""
    outputs = []
    for name, given in named(holdout, choices, "holdout").items():
        source = open_source(con, "holdout", given)
        form = recognise(source, columns or {})
        least = first_threshold(choices, threshold, [form])
        check_scored(form, least)
        facts = source.as_dict(threshold=least, columns=dict(columns or {}))
        outputs.append(Output(name, source, form, least, matcher(name, facts)))
    return outputs


def kinds_of_ids(
    population: Source, column: str, outputs: Sequence[Output], matching: Matching
) -> tuple[str, str]:
    """How ids of the population, and of y, are read: as they are, where all are whole numbers."""
    forms = [(one.source, one.form) for one in outputs]
    pairs = [(source, form) for source, form in forms if isinstance(form, Pairs)]
    if matching.source is not None or len(pairs) < len(forms) or any(f.x_source for _, f in pairs):
        return "string", "string"
    xs, ys = [(s, form.x) for s, form in pairs], [(s, form.y) for s, form in pairs]
    kind = kind_of_ids(population, column, *xs, *(ys if matching.dedupe else []))
    return kind, kind if matching.dedupe or not ys else key_kind(*ys)


def check_on_population(
    con: Engine, output: Output, matching: Matching, kinds: tuple[str, str]
) -> str:
    """Read an output as `certify` does, beside the table `population`; what it is, in words.

    The table `matched` has the nodes with a match.
    """
    from matchbound.tallies.parts import refuse_doubt

    source, form, least = output.source, output.form, output.threshold
    rows = read_matches(con, source, "holdout", form, matching, least, kinds)
    is_clusters = isinstance(form, Clusters)
    if not (matching.dedupe or matching.is_link):
        refuse_doubt(con, "holdout", "holdout")
    keep_matched(con, is_clusters, matching.dedupe)
    if is_clusters:
        refuse_unknown(con, "counted")
    else:
        compare_pairs(con, False, kinds[0])
    what = "records in clusters" if is_clusters else "pairs"
    scores = "" if least is None else f" with a score from {least:g} on"
    where = "a table" if source.path is None else Path(source.path).name
    return f"{where}, {rows} {what}{scores}; it matches {count_rows(con, 'matched')} nodes"


def keep_matched(con: Engine, is_clusters: bool, dedupe: bool) -> None:
    """The nodes that the holdout matcher matched, as the table `matched`."""
    form, itself = "clusters" if is_clusters else "pairs", 1 if dedupe else 0
    keep(con, "counted", f"tables/count_{form}", a="holdout", itself=itself)
    con.keep(
        "matched", "select x as id from counted where n > 0 and x in (select id from population)"
    )
