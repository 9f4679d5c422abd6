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
from matchbound.engine import connect, keep, query
from matchbound.errors import InputError
from matchbound.files import digest_of_file, find_file, read_json, read_text, write_whole
from matchbound.forms import Clusters, recognise
from matchbound.ledger import append
from matchbound.matching import Matching
from matchbound.sources import open_source
from matchbound.standing import matcher
from matchbound.tables import first_threshold, id_column, read_ids, read_matches

if TYPE_CHECKING:
    from os import PathLike

    from duckdb import DuckDBPyConnection

Progress = Callable[[str], None]
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

    def save(self, folder: "str | PathLike[str]", *, force: bool = False) -> None:
        """Write draw.json, sample.csv and gap.csv, and enter the draw into the ledger."""
        place = Path(folder)
        if (place / "labels.csv").exists():
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
        if not (before.choices.is_anytime and self._begins_with(before)):
            raise InputError(
                f"extend must continue an anytime draw with its seed and choices, got another in "
                f"{str(place)!r}. Draw afresh into another folder."
            )
        self._write(place, force=True)
        append(place, "draw", **self._facts(), extends=before.as_dict()["digest"])

    def _begins_with(self, before: "Draw") -> bool:
        def order(draw: Draw) -> list[str]:
            drawn = [(place, node) for node, _, place in draw.sample if place is not None]
            return [node for _, node in sorted(drawn)]

        kept = ("population", "seed", "train", "choices", "matching")
        same = all(self.as_dict()[name] == before.as_dict()[name] for name in kept)
        return same and order(self)[: before.labels] == order(before)

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
        return _csv(["id", "train", "validation"], self.sample)

    def _gap_csv(self) -> str:
        return _csv(["id"], [(node,) for node in self.gap])

    def __str__(self) -> str:
        both = self.labels + self.train - len(self.sample)
        until = "".join(f", until {k} of them count for {m}" for m, k in self.choices.until.items())
        gap = f" Compare the matchers on {len(self.gap)} nodes in gap.csv." if self.gap else ""
        return (
            f"{len(self.sample)} nodes to label out of {self.population['size']}: "
            f"{self.labels} to validate on{until}, {self.train} to train on, {both} of them in "
            f"both.{gap}"
        )


def draw(
    population: Any,
    *,
    labels: int | None = None,
    train: int = 0,
    seed: str | None = None,
    id: str | None = None,
    holdout: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    anytime: bool = False,
    allowance: float | None = None,
    dedupe: bool = False,
    link: bool = False,
    source: str | None = None,
    memory: str | None = None,
    progress: Progress = lambda _: None,
    **choices: Any,
) -> Draw:
    """Draw `labels` nodes to validate on and `train` to train on, independently of each other.

    Each is the beginning of an order of all nodes by a keyed SHA-256 of the id, so that a larger
    draw with the same seed begins with the smaller. A node may be in both and is labelled once.
    `dedupe` says that the population is matched with itself, `link` that with another table, whose
    ids may be the same; `source` names the population where matches carry sources. `holdout`, with
    its threshold and columns, puts a holdout matcher on record. The other arguments are `Choices`.
    """
    matching = Matching(dedupe, link, source)
    fixed = chosen(choices, anytime, allowance)
    seed = secrets.token_hex(16) if seed is None else _check_seed(seed)
    with connect(memory) as con:
        progress("reading the population")
        table = open_source(con, "population", population)
        size = read_ids(con, table, "population", id_column(table, id), origin=source)
        train = _check_count("train", train, 0, size)
        _check_count("gap", fixed.gap, 0, size)
        registered = _register(con, holdout, threshold, columns, fixed, matching)
        progress("drawing")
        trained = _first(con, seed, "train", train)
        validated = _validated(con, seed, labels, size, trained, fixed)
        compared = _first(con, seed, "gap", fixed.gap)
    depends = fixed.among or fixed.counted == "precision"
    return Draw(
        table.as_dict(size=size, id=id),
        seed,
        len(validated),
        train,
        fixed,
        join_orders(trained, validated),
        matching,
        tuple(compared),
        registered[0] if depends else None,
        registered,
    )


def chosen(
    choices: Mapping[str, Any], anytime: bool = False, allowance: float | None = None
) -> Choices:
    """Choices by name, with those that follow from others."""
    if anytime:
        if choices.get("bound", "auto") not in ("auto", "anytime"):
            raise InputError(
                f"bound must be left out with anytime, got {choices['bound']!r}. Drop one of them."
            )
        choices = {**choices, "bound": "anytime"}
    wanted = choices.get("choose_threshold")
    if allowance is not None:
        choices = {**choices, "allowance": allowance}
    elif "allowance" not in choices and isinstance(wanted, Mapping) and wanted.get("precision"):
        choices = {**choices, "allowance": round((1 - wanted["precision"]) / 10, 6)}
    return Choices.from_dict(choices)


