"""A draw: the nodes to label and everything fixed before their labels are seen, as files."""

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.choices import Choices
from matchbound.engines import ROWS
from matchbound.errors import InputError
from matchbound.files import (
    csv_text,
    digest_of_file,
    find_file,
    is_file,
    read_json,
    read_text,
    write_whole,
)
from matchbound.ledger import NAME, append, sound_ledger
from matchbound.matching import Matching

if TYPE_CHECKING:
    from os import PathLike

PARTS = ("draw.json", "sample.csv", "gap.csv", "labels.csv", "ledger.jsonl")
"""What an audit folder holds that no result may be written over."""
Row = tuple[str, int | None, int | None]
"""A drawn id, and its places (from 1) in D's and in S's own order."""


@dataclass(frozen=True)
class Draw:
    """The nodes to label, and everything that is fixed before their labels are seen.

    `gap` are the nodes of S', on which the matchers are compared if not on all. `holdout` is the
    holdout matcher's output that the draw itself depends on.
    """

    population: Mapping[str, Any]
    seed: str
    labels: int
    train: int
    choices: Choices
    sample: tuple[Row, ...]
    matching: Matching
    gap: tuple[str, ...] = ()
    holdout: Mapping[str, Any] | None = None
    registered: tuple[Mapping[str, Any], ...] = ()

    @property
    def trained(self) -> list[str]:
        """D, in its own order."""
        return [x for _, x in sorted((i, x) for x, i, _ in self.sample if i is not None)]

    @property
    def validated(self) -> list[str]:
        """S, in its own order."""
        return [x for _, x in sorted((i, x) for x, _, i in self.sample if i is not None)]

    def save(self, folder: "str | PathLike[str]", *, force: bool = False) -> None:
        """Write draw.json, sample.csv and gap.csv, and enter the draw into the ledger."""
        place = Path(folder)
        if (place / "labels.csv").exists() or _labels_seen(place):
            raise InputError(
                f"out must not hold labels yet, got {str(place)!r}: a draw comes before them. "
                "Draw into another folder."
            )
        self._write(place, force)
        append(place, "draw", **self._facts())
        for holdout in self.registered:
            append(place, "register", holdout=dict(holdout), validation=0)

    def extend(self, folder: "str | PathLike[str]") -> None:
        """Write a larger draw over a smaller one, labels or not: both are valid at any time."""
        place, before = Path(folder), Draw.load(folder)
        known = [entry["draw"] for entry in sound_ledger(place).of_kind("draw")]
        if self.as_dict() == before.as_dict() and self.as_dict()["digest"] not in known:
            append(place, "draw", **self._facts(), extends=known[-1])  # a crash had left this out
            return
        if self.labels <= before.labels:
            raise InputError(
                f"labels must be more than the {before.labels} that were drawn, got {self.labels}. "
                "Give a larger number."
            )
        if not (before.choices.is_anytime and self._begins_with(before)):
            raise InputError(
                f"extend must continue an anytime draw with its seed and choices, got another in "
                f"{str(place)!r}. Draw afresh into another folder."
            )
        self._write(place, force=True)
        append(place, "draw", **self._facts(), extends=before.as_dict()["digest"])

    def _begins_with(self, before: "Draw") -> bool:
        kept = ("seed", "train", "choices", "matching")
        same = all(self.as_dict()[name] == before.as_dict()[name] for name in kept)
        for name in ("digest", "size", "id"):
            same = same and self.population[name] == before.population[name]
        return same and self.validated[: before.labels] == before.validated

    def _facts(self) -> dict[str, Any]:
        digest = self.as_dict()["digest"]
        return {"draw": digest, "seed": self.seed, "labels": self.labels, "train": self.train}

    def _write(self, place: Path, force: bool) -> None:
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        files = {place / "sample.csv": self._sample_csv(), place / "draw.json": text}
        if self.gap:
            files[place / "gap.csv"] = self._gap_csv()
        write_whole(files, force=force)

    def as_dict(self) -> dict[str, Any]:
        """As it stands in draw.json; the digest tells an edit."""
        record = {
            "population": dict(self.population),
            "seed": self.seed,
            "labels": self.labels,
            "train": self.train,
            "choices": self.choices.as_dict(),
            "matching": self.matching.as_dict(),
            "holdout": None if self.holdout is None else dict(self.holdout),
            "sample_digest": _digest(self._sample_csv()),
            "gap_digest": _digest(self._gap_csv()),
        }
        return record | {"digest": _digest(json.dumps(record, sort_keys=True))}

    @staticmethod
    def load(folder: "str | PathLike[str]") -> "Draw":
        """Read a draw back; the sample must be as it was drawn."""
        place = Path(folder)
        way_out = "Give the folder that `matchbound draw --out` wrote."
        text = read_text(place / "draw.json", "audit", way_out)
        sample = _read_sample(place / "sample.csv", way_out)
        try:
            record = read_json(text)
            choices = Choices.from_dict(record["choices"])
            draw = Draw(
                {name: record["population"][name] for name in ("path", "digest", "size", "id")},
                record["seed"],
                record["labels"],
                record["train"],
                choices,
                sample,
                Matching(**record["matching"]),
                _read_gap(place / "gap.csv", way_out) if choices.gap else (),
                record["holdout"],
            )
            changed = draw.as_dict() != record
            for name in ("path", "id"):
                if not isinstance(draw.population[name], str | None):
                    raise TypeError(f"population has no such {name}")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f"audit must hold a draw.json as drawn, got one that cannot be read ({error}). "
                "Draw again with the same seed, into another folder."
            ) from None
        if changed:
            raise InputError(
                "audit must hold draw.json and sample.csv as drawn, got them changed in "
                f"{str(place)!r}. Draw again with --seed {draw.seed}, into another folder."
            )
        return draw

    def _sample_csv(self) -> str:
        return csv_text(["id", "train", "validation"], self.sample)

    def _gap_csv(self) -> str:
        return csv_text(["id"], [(node,) for node in self.gap])

    def __str__(self) -> str:
        both = self.labels + self.train - len(self.sample)
        until = "".join(f", until {k} of them count for {m}" for m, k in self.choices.until.items())
        gap = f" Compare the matchers on {len(self.gap)} nodes in gap.csv." if self.gap else ""
        return (
            f"{len(self.sample)} nodes to label out of {self.population['size']}: "
            f"{self.labels} to validate on{until}, {self.train} to train on, {both} of them in "
            f"both.{gap}"
        )


