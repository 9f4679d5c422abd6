"""The tables that draws and certificates are made from, as their records name them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from matchbound.audits.places import find, named, recorded
from matchbound.errors import InputError
from matchbound.files import digest_of_file
from matchbound.tables import Digest, Matching, Output, Reading, Recorded

ROLES = ("holdout", "complete")


@dataclass(frozen=True)
class TableRef:
    """A table on record: where it was read from, None if from memory, and which rows it has."""

    path: str | None
    digest: Digest

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | None):
            raise TypeError("inputs must have paths")

    def now(self, folder: Path) -> str | None:
        """Where its file is now, if it is of one; `folder` is the audit's."""
        if self.path is None:
            return None
        return str(next(iter(find(self.path, folder)), self.path))

    def found_again(self, argument: str, folder: Path | None, way_out: str) -> str | Path:
        """Where it is now, if it was drawn from; of several files the one with its bytes."""
        if self.path is None:
            raise InputError(
                f"{argument} must be given again, because it was drawn from a table in memory, got "
                "None. Certify from Python with the same table, or draw from a file."
            )
        if folder is None:
            return self.path
        if self.digest.bytes is None:
            return next(iter(named(folder, self.path)), self.path)
        paths = find(self.path, folder)
        if not paths:
            raise InputError(
                f"{argument} must be where it was drawn from, got {self.path!r} (no such file). "
                f"{way_out}"
            )
        fitting = [path for path in paths if digest_of_file(path) == self.digest.bytes]
        return (fitting or paths)[0]

    def as_dict(self) -> dict[str, Any]:
        """As draw.json and certificate.json have it."""
        return asdict(self)

    def on_record(self, salted: Callable[[Digest], Digest] | None, folder: Path | None) -> Self:
        """As it stands on record in a folder; `salted` is for digests of labels."""
        digest = self.digest if salted is None else salted(self.digest)
        return replace(self, path=recorded(self.path, folder), digest=digest)

    @staticmethod
    def of(record: Any) -> "TableRef":
        """From JSON; raise TypeError or KeyError if it is not what `as_dict` returns."""
        return TableRef(record["path"], Digest.of(record["digest"]))


@dataclass(frozen=True)
class Population(TableRef):
    """A population on record: its size, and its ids' column if the user named one.

    `matching` is there where no draw has it: for labels that a person brings along.
    """

    size: int
    id: str | None
    matching: Matching | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.id, str | None):
            raise TypeError("population has no such id")

    def as_dict(self) -> dict[str, Any]:
        record = asdict(self)
        del record["matching"]
        return record if self.matching is None else record | self.matching.as_dict()

    @staticmethod
    def of(record: Any) -> "Population":
        matching = None
        if "dedupe" in record:
            matching = Matching(record["dedupe"], record["link"], record["source"])
        digest = Digest.of(record["digest"])
        return Population(record["path"], digest, record["size"], record["id"], matching)


@dataclass(frozen=True)
class Within(TableRef):
    """A part of the population on record: a table of its nodes' ids, and how many they are."""

    size: int

    @property
    def name(self) -> str:
        """What sentences call it."""
        return recorded(self.path, None) or "a table"

    @property
    def fixed(self) -> dict[str, object]:
        """What the ledger has of it before the seed is made."""
        return {"digest": self.digest.as_dict(), "size": self.size}

    def found(self, folder: Path | None) -> str | Path:
        """Where it is now: as recorded, or beside the audit folder."""
        return self.found_again("within", folder, "Put it beside the audit folder.")

    @staticmethod
    def of(record: Any) -> "Within":
        if type(record["size"]) is not int:
            raise TypeError("a part must have a size")
        return Within(record["path"], Digest.of(record["digest"]), record["size"])

    @staticmethod
    def if_any(record: Any) -> "Within | None":
        """From JSON, where null says that there is no part."""
        return None if record is None else Within.of(record)


@dataclass(frozen=True)
class DrawRef(TableRef):
    """A draw that was certified from: its draw.json, and whether the user gave its seed."""

    seed_given: bool

    @staticmethod
    def of(record: Any) -> "DrawRef":
        return DrawRef(record["path"], Digest.of(record["digest"]), record["seed_given"])


COHORT = "cohort "


@dataclass(frozen=True)
class CohortRef(TableRef):
    """The certificate of a later draw, whose tally is part of another one's."""

    name: str

    def as_dict(self) -> dict[str, object]:
        return {"path": self.path, "digest": self.digest.as_dict()}

    @staticmethod
    def of_input(name: str, record: Any) -> "CohortRef":
        """From JSON: a certificate's input and its name."""
        digest = Digest.of(record["digest"])
        return CohortRef(record["path"], digest, name.removeprefix(COHORT))


@dataclass(frozen=True)
class LabelsRef(TableRef):
    """Labels, and a digest of each drawn node's own, which is never written as it is."""

    nodes: Sequence[str] = field(default=(), compare=False, repr=False)

    def as_dict(self) -> dict[str, object]:
        return {"path": self.path, "digest": self.digest.as_dict()}

    def on_record(self, salted: Callable[[Digest], Digest] | None, folder: Path | None) -> Self:
        return replace(super().on_record(salted, folder), nodes=())

    @staticmethod
    def of(record: Any) -> "LabelsRef":
        return LabelsRef(record["path"], Digest.of(record["digest"]))


