"""Matchers' outputs: read once, and known again by their rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.digests import Digest, digest_of, rows_of_matches
from matchbound.tables.forms import Clusters, Form, Pairs, recognise
from matchbound.tables.predictions import kind_of_ids
from matchbound.tables.scores import check_scored, first_threshold
from matchbound.tables.sides import Matching
from matchbound.tables.sources import Source, key_kind, open_source

ROLES = ("holdout", "complete")


@dataclass(frozen=True)
class Reading:
    """How outputs are read: columns that the user names, and the score from which on pairs match.

    `fixed` are the ends of bands or the candidates that fix the threshold instead.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    threshold: float | None = None
    fixed: Sequence[float] = ()

    def form(self, source: Source) -> Form:
        """Recognise an output's form.

        Columns of clusters are not those of a complete matcher that has pairs, as `patch` writes.
        """
        is_other = source.argument == "complete" and "cluster" in self.columns
        unread = is_other and not source.column(self.columns["cluster"])
        return recognise(source, {} if unread else self.columns)

    def settled(self, forms: Iterable[Form]) -> "Reading":
        """Check the threshold against the forms, and put in the one that is fixed."""
        return Reading(self.columns, first_threshold(self.fixed, self.threshold, forms))


@dataclass(frozen=True)
class Recorded:
    """A matcher's output on record. Its threshold is part of it, as its rows are."""

    algorithm: str
    digest: Digest
    reading: Reading

    def is_same(self, other: "Recorded") -> bool:
        read_alike = dict(self.reading.columns) == dict(other.reading.columns)
        return (
            self.algorithm == other.algorithm
            and self.reading.threshold == other.reading.threshold
            and self.digest.is_same(other.digest, read_alike=read_alike)
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.algorithm,
            "digest": self.digest.as_dict(),
            "threshold": self.reading.threshold,
            "columns": dict(self.reading.columns),
        }

    @staticmethod
    def of(record: Any) -> "Recorded":
        """From JSON, as an entry of the ledger or draw.json has it."""
        reading = Reading(record["columns"], record["threshold"])
        return Recorded(record["name"], Digest.of(record["digest"]), reading)


@dataclass(frozen=True)
class Output:
    """A matcher's output: the columns that are read, how, and which rows it has."""

    role: str
    algorithm: str
    source: Source
    form: Form
    reading: Reading
    digest: Digest

    @property
    def name(self) -> str:
        """As a certificate names its inputs: `holdout`, or `complete net` of several."""
        return f"{self.role} {self.algorithm}".strip()

    @property
    def is_clusters(self) -> bool:
        return isinstance(self.form, Clusters)

    @property
    def recorded(self) -> Recorded:
        return Recorded(self.algorithm, self.digest, self.reading)


def read_outputs(
    con: Engine,
    holdout: Any,
    complete: Any,
    reading: Reading,
    algorithms: Sequence[str],
    matching: Matching,
    on_record: Sequence[Recorded] = (),
    rows_of: Mapping[str, bool] | None = None,
) -> tuple[Output, ...]:
    """Open each matcher's output, recognise its form and settle its threshold and its digest.

    `rows_of` says, by an output's name, whether its rows are digested, whatever is on record.
    """
    by_role = {"holdout": named(holdout, algorithms, "holdout")}
    if complete is not None:
        by_role["complete"] = named(complete, algorithms, "complete")
    nothing = Digest(None, None)
    outputs = []
    for role, tables in by_role.items():
        for algorithm, table in tables:
            source = open_source(con, role, table)
            form = reading.form(source)
            outputs.append(Output(role, algorithm, source, form, reading, nothing))
    settled = reading.settled([output.form for output in outputs])
    outputs = [replace(output, reading=settled) for output in outputs]
    return tuple(
        replace(one, digest=_digest(con, one, matching, on_record, (rows_of or {}).get(one.name)))
        for one in outputs
    )


def register_outputs(
    con: Engine, holdout: Any, reading: Reading, algorithms: Sequence[str], matching: Matching
) -> tuple[Output, ...]:
    """Read holdout matchers to put on record: each at a threshold, and with its rows' digest."""
    always = {f"holdout {name}".strip(): True for name in ("", *algorithms)}
    outputs = read_outputs(con, holdout, None, reading, algorithms, matching, rows_of=always)
    for output in outputs:
        check_scored(output.form, output.reading.threshold)
    return outputs


def _digest(
    con: Engine,
    output: Output,
    matching: Matching,
    on_record: Iterable[Recorded],
    rows: bool | None,
) -> Digest:
    if rows is False:
        return Digest(None, output.source.bytes)
    mine, counted = (
        output.recorded,
        rows_of_matches(output.source, output.form, unordered=matching.dedupe),
    )
    possible = [
        one
        for one in on_record
        if (one.algorithm, one.reading.threshold) == (mine.algorithm, mine.reading.threshold)
    ]
    alike = [one for one in possible if dict(one.reading.columns) == dict(mine.reading.columns)]
    return digest_of(
        con,
        output.source,
        counted,
        [one.digest for one in alike],
        [one.digest for one in possible],
        always=rows is True,
    )


def named(given: Any, algorithms: Sequence[str], argument: str) -> list[tuple[str, Any]]:
    """A matcher's output, or those of several algorithms by the names that the draw fixed."""
    if not algorithms:
        if isinstance(given, Mapping):
            raise InputError(
                f"{argument} must be one table, because no algorithms were named at the draw, got "
                f"{', '.join(map(str, given))}. Give one, or draw with --algorithm."
            )
        return [("", given)]
    if not isinstance(given, Mapping) or set(given) != set(algorithms):
        got = ", ".join(map(str, given)) if isinstance(given, Mapping) else "one table"
        raise InputError(
            f"{argument} must be given for each of {', '.join(algorithms)}, got {got}. "
            "Give name=FILE for each."
        )
    return [(name, given[name]) for name in algorithms]


def native_columns(
    outputs: Sequence[Output],
) -> tuple[list[tuple[Source, str]], list[tuple[Source, str]]] | None:
    """The columns of x and of y if ids may be compared as they are; None if as text."""
    pairs = [(one.source, one.form) for one in outputs if isinstance(one.form, Pairs)]
    if len(pairs) < len(outputs) or any(form.x_source is not None for _, form in pairs):
        return None
    return [(source, form.x) for source, form in pairs], [(source, f.y) for source, f in pairs]


def kinds_of_ids(
    population: Source, column: str, outputs: Sequence[Output], matching: Matching
) -> tuple[str, str]:
    """How ids of the population, and of y, are read: as they are, where all are whole numbers."""
    native = native_columns(outputs)
    if matching.source is not None or native is None:
        return "string", "string"
    xs, ys = native
    kind = kind_of_ids(population, column, *xs, *(ys if matching.dedupe else []))
    return kind, kind if matching.dedupe or not ys else key_kind(*ys)
