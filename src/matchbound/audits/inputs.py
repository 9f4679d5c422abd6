"""The tables that draws and certificates are made from, as their records name them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from matchbound.audits.places import find, recorded
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
class DrawRef(TableRef):
    """A draw that was certified from: its draw.json, and whether the user gave its seed."""

    seed_given: bool

    @staticmethod
    def of(record: Any) -> "DrawRef":
        return DrawRef(record["path"], Digest.of(record["digest"]), record["seed_given"])


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
    """A matcher's output that was certified: how it was read, and how many rows were."""

    role: str
    algorithm: str
    reading: Reading
    rows: int

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
        return {"path": self.path, **record, "rows": self.rows}

    @staticmethod
    def of_output(output: Output, rows: int) -> "OutputRef":
        """For an output of which `rows` rows were read."""
        path, read = output.source.path, output.reading
        return OutputRef(path, output.digest, output.role, output.algorithm, read, rows)

    @staticmethod
    def of_input(name: str, record: Any) -> "OutputRef":
        """From JSON: a certificate's input and its name."""
        role, _, algorithm = name.partition(" ")
        if role not in ROLES:
            raise TypeError(f"inputs has no {name!r}")
        digest, reading = Digest.of(record["digest"]), Reading.of(record)
        return OutputRef(record["path"], digest, role, algorithm, reading, record["rows"])


@dataclass(frozen=True)
class Origins:
    """Where labelled nodes come from: a population, a draw, and the labels D was known by."""

    population: Population
    draw: DrawRef | None
    trained_on: TableRef | None

    def inputs(self, labels: LabelsRef, outputs: Sequence[OutputRef]) -> "Inputs":
        """All tables of a certificate, with the labels and the matchers' outputs."""
        return Inputs(self.population, self.draw, self.trained_on, labels, tuple(outputs))


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
            self.labels.on_record(salted, folder),
            tuple(one.on_record(None, folder) for one in self.outputs),
        )

    @property
    def tables(self) -> dict[str, TableRef]:
        """All of them, by the names that certificate.json has."""
        tables: dict[str, TableRef] = {"population": self.population}
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
        return Inputs(
            population,
            None if draw is None else DrawRef.of(draw),
            None if trained_on is None else TableRef.of(trained_on),
            LabelsRef.of(labels),
            tuple(OutputRef.of_input(name, one) for name, one in others.items()),
        )