def _labels_seen(folder: Path) -> bool:
    """Whether the ledger knows of validation labels, wherever they are, or of a certificate."""
    if not is_file(folder / NAME):
        return False
    ledger = sound_ledger(folder)
    told = [entry["validation"] for entry in ledger.of_kind("labels")]
    return any(told) or bool(ledger.of_kind("certificate"))


def population_of(draw: Draw, audit: Any, given: Any = None) -> Any:
    """Where it is now: as given, as recorded, or beside the audit folder."""
    recorded = draw.population["path"]
    if given is not None:
        return given
    if recorded is None:
        raise InputError(
            "population must be given again, because it was drawn from a table in memory, got "
            "None. Certify from Python with the same table, or draw from a file."
        )
    if isinstance(audit, Draw) or draw.population["digest"].startswith(ROWS):
        return recorded
    found = find_file(recorded, Path(audit))
    if not found:
        raise InputError(
            f"population must be where it was drawn from, got {recorded!r} (no such file). "
            "Say where it is now with --population."
        )
    fitting = [place for place in found if digest_of_file(place) == draw.population["digest"]]
    return (fitting or found)[0]


def join_orders(trained: Sequence[str], validated: Sequence[str]) -> tuple[Row, ...]:
    """S in its order, then the rest of D in its own."""
    in_train = {node: place for place, node in enumerate(trained, start=1)}
    in_validation = {node: place for place, node in enumerate(validated, start=1)}
    nodes = [*validated, *(node for node in trained if node not in in_validation)]
    return tuple((node, in_train.get(node), in_validation.get(node)) for node in nodes)


def _read_gap(path: Path, way_out: str) -> tuple[str, ...]:
    text = read_text(path, "audit", way_out)
    return tuple(node for (node,) in list(csv.reader(io.StringIO(text, newline="")))[1:])


def _read_sample(path: Path, way_out: str) -> tuple[Row, ...]:
    text = read_text(path, "audit", way_out)
    try:
        return tuple(
            (node, int(train) if train else None, int(validation) if validation else None)
            for node, train, validation in list(csv.reader(io.StringIO(text, newline="")))[1:]
        )
    except (ValueError, csv.Error):
        raise InputError(
            "audit must hold draw.json and sample.csv as drawn, got them changed in "
            f"{str(path.parent)!r}. Draw again with the same seed, into another folder."
        ) from None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
