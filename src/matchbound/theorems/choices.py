"""Everything that must be fixed before the labels are seen, as one value."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from matchbound.errors import InputError
from matchbound.theorems.rules import CANDIDATES, METRICS, check_choices

__all__ = ["CANDIDATES", "METRICS", "Choices"]


@dataclass(frozen=True)
class Choices:
    """What is to be certified and how.

    `one_to_one` promises at most one true match a node, `at_most_one_match` at most one found by a
    matcher (a census shows it; a sampled gap does not). `other_terms` is the share of a metric's δ
    that each term other than the labels' gets (`sharp`; `paper` shares equally).

    `bands` are the lower ends of bands of scores, `algorithms` the names of several matchers to
    certify together. `choose_threshold` is the precision that a threshold among `candidates` must
    have; `allowance` is added to it for the gap. `gap` is the size of the gap's sample, 0 for a
    census. `until` is how many nodes with a true match (`recall`), or matched by the holdout
    matcher (`precision`), end the sample; `among`, that it was drawn from the latter alone.
    `future`: the guarantees are about nodes to come. `rounds` and `options`: the labels may guide
    a matcher through so many rounds, choosing one of the options in each.

    `guesses` are the values expected of metrics, `matched` the share of nodes expected to have a
    true match, `variances` what the training nodes' labels say instead: bets are sized by them.
    `few_misses` are the metrics that so few misses are expected of that bets serve better at any
    time. `brought`: the labels were not drawn here, so they have no order.
    """

    delta: float = 0.05
    metrics: Sequence[str] = ("precision", "recall")
    theorem: str = "sharp"
    bound: str = "auto"
    one_to_one: bool = False
    at_most_one_match: bool = False
    guesses: Mapping[str, float] = field(default_factory=dict)
    matched: float | None = None
    variances: Mapping[str, float] = field(default_factory=dict)
    few_misses: Sequence[str] = ()
    brought: bool = False
    other_terms: float = 0.05
    bands: Sequence[float] = ()
    algorithms: Sequence[str] = ()
    choose_threshold: Mapping[str, float] = field(default_factory=dict)
    candidates: Sequence[float] = ()
    allowance: float = 0.0
    gap: int = 0
    until: Mapping[str, int] = field(default_factory=dict)
    among: bool = False
    future: bool = False
    rounds: int = 0
    options: Sequence[int] = ()

    def __post_init__(self) -> None:
        check_choices(self)

    def as_dict(self) -> dict[str, Any]:
        lists = {
            name: list(getattr(self, name))
            for name in ("metrics", "bands", "algorithms", "candidates", "options", "few_misses")
        }
        maps = {
            name: dict(getattr(self, name))
            for name in ("guesses", "variances", "choose_threshold", "until")
        }
        return asdict(self) | lists | maps

    @staticmethod
    def from_dict(choices: Mapping[str, Any]) -> "Choices":
        """Refused if there is a choice that matchbound does not know."""
        names = {field.name for field in fields(Choices)}
        for name in choices:
            if name not in names:
                raise InputError(
                    f"choices must be among {', '.join(sorted(names))}; got {name!r}. Drop it."
                )
        return Choices(**choices)

    @property
    def guarantees(self) -> int:
        """How many guarantees share δ; a band's precision is one, whether or not it is empty."""
        return max(len(self.algorithms), 1) * (len(self.metrics) + len(self.bands))

    @property
    def leaves(self) -> int:
        """How many matchers the labels may choose among: every way through the rounds, stopping
        early included."""
        return sum(len(self.options) ** done for done in range(self.rounds + 1))

    @property
    def target(self) -> float:
        """The precision that a threshold is to be chosen for."""
        return self.choose_threshold["precision"]

    @property
    def counted(self) -> str | None:
        """The metric whose set's size ended the sample."""
        return next(iter(self.until), None)

    @property
    def scores(self) -> Sequence[float]:
        """The scores that parts begin at: the least of them is the threshold."""
        return self.bands or self.candidates

    @property
    def is_anytime(self) -> bool:
        return self.bound == "anytime"

    @property
    def is_sampled(self) -> bool:
        """Whether the gap costs probability."""
        return bool(self.gap) or self.future

    def shares(self, terms: int) -> tuple[float, ...]:
        """A guarantee's δ, divided among its terms, the labels' first; they sum to at most δ.

        Never a matter of whether there is a complete matcher: so that what is said of it and of the
        holdout matcher holds on the same event.
        """
        whole = self.delta / (self.guarantees * self.leaves)
        if self.theorem == "paper":
            parts = [whole / terms] * terms
        else:
            other = whole * self.other_terms
            parts = [whole - other * (terms - 1), *[other] * (terms - 1)]
        return tuple(part * (1 - 1e-14) for part in parts)
