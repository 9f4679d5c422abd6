"""The certificate: guarantees, the tallies they follow from, and what was assumed."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.certificates.words import advise, describe, short, why_not_whole
from matchbound.errors import InputError
from matchbound.files import read_json, read_text, write_whole
from matchbound.tables import Digest
from matchbound.theorems import (
    WHOLE,
    Choices,
    Guarantee,
    Tally,
    Threshold,
    choose_threshold,
    guarantees,
    parts,
)

if TYPE_CHECKING:
    from os import PathLike

VERSION = 1
INPUTS = ("population", "draw", "labels", "trained_on", "holdout", "complete")
SHORT = 16  # of a part's digest; the whole certificate's is in full


@dataclass(frozen=True)
class Certificate:
    """What holds, with which probability, and everything needed to compute it again."""

    guarantees: tuple[Guarantee, ...]
    choices: Choices
    tallies: Mapping[str, Tally]
    inputs: Mapping[str, Any]
    assumptions: tuple[str, ...]
    advice: tuple[str, ...]
    threshold: Threshold | None = None
    exploratory: tuple[str, ...] = ()
    ledger: Mapping[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """As it stands in certificate.json, digests included."""
        body: dict[str, Any] = {
            "matchbound": VERSION,
            "guarantees": [asdict(guarantee) for guarantee in self.guarantees],
            "choices": self.choices.as_dict(),
            "assumptions": list(self.assumptions),
            "advice": list(self.advice),
            "inputs": dict(self.inputs),
            "exploratory": list(self.exploratory),
            "threshold": _as_chosen(self.threshold),
            "ledger": None if self.ledger is None else dict(self.ledger),
            "tallies": {part: tally.as_dict() for part, tally in self.tallies.items()},
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

    def value(self, metric: str, part: str | None = None) -> float:
        """The guaranteed value of a metric; of several algorithms, the worst of theirs.

        `part` names a band, or an algorithm.
        """
        bands = {each.name for each in parts(self.choices) if each.is_band}
        found = [
            g.value
            for g in self.guarantees
            if g.metric == metric and (g.part == part if part else g.part not in bands)
        ]
        if not found:
            said = (
                g.metric if g.part == WHOLE else f"{g.metric} of {g.part}" for g in self.guarantees
            )
            known = list(dict.fromkeys(said)) or ["nothing"]
            raise InputError(
                f"metric must be one that was certified, got {metric!r}"
                f"{f' of {part!r}' if part else ''}. Choose among {', '.join(known)}."
            )
        return max(found) if metric == "error-rate" else min(found)

    def meets(self, metric: str, target: float, part: str | None = None) -> bool:
        """Whether a target is certified at 1 − δ.

        Nothing is by an exploratory certificate, by a draw with a seed that the user gave, nor
        where other matchers or draws make the probability smaller than 1 − δ.
        """
        if metric not in self.choices.metrics:
            self.value(metric)  # refused
        if not self.guarantees or why_not_whole(self):
            return False
        value = self.value(metric, part)
        return value <= target if metric == "error-rate" else value >= target

    def __str__(self) -> str:
        return describe(self)

    def _repr_html_(self) -> str:
        return short(self)


def issue(
    tallies: Mapping[str, Tally],
    choices: Choices,
    *,
    complete: bool,
    inputs: Mapping[str, Any],
    assumptions: tuple[str, ...],
    exploratory: tuple[str, ...] = (),
) -> Certificate:
    """A certificate of what tallies guarantee under choices made before they were known."""
    threshold = None
    if choices.choose_threshold:
        threshold = choose_threshold(tallies, choices, complete=complete)
    return Certificate(
        guarantees(tallies, choices, complete=complete),
        choices,
        tallies,
        inputs,
        assumptions,
        advise(next(iter(tallies.values())), choices),
        threshold,
        exploratory,
    )


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
            if name.partition(" ")[0] not in INPUTS:
                raise TypeError(f"inputs has no {name!r}")
            if not isinstance(source["path"], str | None):
                raise TypeError("inputs must have paths")
            Digest.of(source["digest"])
        if not record["tallies"]:
            raise TypeError("tallies are empty")
        return Certificate(
            tuple(
                Guarantee(**{field.name: each[field.name] for field in fields(Guarantee)})
                for each in record["guarantees"]
            ),
            Choices.from_dict(record["choices"]),
            {part: Tally.from_dict(tally) for part, tally in record["tallies"].items()},
            record["inputs"],
            tuple(record["assumptions"]),
            tuple(record["advice"]),
            _threshold(record["threshold"]),
            tuple(record["exploratory"]),
            _ledger(record["ledger"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            f"certificate must hold what matchbound wrote, got something else ({error}). "
            "Give a certificate.json as it was written."
        ) from None


def _ledger(record: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if record is None:
        return None
    names = ("entries", "draws", "certificates", "other_labels", "matchers", "uncertified")
    numbers = [record[name] for name in (*names, "together")]
    if not all(isinstance(n, int | float) for n in numbers) or not record.keys() >= {"head"}:
        raise TypeError("ledger must hold numbers")
    if not isinstance(record["registered"], int | None):
        raise TypeError("ledger must hold the entry of the registration")
    seeded = record["seeded"]
    if not isinstance(record["grown"], bool) or not isinstance(seeded, dict | None):
        raise TypeError("ledger must hold the entries of matcher, choices and seed")
    if seeded is not None and set(seeded) != {"register", "choices", "draw"}:
        raise TypeError("ledger must hold the entries of matcher, choices and seed")
    return record


def _as_chosen(threshold: Threshold | None) -> dict[str, Any] | None:
    if threshold is None:
        return None
    return {"chosen": threshold.chosen, "passed": list(threshold.passed)}


def _threshold(record: Mapping[str, Any] | None) -> Threshold | None:
    return None if record is None else Threshold(record["chosen"], tuple(record["passed"]))


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
