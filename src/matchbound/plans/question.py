"""The question that a plan answers: checked once, and turned into a margin for each metric."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from matchbound.audits import fit_choices
from matchbound.bounds import LARGEST_SIZE
from matchbound.errors import InputError
from matchbound.plans.margins import Margin, matches_each, slope
from matchbound.tables import Matching
from matchbound.theorems import METRICS, Choices, matched_by_guess


@dataclass(frozen=True)
class Question:
    """A guessed population, the choices of its draw, and the targets to reach.

    The population has `size` nodes; `choices` have the guessed values of metrics and the share of
    nodes with a true match. The complete matcher replaces matches by others at a share `gap_rate`
    of all nodes (None: there is no complete matcher). All `targets`, by metric, should be reached
    together with probability `power`. `train` nodes are labelled to train on. `dedupe`: the
    population is matched with itself.
    """

    size: int
    choices: Choices
    targets: Mapping[str, float]
    power: float = 0.9
    gap_rate: float | None = None
    train: int = 0
    dedupe: bool = False

    def __post_init__(self) -> None:
        _check_whole("size", self.size, 1, LARGEST_SIZE, "Give the number of nodes, such as 100000")
        _check_whole("train", self.train, 0, self.size - 1, "Give fewer than size")
        _check_power(self.power)
        _check_gap(self)
        _check_targets(self.targets, self.choices.guesses)
        if round(self.found_share * self.size) < 1 or self.found_share > 1:
            raise InputError(
                "matched × recall / precision must be a share that leaves the holdout matcher some "
                f"nodes to match, got {self.found_share:g}. Correct matched or the guesses."
            )

    @property
    def matched(self) -> float:
        """The share of nodes with a true match."""
        return self.choices.matched or 1.0

    @property
    def found_share(self) -> float:
        """The share of nodes that the holdout matcher matches.

        Nodes have the same number of matches, so pairwise guesses tell it as well as others.
        """
        guesses = self.choices.guesses
        pairwise = {name.removeprefix("pairwise-"): value for name, value in guesses.items()}
        return matched_by_guess(self.matched, {**pairwise, **guesses})

    def margins(self) -> dict[str, Margin]:
        return {metric: self._margin(metric) for metric in self.choices.metrics}

    def _margin(self, metric: str) -> Margin:
        """The margin of a metric alone, with its share of δ."""
        shares = {"matched": self.found_share, "true": self.matched, "all": 1.0}
        row = METRICS[metric]
        counting: str = row.members
        if row.of_clusters:  # nodes without a match are always right
            counting = "matched" if row.ratio.known_unmatched else "true"
        members = max(round(shares[counting] * self.size), 1)
        right = round(self._mean(metric, members / self.size) * members)
        own = replace(
            self.choices, metrics=(metric,), delta=self.choices.delta / self.choices.guarantees
        )
        return Margin(
            metric, own, self.size, members, right, self.found_share, self.gap_rate, self.train
        )

    def _mean(self, metric: str, share: float) -> float:
        """The share of right nodes among those that count, which are the `share` of all."""
        row, guess, each = METRICS[metric], self.choices.guesses[metric], matches_each(self.choices)
        if not row.of_clusters:
            return row.rightness(guess)
        most = slope(row, each, share)
        if row.misses(guess) >= most:
            raise InputError(
                f"guess must be above {1 - most:.4f} for {metric}, got {guess!r}: nodes without a "
                "match are right, and every record is right about itself. Correct it, or matched."
            )
        return 1 - row.misses(guess) / most


def choices_for(
    guesses: Mapping[str, float], matched: float, *, dedupe: bool = False, **choices: object
) -> Choices:
    """Choices that certify every guessed metric, as `draw` makes them; None is a default."""
    if not guesses:
        raise InputError("guess must be given for each metric, got none. Give precision=0.95.")
    metrics = [metric for metric in METRICS if metric in guesses] or list(guesses)
    chosen = {name: value for name, value in choices.items() if value is not None}
    guessed = {"guesses": dict(guesses), "matched": matched, "metrics": tuple(metrics)}
    return fit_choices(Choices.from_dict(guessed | chosen), Matching(dedupe=dedupe))


def check_labels(labels: int, size: int) -> int:
    _check_whole("labels", labels, 1, size, "Give a number of nodes to validate on, up to size")
    return labels


def _check_gap(question: Question) -> None:
    gap, rate = question.choices.gap, question.gap_rate
    if gap > question.size:
        raise InputError(f"gap must be at most the size, {question.size}, got {gap}. Give fewer.")
    if rate is None:
        if gap:
            raise InputError(
                "gap_rate must be given with gap, got none. Give the share of nodes at which the "
                "matchers differ, such as 0.001."
            )
        return
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise InputError(f"gap_rate must be a share from 0 to 1, got {rate!r}. Give 0.001.")
    limited = question.choices.limited
    if limited and question.choices.among_records_with_at_most:
        raise InputError(
            f"gap_rate must be left out for {limited[0]} with among_records_with_at_most, got "
            f"{rate!r}: there is no theorem for a complete matcher. Drop it, or promise "
            "most_true_matches."
        )
    if rate > question.found_share:
        raise InputError(
            "gap_rate must be at most the share of nodes that are matched, "
            f"{question.found_share:g}, got {rate!r}. "
            "Give the share of all nodes at which the matchers differ."
        )


def _check_targets(targets: Mapping[str, float], guesses: Mapping[str, float]) -> None:
    for metric, target in targets.items():
        if metric not in guesses:
            raise InputError(
                f"guess must be given for each target, got none for {metric!r}. "
                "Give the value that you expect."
            )
        if not isinstance(target, int | float) or not 0 < target < 1:
            raise InputError(
                f"target must be above 0 and below 1, got {metric}={target}. "
                "Give the bound that you want, such as precision=0.93."
            )


def _check_whole(argument: str, value: Any, least: int, most: int, way_out: str) -> None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        raise InputError(
            f"{argument} must be a whole number from {least} to {most}, got {value!r}. {way_out}."
        )


def _check_power(power: Any) -> None:
    is_number = isinstance(power, int | float) and not isinstance(power, bool)
    if not is_number or not 0 < power < 1:
        raise InputError(f"power must be above 0 and below 1, got {power!r}. Give for example 0.9.")
