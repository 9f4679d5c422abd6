"""A certificate's numbers for other tools: a flat dict for trackers of experiments, and a frame."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from typing import Any

from matchbound.errors import EngineError
from matchbound.theorems import WHOLE, Guarantee, Tally, Threshold


def metrics_of(
    guarantees: Sequence[Guarantee],
    odds: tuple[float, float],
    tally: Tally,
    threshold: Threshold | None,
) -> dict[str, float]:
    """The numbers by names of letters, digits, `_`, `.` and `-`; docs/gate.md lists them.

    `odds` are δ, and the probability with which all guarantees hold; where that is 0, nothing is
    called a bound. A chosen threshold is a number of its own and in no name, so that a release
    keeps its names when it gets another one.
    """
    numbers: dict[str, float] = {}
    delta, probability = odds
    suffixes = _suffixes(g.part for g in guarantees if threshold is None)
    for g in guarantees if probability else ():
        metric, suffix = g.metric.replace("-", "_"), suffixes.get(g.part, "")
        numbers[f"{metric}_{g.side}{suffix}"] = g.value
        if g.estimate is not None:
            numbers[f"{metric}_estimate{suffix}"] = g.estimate
    if threshold is not None and threshold.chosen is not None:
        numbers["threshold"] = threshold.chosen
    sizes = {"labels": len(tally.validation), "train": len(tally.train), "size": tally.size}
    numbers |= {"delta": delta, "probability": probability} | sizes
    return {name: float(number) for name, number in numbers.items()}


def _suffixes(parts: Iterable[str]) -> dict[str, str]:
    """What names of numbers end with, by part: `_0.5_0.9` for the band [0.5, 0.9)."""
    suffixes = {WHOLE: ""}
    for part in parts:
        plain = re.sub(r"[^0-9A-Za-z.-]+", "_", part.replace("∞", "inf")).strip("_") or "part"
        several = 1
        while part not in suffixes:
            suffix = f"_{plain}" if several == 1 else f"_{plain}_{several}"
            if suffix not in suffixes.values():
                suffixes[part] = suffix
            several += 1
    return suffixes


def frame_of(guarantees: Sequence[Guarantee], probability: float) -> Any:
    """A pandas frame with a row a guarantee."""
    try:
        import pandas
    except ImportError:
        raise EngineError(
            "to_frame needs pandas, which is not there. Run: pip install pandas."
        ) from None
    names = [field.name for field in fields(Guarantee)]
    frame = pandas.DataFrame([astuple(g) for g in guarantees], columns=names)
    frame["probability"] = probability
    types = {"value": float, "estimate": float, "among": "Int64", "probability": float}
    return frame.astype(types)
