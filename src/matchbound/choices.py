"""Everything that must be fixed before the labels are seen, as one value."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from matchbound.bounds.checks import check_delta
from matchbound.bounds.means import BOUNDS
from matchbound.errors import InputError

METRICS = ("precision", "recall", "error-rate")
THEOREMS = ("sharp", "paper")
BOUND_NAMES = ("auto", *(name for name, row in BOUNDS.items() if row.population))


@dataclass(frozen=True)
class Choices:
    """What is to be certified and how.

    `one_to_one` promises at most one true match a node, `at_most_one_match` at most one found by a
    matcher (a census shows it; a sampled gap does not). `other_terms` is the share of a metric's δ
    that each term other than the labels' gets (`sharp`; `paper` shares equally).
    """

    delta: float = 0.05
    metrics: Sequence[str] = ("precision", "recall")
    theorem: str = "sharp"
    bound: str = "auto"
    one_to_one: bool = False
    at_most_one_match: bool = False
    guesses: Mapping[str, float] = field(default_factory=dict)
    other_terms: float = 0.05

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", check_delta(self.delta))
        metrics = (self.metrics,) if isinstance(self.metrics, str) else tuple(self.metrics or ())
        object.__setattr__(self, "metrics", metrics)
        for metric in self.metrics:
            _check_name("metric", metric, METRICS)
        if len(set(self.metrics)) != len(self.metrics) or not self.metrics:
            raise InputError(
                f"metric must be given once each and at least once, got {list(self.metrics)}. "
                f"Choose among {', '.join(METRICS)}."
            )
        for name in ("one_to_one", "at_most_one_match"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(
                    f"{name} must be true or false, got {getattr(self, name)!r}. Choose one."
                )
        _check_name("theorem", self.theorem, THEOREMS)
        _check_name("bound", self.bound, BOUND_NAMES)
        if self.bound == "hypergeometric" and "recall" in metrics and not self.one_to_one:
            raise InputError(
                "bound must not be hypergeometric for recall without one-to-one, got it: recall "
                "may be a fraction. Promise one-to-one if it is so, or use auto."
            )
        share = self.other_terms if isinstance(self.other_terms, float) else 0.0
        if not isinstance(self.guesses, Mapping) or not 0 < share < 0.25:
            raise InputError(
                "guesses must be values by metric and other_terms a small share, "
                f"got {self.guesses!r} and {self.other_terms!r}. Leave them out, or correct them."
            )
        for metric, value in self.guesses.items():
            _check_name("guess", metric, METRICS)
            if not (isinstance(value, int | float) and 0 < value < 1):
                raise InputError(
                    f"guess must be above 0 and below 1, got {metric}={value}. "
                    "Give the value you expect, such as precision=0.95."
                )

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"metrics": list(self.metrics), "guesses": dict(self.guesses)}

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

    def shares(self, terms: int) -> tuple[float, ...]:
        """A metric's δ, divided among its terms, the labels' first; they sum to at most δ."""
        whole = self.delta / len(self.metrics)
        if self.theorem == "paper":
            parts = [whole / terms] * terms
        else:
            other = whole * self.other_terms
            parts = [whole - other * (terms - 1), *[other] * (terms - 1)]
        return tuple(part * (1 - 1e-14) for part in parts)

    def variance(self, metric: str) -> float | None:
        """The variance that a guess lets one expect: that of zeros and ones with its mean."""
        guess = self.guesses.get(metric)
        return None if guess is None else guess * (1 - guess)


def _check_name(argument: str, name: str, names: tuple[str, ...]) -> None:
    if name not in names:
        raise InputError(
            f"{argument} must be one of {', '.join(names)}; got {name!r}. Choose one of them."
        )