@dataclass(frozen=True)
class OutputRef(TableRef):
    """A matcher's output that was certified: how it was read, and how many rows were.

    `left_out` is how many of its matches are of nodes outside the part that was certified.
    """

    role: str
    algorithm: str
    reading: Reading
    rows: int
    left_out: int

    @property
    def name(self) -> str:
        """As certificate.json names it: `holdout`, or `complete net` of several."""
        return f"{self.role} {self.algorithm}".strip()

    @property
    def recorded(self) -> Recorded:
        return Recorded(self.algorithm, self.digest, self.reading)

    def as_dict(self) -> dict[str, Any]:
        record = self.recorded.as_dict()
        del record["name"]
        return {"path": self.path, **record, "rows": self.rows, "left_out": self.left_out}

    @staticmethod
    def of_output(output: Output, rows: int, left_out: int) -> "OutputRef":
        """For an output of which `rows` rows were read."""
        path, reading, counts = output.source.path, output.reading, (rows, left_out)
        return OutputRef(path, output.digest, output.role, output.algorithm, reading, *counts)

    @staticmethod
    def of_input(name: str, record: Any) -> "OutputRef":
        """From JSON: a certificate's input and its name."""
        role, _, algorithm = name.partition(" ")
        if role not in ROLES:
            raise TypeError(f"inputs has no {name!r}")
        digest, reading = Digest.of(record["digest"]), Reading.of(record)
        counts = record["rows"], record["left_out"]
        return OutputRef(record["path"], digest, role, algorithm, reading, *counts)


@dataclass(frozen=True)
class Origins:
    """Where labelled nodes come from: a population or a part of it, a draw, and D's labels.

    `now` is the population as it is now, if it has changed since the draw, and `changed` names the
    records that are not what they were. `cohorts` are the certificates of later draws.
    """

    population: Population
    draw: DrawRef | None
    trained_on: TableRef | None
    within: Within | None
    now: Population | None = field(default=None, kw_only=True)
    changed: TableRef | None = field(default=None, kw_only=True)
    cohorts: tuple[CohortRef, ...] = field(default=(), kw_only=True)

    def inputs(self, labels: LabelsRef, outputs: Sequence[OutputRef]) -> "Inputs":
        """All tables of a certificate, with the labels and the matchers' outputs."""
        origins = self.population, self.draw, self.trained_on, self.within
        return Inputs(
            *origins,
            labels,
            tuple(outputs),
            now=self.now,
            changed=self.changed,
            cohorts=self.cohorts,
        )


@dataclass(frozen=True)
class Inputs(Origins):
    """The tables that a certificate is computed from."""

    labels: LabelsRef
    outputs: tuple[OutputRef, ...]

    def __post_init__(self) -> None:
        if not self.of_role("holdout"):
            raise TypeError("inputs must have a holdout matcher")

    def on_record(self, salted: Callable[[Digest], Digest] | None, folder: Path | None) -> "Inputs":
        """As a certificate has them: from a folder, or as labels that a person brings along.

        The labels that D was known by are on record with the draw, if there is one.
        """
        trained_on = self.trained_on
        if trained_on is not None and self.draw is None:
            trained_on = trained_on.on_record(None, folder)
        return Inputs(
            self.population.on_record(None, folder),
            None if self.draw is None else self.draw.on_record(None, folder),
            trained_on,
            None if self.within is None else self.within.on_record(None, folder),
            self.labels.on_record(salted, folder),
            tuple(one.on_record(None, folder) for one in self.outputs),
            now=None if self.now is None else self.now.on_record(None, folder),
            changed=None if self.changed is None else self.changed.on_record(None, folder),
            cohorts=tuple(one.on_record(None, folder) for one in self.cohorts),
        )

    @property
    def tables(self) -> dict[str, TableRef]:
        """All of them, by the names that certificate.json has."""
        tables: dict[str, TableRef] = {"population": self.population}
        if self.within is not None:
            tables["within"] = self.within
        if self.now is not None:
            tables["population_now"] = self.now
        if self.changed is not None:
            tables["changed"] = self.changed
        tables |= {f"{COHORT}{one.name}": one for one in self.cohorts}
        if self.draw is not None:
            tables["draw"] = self.draw
        if self.trained_on is not None:
            tables["trained_on"] = self.trained_on
        return tables | {"labels": self.labels} | {one.name: one for one in self.outputs}

    def of_role(self, role: str) -> list[OutputRef]:
        """The outputs of the holdout matchers, or of the complete ones."""
        return [one for one in self.outputs if one.role == role]

    def as_dict(self) -> dict[str, dict[str, Any]]:
        return {name: table.as_dict() for name, table in self.tables.items()}

    @staticmethod
    def of(record: Any) -> "Inputs":
        """From JSON; raise TypeError or KeyError if it is not what `as_dict` returns."""
        others = dict(record)
        population, labels = Population.of(others.pop("population")), others.pop("labels")
        draw, trained_on = others.pop("draw", None), others.pop("trained_on", None)
        now, changed = others.pop("population_now", None), others.pop("changed", None)
        cohorts = {name: others.pop(name) for name in list(others) if name.startswith(COHORT)}
        return Inputs(
            population,
            None if draw is None else DrawRef.of(draw),
            None if trained_on is None else TableRef.of(trained_on),
            Within.if_any(others.pop("within", None)),
            LabelsRef.of(labels),
            tuple(OutputRef.of_input(name, one) for name, one in others.items()),
            now=None if now is None else Population.of(now),
            changed=None if changed is None else TableRef.of(changed),
            cohorts=tuple(CohortRef.of_input(name, one) for name, one in cohorts.items()),
        )
