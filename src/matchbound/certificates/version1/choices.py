"""The choices of a version-1 certificate, and the parts of the matches that they make."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

WHOLE = "all"
METRICS = ("precision", "recall", "error-rate")
BOUNDS = ("auto", "hoeffding", "serfling", "bernstein", "hypergeometric", "betting", "anytime")
MOST_ROUNDS = 64  # more than any draw had, and options likewise: an altered one ends soon


@dataclass(frozen=True)
class Choices:
    """What version 1 fixed at the draw, in the order of its certificate.json."""

    delta: float
    metrics: tuple[str, ...]
    theorem: str
    bound: str
    one_to_one: bool
    at_most_one_match: bool
    guesses: Mapping[str, float]
    other_terms: float
    bands: tuple[float, ...]
    algorithms: tuple[str, ...]
    choose_threshold: Mapping[str, float]
    candidates: tuple[float, ...]
    allowance: float
    gap: int
    until: Mapping[str, int]
    among: bool
    future: bool
    rounds: int
    options: tuple[int, ...]

    def __post_init__(self) -> None:
        shares = (self.delta, self.other_terms, *self.guesses.values())
        possible = (
            all(0 < share < 1 for share in shares)
            and set(self.metrics) <= set(METRICS)
            and self.theorem in ("sharp", "paper")
            and self.bound in BOUNDS
            and 0 <= self.rounds <= MOST_ROUNDS
            and len(self.options) <= MOST_ROUNDS
        )
        if not possible:
            raise ValueError("choices are not such as version 1 allowed")

    @staticmethod
    def from_dict(record: Mapping[str, object]) -> "Choices":
        names = [field.name for field in fields(Choices)]
        if set(record) != set(names):
            raise TypeError("choices are not those of version 1")
        return Choices(*(_frozen(record[name]) for name in names))

    @property
    def guarantees(self) -> int:
        """How many guarantees share δ."""
        return max(len(self.algorithms), 1) * (len(self.metrics) + len(self.bands))

    @property
    def counted(self) -> str | None:
        """The metric whose set's size ended the sample."""
        return next(iter(self.until), None)

    @property
    def share_bound(self) -> str:
        """The bound on the share of nodes with a true match."""
        return "anytime" if self.until else self.bound

    @property
    def is_sampled(self) -> bool:
        return bool(self.gap) or self.future

    def shares(self, terms: int) -> tuple[float, ...]:
        """A guarantee's δ, divided among its terms, the labels' first."""
        matchers = sum(len(self.options) ** done for done in range(self.rounds + 1))
        whole = self.delta / (self.guarantees * matchers)
        if self.theorem == "paper":
            shares = [whole / terms] * terms
        else:
            other = whole * self.other_terms
            shares = [whole - other * (terms - 1), *[other] * (terms - 1)]
        return tuple(share * (1 - 1e-14) for share in shares)

    def variance(self, metric: str) -> float | None:
        """The variance of zeros and ones with the mean that was guessed."""
        guess = self.guesses.get(metric)
        return None if guess is None else guess * (1 - guess)

    def parts(self) -> Iterator[tuple[str, bool]]:
        """Yield each part's name, and whether it is a band."""
        for score in self.candidates if self.choose_threshold else ():
            yield candidate(score), False
        ends = [*map(as_text, self.bands[1:]), "∞"]
        for algorithm in () if self.choose_threshold else self.algorithms or (None,):
            yield algorithm or WHOLE, False
            for least, below in zip(self.bands, ends, strict=False):
                name = f"[{as_text(least)}, {below})"
                yield f"{algorithm} {name}" if algorithm else name, True


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def candidate(score: float) -> str:
    return f"score ≥ {as_text(score)}"


def as_text(score: float) -> str:
    return repr(score).removesuffix(".0")
