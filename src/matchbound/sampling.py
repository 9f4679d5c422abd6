"""From a population to the nodes to label: D to train on and S to validate on."""

import csv
import hashlib
import io
import json
import operator
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.choices import Choices
from matchbound.engine import connect, query
from matchbound.errors import InputError
from matchbound.files import digest_of_file, find_file, read_json, read_text, write_whole
from matchbound.matching import Matching
from matchbound.sources import open_source
from matchbound.tables import id_column, read_ids

if TYPE_CHECKING:
    from os import PathLike

    from duckdb import DuckDBPyConnection

Progress = Callable[[str], None]
Row = tuple[str, int | None, int | None]
"""A drawn id, and its places (from 1) in D's and in S's own order."""


@dataclass(frozen=True)
class Draw:
    """The nodes to label, and everything that is fixed before their labels are seen."""

    population: Mapping[str, Any]
    seed: str
    labels: int
    train: int
    choices: Choices
    sample: tuple[Row, ...]
    matching: Matching

    def save(self, folder: "str | PathLike[str]", *, force: bool = False) -> None:
        """Write draw.json and sample.csv."""
        place, sample = Path(folder), self._sample_csv()
        if (place / "labels.csv").exists():
            raise InputError(
                f"out must not hold labels yet, got {str(place)!r}: a draw comes before them. "
                "Draw into another folder."
            )
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        write_whole({place / "sample.csv": sample, place / "draw.json": text}, force=force)

    def as_dict(self) -> dict[str, Any]:
        """As it stands in draw.json; the digest tells an edit."""
        record = {
            "population": dict(self.population),
            "seed": self.seed,
            "labels": self.labels,
            "train": self.train,
            "choices": self.choices.as_dict(),
            "matching": self.matching.as_dict(),
            "sample_digest": _digest(self._sample_csv()),
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
            draw = Draw(
                {name: record["population"][name] for name in ("path", "digest", "size", "id")},
                record["seed"],
                record["labels"],
                record["train"],
                Choices.from_dict(record["choices"]),
                sample,
                Matching(**record["matching"]),
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
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        if any("\r" in node for node, _, _ in self.sample):  # csv would leave these bare
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(["id", "train", "validation"])
        writer.writerows(self.sample)
        return file.getvalue()

    def __str__(self) -> str:
        both = self.labels + self.train - len(self.sample)
        return (
            f"{len(self.sample)} nodes to label out of {self.population['size']}: "
            f"{self.labels} to validate on, {self.train} to train on, {both} of them in both."
        )


def draw(
    population: Any,
    *,
    labels: int,
    train: int = 0,
    seed: str | None = None,
    id: str | None = None,
    delta: float = 0.05,
    metrics: Sequence[str] = ("precision", "recall"),
    theorem: str = "sharp",
    bound: str = "auto",
    one_to_one: bool = False,
    guesses: Mapping[str, float] | None = None,
    dedupe: bool = False,
    link: bool = False,
    source: str | None = None,
    memory: str | None = None,
    progress: Progress = lambda _: None,
) -> Draw:
    """Draw `labels` nodes to validate on and `train` to train on, independently of each other.

    Each is the beginning of an order of all nodes by a keyed SHA-256 of the id, so that a larger
    draw with the same seed begins with the smaller. A node may be in both and is labelled once.
    `dedupe` says that the population is matched with itself, `link` that with another table, whose
    ids may be the same; `source` names the population where matches carry sources.
    """
    matching = Matching(dedupe, link, source)
    choices = Choices(delta, metrics, theorem, bound, one_to_one, guesses=guesses or {})
    seed = secrets.token_hex(16) if seed is None else _check_seed(seed)
    with connect(memory) as con:
        progress("reading the population")
        table = open_source(con, "population", population)
        size = read_ids(con, table, "population", id_column(table, id), origin=source)
        labels, train = (
            _check_count("labels", labels, 1, size),
            _check_count("train", train, 0, size),
        )
        progress("drawing")
        trained = _first(con, seed, "train", train)
        validated = _first(con, seed, "validation", labels)
    where = table.as_dict(size=size, id=id)
    return Draw(where, seed, labels, train, choices, join_orders(trained, validated), matching)


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
    if isinstance(audit, Draw):
        return recorded
    found = find_file(recorded, Path(audit))
    if not found:
        raise InputError(
            f"population must be where it was drawn from, got {recorded!r} (no such file). "
            "Say where it is now with --population."
        )
    fitting = [place for place in found if digest_of_file(place) == draw.population["digest"]]
    return (fitting or found)[0]


def _check_seed(seed: str) -> str:
    try:
        seed.encode()
    except (UnicodeEncodeError, AttributeError):
        raise InputError(f"seed must be text, got {seed!r}. Give letters and digits.") from None
    return seed


def _check_count(argument: str, count: int, least: int, size: int) -> int:
    try:
        number = -1 if isinstance(count, bool) else operator.index(count)
    except TypeError:
        number = -1
    if not least <= number <= size:
        raise InputError(
            f"{argument} must be a whole number from {least} to the population's size, {size}; "
            f"got {count!r}. Choose one in that range."
        )
    return number


def join_orders(trained: Sequence[str], validated: Sequence[str]) -> tuple[Row, ...]:
    """S in its order, then the rest of D in its own."""
    in_train = {node: place for place, node in enumerate(trained, start=1)}
    in_validation = {node: place for place, node in enumerate(validated, start=1)}
    nodes = [*validated, *(node for node in trained if node not in in_validation)]
    return tuple((node, in_train.get(node), in_validation.get(node)) for node in nodes)


def key_of(label: str, seed: str) -> str:
    """A key of fixed length for each use of a seed."""
    return hashlib.sha256(f"matchbound 1 {label} {seed}".encode()).hexdigest()


def hash_of(key: str, node: str) -> str:
    """What draw.sql orders by."""
    return hashlib.sha256(f"{key}{node}".encode()).hexdigest()


def _first(con: "DuckDBPyConnection", seed: str, label: str, count: int) -> list[str]:
    return [node for (node,) in query(con, "draw", key=key_of(label, seed), count=count)]


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