def _register(
    con: "DuckDBPyConnection",
    holdout: Any,
    threshold: float | None,
    columns: Mapping[str, str] | None,
    choices: Choices,
    matching: Matching,
) -> tuple[Mapping[str, Any], ...]:
    """What goes on record; the table `matched` has the nodes with a match, if the draw needs it."""
    if holdout is None:
        if choices.among or choices.counted == "precision":
            raise InputError(
                "holdout must be given where the draw counts or takes its matches, got None. "
                "Give the holdout matcher's output."
            )
        return ()
    found = []
    for name, given in named(holdout, choices, "holdout").items():
        source = open_source(con, "holdout", given)
        form = recognise(source, columns or {})
        least = first_threshold(choices, threshold, [form])
        if choices.among or choices.counted == "precision":
            read_matches(con, source, "holdout", form, matching, least)
            keep_matched(con, isinstance(form, Clusters), matching.dedupe)
        facts = source.as_dict(threshold=least, columns=dict(columns or {}))
        found.append(matcher(name, facts))
    return tuple(found)


def _validated(
    con: "DuckDBPyConnection",
    seed: str,
    labels: int | None,
    size: int,
    trained: Sequence[str],
    choices: Choices,
) -> list[str]:
    if choices.counted == "precision":
        if labels is not None:
            raise InputError(
                f"labels must be left out with until precision, got {labels}: the holdout matcher "
                "tells how many it takes. Drop it."
            )
        con.execute("create or replace temp table trained (id string)").fetchall()
        con.executemany("insert into trained values (?)", [[x] for x in trained] or [[None]])
        wanted = choices.until["precision"]
        key = key_of("validation", seed)
        return [node for (node,) in query(con, "draw_until", key=key, count=wanted)]
    if choices.among:
        ((matched,),) = con.execute("select count(*) from matched").fetchall()
        labels = _check_count("labels", labels, 1, matched, "the number of matched nodes")
        return _first(con, seed, "validation", labels, "matched")
    labels = _check_count("labels", labels, 1, size)
    return _first(con, seed, "validation", labels)


def named(given: Any, choices: Choices, argument: str) -> dict[str, Any]:
    """A matcher's output, or those of several algorithms by the names that the draw fixed."""
    if not choices.algorithms:
        if isinstance(given, Mapping):
            raise InputError(
                f"{argument} must be one table, because no algorithms were named at the draw, got "
                f"{', '.join(map(str, given))}. Give one, or draw with --algorithm."
            )
        return {"": given}
    if not isinstance(given, Mapping) or set(given) != set(choices.algorithms):
        got = ", ".join(map(str, given)) if isinstance(given, Mapping) else "one table"
        raise InputError(
            f"{argument} must be given for each of {', '.join(choices.algorithms)}, got {got}. "
            "Give name=FILE for each."
        )
    return {name: given[name] for name in choices.algorithms}


def keep_matched(con: "DuckDBPyConnection", is_clusters: bool, dedupe: bool) -> None:
    """The nodes that the holdout matcher matched, as the table `matched`."""
    form, itself = "clusters" if is_clusters else "pairs", 1 if dedupe else 0
    keep(con, "counted", f"count_{form}", a="holdout", itself=itself)
    con.execute(
        "create or replace temp table matched as "
        "select x as id from counted where n > 0 and x in (select id from population)"
    ).fetchall()


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


def _check_count(
    argument: str, count: Any, least: int, size: int, what: str = "the population's size"
) -> int:
    try:
        number = -1 if isinstance(count, bool) else operator.index(count)
    except TypeError:
        number = -1
    if not least <= number <= size:
        raise InputError(
            f"{argument} must be a whole number from {least} to {what}, {size}; "
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


def _first(
    con: "DuckDBPyConnection", seed: str, label: str, count: int, table: str = "population"
) -> list[str]:
    key = key_of(label, seed)
    return [node for (node,) in query(con, "draw", key=key, count=count, table=table)]


def _csv(header: list[str], rows: Sequence[Sequence[Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    if any("\r" in row[0] for row in rows):  # csv would leave these bare
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    writer.writerows(rows)
    return file.getvalue()


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
