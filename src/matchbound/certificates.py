"""The certificate: guarantees, the tallies they follow from, and what was assumed."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.choices import Choices
from matchbound.errors import InputError
from matchbound.files import read_json, read_text, write_whole
from matchbound.tallies import Tally
from matchbound.theorems import Guarantee, guarantees

if TYPE_CHECKING:
    from os import PathLike

VERSION = 1
INPUTS = ("population", "draw", "labels", "trained_on", "holdout", "complete")
SHORT = 16  # of a part's digest; the whole certificate's is in full
ENOUGH = 30  # sampled nodes with a true match


@dataclass(frozen=True)
class Certificate:
    """What holds, with which probability, and everything needed to compute it again."""

    guarantees: tuple[Guarantee, ...]
    choices: Choices
    tallies: Tally
    inputs: Mapping[str, Any]
    assumptions: tuple[str, ...]
    advice: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As it stands in certificate.json, digests included."""
        body: dict[str, Any] = {
            "matchbound": VERSION,
            "guarantees": [asdict(guarantee) for guarantee in self.guarantees],
            "choices": self.choices.as_dict(),
            "assumptions": list(self.assumptions),
            "advice": list(self.advice),
            "inputs": dict(self.inputs),
            "tallies": self.tallies.as_dict(),
        }
        body["digests"] = {place: digest_of(leaf)[:SHORT] for place, leaf in leaves(body)}
        return body | {"digest": digest_of(body)}

    def to_json(self) -> str:
        """One line a list of numbers, so that a person can read the file."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False)
        return _numbers_in_line(text) + "\n"

    def save(self, path: "str | PathLike[str]", *, force: bool = False) -> None:
        write_whole({Path(path): self.to_json()}, force=force)

    @staticmethod
    def load(path: "str | PathLike[str]") -> "Certificate":
        return from_record(read_record(Path(path)))

    def value(self, metric: str) -> float:
        """The guaranteed value of a metric."""
        for guarantee in self.guarantees:
            if guarantee.metric == metric:
                return guarantee.value
        raise InputError(
            f"metric must be one that was certified, got {metric!r}. "
            f"Choose among {', '.join(self.choices.metrics)}."
        )

    def meets(self, metric: str, target: float) -> bool:
        value = self.value(metric)
        return value <= target if metric == "error-rate" else value >= target

    def __str__(self) -> str:
        return describe(self)


def issue(
    tally: Tally,
    choices: Choices,
    *,
    complete: bool,
    inputs: Mapping[str, Any],
    assumptions: tuple[str, ...],
) -> Certificate:
    """A certificate of what a tally guarantees under choices made before it was known."""
    found = guarantees(tally, choices, complete=complete)
    return Certificate(found, choices, tally, inputs, assumptions, advise(tally, choices))


def advise(tally: Tally, choices: Choices) -> tuple[str, ...]:
    """How many nodes it takes for enough true matches; not to be added to these labels."""
    used = tally.fresh if choices.theorem == "sharp" else tally.validation
    matched = sum(bool(t) for _, t, _ in used)
    if not 0 < matched < ENOUGH:
        return ()
    more = math.ceil(len(used) * (ENOUGH - matched) / matched)
    more = min(more, tally.size - len(tally.validation))
    return (
        f"Only {matched} validation nodes have a true match, so the bounds are loose: draw about "
        f"{more} more nodes for {ENOUGH}, in a fresh draw (a sample must not grow after its labels "
        "were seen).",
    )


def describe(certificate: Certificate) -> str:
    """For a terminal: bounds rounded outwards to four decimals."""
    choices, tally = certificate.choices, certificate.tallies
    sure = (100 * (1 - Decimal(repr(choices.delta)))).normalize()
    lines = [f"With probability at least {sure:f}%, all together:"]
    for g in certificate.guarantees:
        sign, rounded = ("≥", math.floor) if g.side == "lower" else ("≤", math.ceil)
        shown = rounded(round(g.value * 1e4, 6)) / 1e4
        lines.append(
            f"  {g.metric:10} of the {g.algorithm} matcher {sign} {shown:.4f}"
            f"   (holdout's sample mean {g.estimate:.4f}; {g.theorem}, {g.bound})"
        )
    both = f", {len(tally.overlap)} of them in both" if tally.overlap else ""
    lines.append(
        f"Labelled: {len(tally.validation)} nodes to validate on and {len(tally.train)} "
        f"to train on{both}, out of {tally.size}."
    )
    lines += ["Assumed:", *(f"  - {assumption}" for assumption in certificate.assumptions)]
    lines += certificate.advice
    return "\n".join(lines)


def read_record(path: Path) -> dict[str, Any]:
    """certificate.json as plain values."""
    text = read_text(path, "certificate", "Give a certificate.json that matchbound wrote.")
    try:
        record = read_json(text)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or "matchbound" not in record:
        raise InputError(
            f"certificate must be one that matchbound wrote, got {str(path)!r}. "
            "Give a certificate.json as it was written."
        )
    return record


def from_record(record: Mapping[str, Any]) -> Certificate:
    if record["matchbound"] != VERSION:
        raise InputError(
            f"certificate must be of version {VERSION}, got {record['matchbound']!r}. "
            "Use the matchbound that wrote it."
        )
    try:
        for name, source in record["inputs"].items():
            if name not in INPUTS:
                raise TypeError(f"inputs has no {name!r}")
            if not isinstance(source["path"], str | None) or not isinstance(source["digest"], str):
                raise TypeError("inputs must have paths and digests")
        return Certificate(
            tuple(
                Guarantee(**{field.name: each[field.name] for field in fields(Guarantee)})
                for each in record["guarantees"]
            ),
            Choices.from_dict(record["choices"]),
            Tally.from_dict(record["tallies"]),
            record["inputs"],
            tuple(record["assumptions"]),
            tuple(record["advice"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            f"certificate must hold what matchbound wrote, got something else ({error}). "
            "Give a certificate.json as it was written."
        ) from None


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Each scalar and each list of numbers, with its place: `guarantees[0].value`."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list) and value and isinstance(value[0], dict | str):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{place}[{i}]")
    else:
        yield place, value


def digest_of(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _numbers_in_line(text: str) -> str:
    """`[\\n 1,\\n 2\\n]` as `[1, 2]`, and several such lists to a line."""
    import re

    inner = re.compile(r"\[\s+((?:-?[\d.e+-]+|null)(?:,\s+(?:-?[\d.e+-]+|null))*)\s+\]")
    text = inner.sub(lambda m: "[" + re.sub(r",\s+", ", ", m[1]) + "]", text)
    return re.sub(r"(\]),\n\s+(?=\[)", r"\1, ", text)
