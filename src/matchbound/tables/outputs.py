"""A holdout matcher's output before the draw: what `certify` would refuse is refused now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.forms import Form, Pairs, recognise
from matchbound.tables.predictions import kind_of_ids
from matchbound.tables.scores import check_scored, first_threshold
from matchbound.tables.sides import Matching
from matchbound.tables.sources import Source, key_kind, open_source


def named(given: Any, algorithms: Sequence[str], argument: str) -> dict[str, Any]:
    """A matcher's output, or those of several algorithms by the names that the draw fixed."""
    if not algorithms:
        if isinstance(given, Mapping):
            raise InputError(
                f"{argument} must be one table, because no algorithms were named at the draw, got "
                f"{', '.join(map(str, given))}. Give one, or draw with --algorithm."
            )
        return {"": given}
    if not isinstance(given, Mapping) or set(given) != set(algorithms):
        got = ", ".join(map(str, given)) if isinstance(given, Mapping) else "one table"
        raise InputError(
            f"{argument} must be given for each of {', '.join(algorithms)}, got {got}. "
            "Give name=FILE for each."
        )
    return {name: given[name] for name in algorithms}


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
    algorithms: Sequence[str],
    scores: Sequence[float],
) -> list[Output]:
    """Each holdout matcher's output, its form recognised and its threshold checked.

    `scores` are the ends of bands or the candidates that fix the threshold.
    """
    outputs = []
    for name, given in named(holdout, algorithms, "holdout").items():
        source = open_source(con, "holdout", given)
        form = recognise(source, columns or {})
        least = first_threshold(scores, threshold, [form])
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


def matcher(name: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """A matcher's output, as the ledger knows it; its threshold and columns are part of it."""
    return {"name": name, **{key: source.get(key) for key in ("digest", "threshold", "columns")}}
