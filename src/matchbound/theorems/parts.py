"""The parts of matches that have separate guarantees: bands, thresholds, algorithms."""

from collections.abc import Iterator
from dataclasses import dataclass

from matchbound.theorems.choices import Choices

WHOLE = "all"


@dataclass(frozen=True)
class Part:
    """The matches of an algorithm whose scores are at least `least` and below `below`."""

    name: str
    algorithm: str | None = None
    least: float | None = None
    below: float | None = None
    is_band: bool = False


def parts(choices: Choices) -> Iterator[Part]:
    """Yield each algorithm's whole, then its bands; or candidate thresholds, strictest first."""
    if choices.choose_threshold:
        for score in choices.candidates:
            yield Part(candidate(score), least=score)
        return
    bands = choices.bands
    for algorithm in choices.algorithms or (None,):
        yield Part(algorithm or WHOLE, algorithm, bands[0] if bands else None)
        for i, least in enumerate(bands):
            below = bands[i + 1] if i + 1 < len(bands) else None
            end = "∞" if below is None else as_text(below)
            name = f"[{as_text(least)}, {end})"
            yield Part(f"{algorithm} {name}" if algorithm else name, algorithm, least, below, True)


def candidate(score: float) -> str:
    return f"score ≥ {as_text(score)}"


def as_text(score: float) -> str:
    """The score with all its digits, because two scores may differ in the last one."""
    return repr(score).removesuffix(".0")
