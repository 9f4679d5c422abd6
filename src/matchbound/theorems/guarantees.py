"""Compute guarantees from tallies: each metric by its theorem, within what is possible."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from matchbound.errors import AssumptionError
from matchbound.reprs import brief
from matchbound.theorems import sharp
from matchbound.theorems.choices import Choices
from matchbound.theorems.design import chosen_row
from matchbound.theorems.growth import Growth, check_growth, grown_finding
from matchbound.theorems.limits import most_true
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.nodes import verified_without
from matchbound.theorems.others import holdout_alone
from matchbound.theorems.parts import WHOLE, Part, candidate, parts
from matchbound.theorems.possible import possible
from matchbound.theorems.tally import Tally
from matchbound.theorems.terms import Finding, check_promise, matched_count

DECIMALS = 6
SCALE = 10.0**DECIMALS
ROUNDING = 1e-12  # more than the rounding error of any theorem's arithmetic


@dataclass(frozen=True)
class Guarantee:
    """`metric` of `algorithm` is at least (`side` lower) or at most (upper) `value`.

    `part` is the name of the band, the threshold or the matcher that it is about, if not all
    matches. `estimate` is the validation sample's mean for the holdout matcher (None if no sampled
    node is in the band), `bound` the bound on the labels' term. `among`: it is about the nodes with
    at most so many true matches alone.
    """

    metric: str
    algorithm: str
    part: str
    side: str
    value: float
    estimate: float | None
    theorem: str
    bound: str
    among: int | None = None

    @property
    def text(self) -> str:
        """The bound in words, such as `≥ 0.9636`, rounded outwards to four decimals."""
        sign, outwards = ("≥", math.floor) if self.side == "lower" else ("≤", math.ceil)
        return f"{sign} {outwards(round(self.value * 1e4, 6)) / 1e4:.4f}"

    def __repr__(self) -> str:
        return brief(self, f"{self.subject} {self.text}")

    @property
    def subject(self) -> str:
        """What it is about, such as `precision of the complete matcher, [0.5, 0.9)`."""
        return f"{self.metric} of the {self.algorithm} matcher{self.where}"

    @property
    def where(self) -> str:
        """Which matches and which nodes it is about, if not all."""
        part = "" if self.part == WHOLE else f", {self.part}"
        most = self.among
        return part if most is None else f"{part}, among nodes with at most {most} true matches"


@dataclass(frozen=True)
class Threshold:
    """The loosest certified candidate (None if there is none), and all that passed the test."""

    chosen: float | None
    passed: tuple[float, ...]


def guarantees(
    tallies: Mapping[str, Tally],
    choices: Choices,
    *,
    complete: bool,
    growth: Growth | None = None,
) -> tuple[Guarantee, ...]:
    """A guarantee for each chosen metric and band.

    All of them hold together with probability at least 1 − δ. With `growth`, they are about the
    population as it is now, and δ is the sum of all draws'.
    """
    for tally in tallies.values():
        _check(tally, choices)
    _check_subject(choices, complete)
    if growth is not None:
        check_growth(choices, growth, complete)
        return tuple(_grown(name, tallies[WHOLE], choices, growth) for name in choices.metrics)
    if not complete:
        tallies = {part: holdout_alone(tally) for part, tally in tallies.items()}
    if choices.choose_threshold:
        return _at_the_threshold(tallies, choices, complete)
    return tuple(
        _guarantee(metric, part, tallies[part.name], choices, complete)
        for part in parts(choices)
        for metric in (("precision",) if part.is_band else choices.metrics)
    )


def guarantee_with_errors(g: Guarantee, tally: Tally, choices: Choices, errors: int) -> float:
    """The value of a guarantee by the sharp theorem if at most `errors` labels of S − D are wrong.

    The worst labels may be wrong, and their truth may be anything.
    """
    complete = g.algorithm == "complete"
    theorem = METRICS[g.metric].with_errors
    assert theorem is not None  # callers check `why_not_computable` first
    of_matcher = tally if complete else holdout_alone(tally)
    return outwards(theorem(of_matcher, choices.design(g.metric), complete, errors).value, g.side)


def choose_threshold(
    tallies: Mapping[str, Tally], choices: Choices, *, complete: bool
) -> Threshold:
    """Test candidates in turn, strictest first, until the first whose precision is not certified.

    Each is tested on the holdout matcher at the whole δ. If any candidate passed wrongly, then the
    first whose precision is below its level passed; which one that is does not depend on the
    labels, so this has probability at most δ. The consequences for the complete matcher hold for
    all that passed; the loosest that still reaches the target is chosen. A candidate at which the
    holdout matcher matches nothing is skipped, which does not depend on labels either.
    """
    passed, chosen = [], None
    for score in choices.candidates:
        tally = tallies[candidate(score)]
        if not any(cell.h for cell in tally.everywhere):
            continue
        if not _passes(tally, choices):
            break
        passed.append(score)
        if _precision_at(tally, choices) >= _as_written(choices.target):
            chosen = score
    return Threshold(chosen, tuple(passed))


def _passes(tally: Tally, choices: Choices) -> bool:
    try:
        right = sharp.holdout_right(tally, choices.design("precision")).value
        return right / matched_count(tally.everywhere) - ROUNDING >= _level(choices)
    except AssumptionError:  # no sampled node has a match, so nothing is certified
        return False


def _level(choices: Choices) -> Fraction:
    return _as_written(choices.target) + _as_written(choices.allowance)


def _as_written(number: float) -> Fraction:
    return Fraction(repr(number))


def _precision_at(tally: Tally, choices: Choices) -> Fraction:
    """The complete matcher's precision at a candidate that passed.

    It follows from the level that was tested, not from the bound that was computed.
    """
    if not any(cell.c for cell in tally.everywhere):
        return Fraction(0)
    right = matched_count(tally.everywhere) * _level(choices)
    design = choices.design("precision")
    value = sharp.complete_precision(tally, design, right)
    low, high = possible(METRICS["precision"], tally, design)
    return min(max(value, low), high)


def _at_the_threshold(
    tallies: Mapping[str, Tally], choices: Choices, complete: bool
) -> tuple[Guarantee, ...]:
    """The guarantees at the chosen threshold.

    Precision is certified by the tests. The other metrics get δ divided by the number of
    candidates, because any of them might have been chosen.
    """
    score = choose_threshold(tallies, choices, complete=complete).chosen
    if score is None:
        return ()
    part = Part(candidate(score), least=score)
    shared = replace(choices, delta=choices.delta / len(choices.candidates))
    certified = []
    for metric in choices.metrics:
        used = choices if metric == "precision" else shared
        guarantee = _guarantee(metric, part, tallies[part.name], used, complete)
        if metric == "precision":
            exact = _precision_at(tallies[part.name], choices)
            guarantee = replace(guarantee, value=math.floor(exact * 10**DECIMALS) / SCALE)
        certified.append(guarantee)
    return tuple(certified)


def _guarantee(name: str, part: Part, tally: Tally, choices: Choices, complete: bool) -> Guarantee:
    metric, design = METRICS[name], choices.design(name)
    try:
        finding = metric.theorems[choices.applied_theorem](tally, design, complete)
    except AssumptionError:
        if not part.is_band:
            raise
        finding = Finding(0.0, None, choices.bound)  # no sampled node; its share of δ stays spent
    value = within(possible(metric, tally, design), finding.value, metric.side)
    return Guarantee(
        metric=name,
        algorithm="complete" if complete else "holdout",
        part=part.name,
        side=metric.side,
        value=value,
        estimate=None if finding.estimate is None else round(finding.estimate, DECIMALS),
        theorem=choices.theorem,
        bound=finding.bound,
        among=choices.among_records_with_at_most if metric.needs_limit else None,
    )


def _grown(name: str, tally: Tally, choices: Choices, growth: Growth) -> Guarantee:
    """A guarantee about the population as it is now. No label limits what is possible there."""
    metric, finding = METRICS[name], grown_finding(METRICS[name], tally, choices, growth)
    mean = None if finding.estimate is None else round(finding.estimate, DECIMALS)
    value = outwards(finding.value, metric.side)
    of_complete = ("complete", WHOLE, metric.side, value, mean)
    return Guarantee(name, *of_complete, choices.theorem, finding.bound)


def within(ends: tuple[Fraction, Fraction], value: float, side: str) -> float:
    """A bound moved into what labels leave possible; exact if they leave one value."""
    low, high = ends
    if low < high:
        return outwards(min(max(value, float(low)), float(high)), side)
    steps: Fraction = low * 10**DECIMALS
    return (math.floor(steps) if side == "lower" else math.ceil(steps)) / SCALE


def _check_subject(choices: Choices, complete: bool) -> None:
    """Refuse a metric that has no theorem for the matcher, or no limit on true matches."""
    limited = choices.limited
    if limited and not choices.has_limit:
        raise AssumptionError(
            f"most_true_matches must be given for {limited[0]}, got none: one record with very "
            "many true matches could make it as small as one likes. Draw with a promise, or with "
            "among_records_with_at_most."
        )
    if limited and complete and choices.among_records_with_at_most:
        raise AssumptionError(
            f"complete must be left out for {limited[0]} with among_records_with_at_most, got it: "
            "which records count is known of the holdout matcher's sample alone. Certify the "
            "holdout matcher, or draw with most_true_matches."
        )


def _check(tally: Tally, choices: Choices) -> None:
    if not (tally.is_census or choices.is_sampled):
        seen = tally.drawn + len(tally.labelled)
        raise AssumptionError(
            f"gap must be a census where none was drawn, got {seen} of {tally.size} nodes. "
            "Run both matchers over the whole population, or draw a sample for the gap."
        )
    unlabelled = any(not label.is_sure for label in (*tally.train, *tally.validation))
    row = chosen_row(choices.bound)
    if unlabelled and row is not None and not row.monotone:
        raise AssumptionError(
            f"bound must not be {choices.bound} with unlabelled nodes: it can rise when a value "
            "falls. "
            "Label every drawn node, or draw with another bound."
        )
    if choices.at_most_one_match:
        check_promise(tally)
    _check_limit(tally, choices)
    _check_every_node(tally, choices)


def _check_limit(tally: Tally, choices: Choices) -> None:
    """Refuse a label with more true matches than promised."""
    limit = choices.most_true_matches or (1 if choices.one_to_one else None)
    most = most_true(tally)
    if limit is not None and most > limit:
        name = "most_true_matches" if choices.most_true_matches else "one_to_one"
        raise AssumptionError(
            f"{name} must allow what labels show, got at most {limit} and a node with {most} true "
            "matches. Draw again with a larger limit, or none; it costs δ again."
        )


def _check_every_node(tally: Tally, choices: Choices) -> None:
    """Refuse a label without a true match, if every node has one by promise."""
    without = verified_without(tally.labelled)
    if choices.every_node_matched and without:
        raise AssumptionError(
            f"every_node_matched must allow what labels show, got {without} of "
            f"{len(tally.labelled)} labelled nodes without a true match. Draw again without the "
            "promise; it costs δ again."
        )


def outwards(value: float, side: str) -> float:
    """A value in [0, 1], rounded so that it is still a bound."""
    if side == "lower":
        rounded = math.floor((value - ROUNDING) * SCALE) / SCALE
    else:
        rounded = math.ceil((value + ROUNDING) * SCALE) / SCALE
    return min(max(rounded, 0.0), 1.0)


__all__ = [
    "WHOLE",
    "Guarantee",
    "Threshold",
    "choose_threshold",
    "guarantee_with_errors",
    "guarantees",
    "outwards",
    "within",
]
