"""Version 1's guarantees, from its tallies."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from matchbound.certificates.version1 import paper, sampled, sharp
from matchbound.certificates.version1.choices import Choices, candidate
from matchbound.certificates.version1.tally import Tally
from matchbound.certificates.version1.terms import Finding
from matchbound.errors import AssumptionError

DECIMALS = 6
SCALE = 10.0**DECIMALS
ROUNDING = 1e-12  # more than the arithmetic of any theorem can be off by

THEOREMS: Mapping[str, Mapping[str, Callable[[Tally, Choices, bool], Finding]]] = {
    "precision": {
        "sharp": sharp.precision,
        "sampled": sampled.precision,
        "paper": paper.precision,
    },
    "recall": {"sharp": sharp.recall, "sampled": sampled.recall, "paper": paper.recall},
    "error-rate": {
        "sharp": sharp.error_rate,
        "sampled": sampled.error_rate,
        "paper": paper.error_rate,
    },
}


@dataclass(frozen=True)
class Guarantee:
    """A guarantee as version 1 wrote it: `delta` is the probability that this one fails."""

    metric: str
    algorithm: str
    part: str
    side: str
    value: float
    estimate: float | None
    delta: float
    theorem: str
    bound: str


@dataclass(frozen=True)
class Threshold:
    """The loosest candidate that was certified (None: none was), and all that passed."""

    chosen: float | None
    passed: tuple[float, ...]


def guarantees(
    tallies: Mapping[str, Tally], choices: Choices, complete: bool
) -> tuple[Guarantee, ...]:
    """One for each metric and band chosen."""
    for tally in tallies.values():
        _check(tally, choices)
    if choices.choose_threshold:
        return _at_the_threshold(tallies, choices, complete)
    return tuple(
        _guarantee(metric, part, is_band, tallies[part], choices, complete)
        for part, is_band in choices.parts()
        for metric in (("precision",) if is_band else choices.metrics)
    )


def choose_threshold(
    tallies: Mapping[str, Tally], choices: Choices, complete: bool
) -> Threshold | None:
    """Candidates in turn, strictest first, until the first whose precision is not certified."""
    if not choices.choose_threshold:
        return None
    passed, chosen = [], None
    for score in choices.candidates:
        tally = tallies[candidate(score)]
        if not any(h for h, *_ in tally.gap):
            continue
        if not _passes(tally, choices):
            break
        passed.append(score)
        target = _as_written(choices.choose_threshold["precision"])
        if _precision_at(tally, choices, complete) >= target:
            chosen = score
    return Threshold(chosen, tuple(passed))


def _passes(tally: Tally, choices: Choices) -> bool:
    try:
        return sharp.holdout_precision(tally, choices).value - ROUNDING >= _level(choices)
    except AssumptionError:  # no sampled node has a match: nothing is certified
        return False


def _level(choices: Choices) -> Fraction:
    target = choices.choose_threshold["precision"]
    return _as_written(target) + _as_written(choices.allowance)


def _as_written(number: float) -> Fraction:
    return Fraction(repr(number))


def _precision_at(tally: Tally, choices: Choices, complete: bool) -> Fraction:
    """The level of a candidate that passed, or what follows for the complete matcher."""
    if not complete:
        return _level(choices)
    if not any(c for _, c, *_ in tally.gap):
        return Fraction(0)
    return sharp.complete_precision(tally, choices, _level(choices))


def _at_the_threshold(
    tallies: Mapping[str, Tally], choices: Choices, complete: bool
) -> tuple[Guarantee, ...]:
    """Precision by the tests; the other metrics at a share of δ, for any candidate might be it."""
    threshold = choose_threshold(tallies, choices, complete)
    if threshold is None or threshold.chosen is None:
        return ()
    part = candidate(threshold.chosen)
    shared = replace(choices, delta=choices.delta / len(choices.candidates))
    at_threshold = []
    for metric in choices.metrics:
        used = choices if metric == "precision" else shared
        guarantee = _guarantee(metric, part, False, tallies[part], used, complete)
        if metric == "precision":
            exact = _precision_at(tallies[part], choices, complete)
            guarantee = replace(guarantee, value=math.floor(exact * 10**DECIMALS) / SCALE)
        at_threshold.append(replace(guarantee, delta=choices.delta / choices.guarantees))
    return tuple(at_threshold)


def _guarantee(
    metric: str, part: str, is_band: bool, tally: Tally, choices: Choices, complete: bool
) -> Guarantee:
    side = "upper" if metric == "error-rate" else "lower"
    theorem = choices.theorem
    use = "sampled" if choices.is_sampled and theorem == "sharp" else theorem
    try:
        finding = THEOREMS[metric][use](tally, choices, complete)
    except AssumptionError:
        if not is_band:
            raise
        finding = Finding(0.0, None, choices.bound)  # no node in the band was sampled
    return Guarantee(
        metric=metric,
        algorithm="complete" if complete else "holdout",
        part=part,
        side=side,
        value=_outwards(finding.value, side),
        estimate=None if finding.estimate is None else round(finding.estimate, DECIMALS),
        delta=choices.delta / choices.guarantees,
        theorem=theorem,
        bound=finding.bound,
    )


def _check(tally: Tally, choices: Choices) -> None:
    labels = (*tally.train, *tally.validation)
    if choices.theorem == "sharp" and not (tally.is_census or choices.is_sampled):
        raise AssumptionError("gap must be a census for the sharp theorem.")
    if choices.bound == "bernstein" and any(t is None for _, t, _ in labels):
        raise AssumptionError("bound must not be bernstein with unlabelled nodes.")
    most = max(*(max(h, c) for h, c, *_ in tally.gap), *(h for h, *_ in labels), 0)
    if choices.at_most_one_match and most > 1:
        raise AssumptionError("matchers must find at most one match a node, as promised.")


def _outwards(value: float, side: str) -> float:
    """Rounded so that it stays a bound, and kept in [0, 1]."""
    if side == "lower":
        rounded = math.floor((value - ROUNDING) * SCALE) / SCALE
    else:
        rounded = math.ceil((value + ROUNDING) * SCALE) / SCALE
    return min(max(rounded, 0.0), 1.0)
