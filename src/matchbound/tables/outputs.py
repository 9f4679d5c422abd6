"""Matchers' outputs: how each is read, and the digest by which it is recognised later."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.digests import Digest, digest_of, rows_of_matches
from matchbound.tables.forms import Clusters, Form, Pairs, recognise
from matchbound.tables.predictions import kind_of_ids
from matchbound.tables.scores import check_scored, first_threshold, has_scores
from matchbound.tables.sides import Matching
from matchbound.tables.sources import Source, key_kind, open_source


@dataclass(frozen=True)
class Reading:
    """How outputs are read: the columns that the user names, and the lowest score of a match.

    `fixed` are scores that fix the threshold instead: the ends of bands, or candidate thresholds.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    threshold: float | None = None
    fixed: Sequence[float] = ()

    def form(self, source: Source) -> Form:
        """Recognise an output's form.

        `patch` writes a complete matcher's output as pairs, even where the holdout matcher's are
        clusters; the names of clusters' columns are then ignored.
        """
        may_be_pairs = source.argument == "complete" and "cluster" in self.columns
        is_pairs = may_be_pairs and not source.column(self.columns["cluster"])
        return recognise(source, {} if is_pairs else self.columns)

    def settled(self, forms: Iterable[Form]) -> "Reading":
        """Check the threshold against the forms; replace it by the one that `fixed` sets."""
        return Reading(self.columns, first_threshold(self.fixed, self.threshold, forms))

    @staticmethod
    def of(record: Any) -> "Reading":
        """Take the reading from a record of an output; raise TypeError if it is none."""
        columns, threshold = record["columns"], record["threshold"]
        names = [*columns, *columns.values()] if isinstance(columns, dict) else [None]
        if not all(isinstance(name, str) for name in names):
            raise TypeError("columns must be names by role")
        if isinstance(threshold, bool) or not isinstance(threshold, int | float | None):
            raise TypeError("a threshold must be a number")
        return Reading(columns, threshold)


@dataclass(frozen=True)
class Recorded:
    """A matcher's output on record. Another threshold makes another output, as other rows do."""

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
        """Read an output from JSON, as an entry of the ledger or draw.json has it."""
        return Recorded(record["name"], Digest.of(record["digest"]), Reading.of(record))


@dataclass(frozen=True)
class Output:
    """A matcher's output: the opened table, the form that it has, how it is read, its digest."""

    role: str
    algorithm: str
    source: Source
    form: Form
    reading: Reading
    digest: Digest

    @property
    def name(self) -> str:
        """Its name among a certificate's inputs: `holdout`, or `holdout net` for an algorithm."""
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
    """Open each matcher's output, recognise its form, and set its threshold and its digest.

    `rows_of`, by an output's name, forces or forbids digesting its rows, whatever is on record.
    """
    tables_by_role = {
        role: tables_by_algorithm(tables, algorithms, role)
        for role, tables in (("holdout", holdout), ("complete", complete))
        if tables is not None
    }
    undigested = Digest(None, None)
    outputs = []
    for role, tables in tables_by_role.items():
        for algorithm, table in tables:
            source = open_source(con, role, table)
            form = reading.form(source)
            outputs.append(Output(role, algorithm, source, form, reading, undigested))
    settled = reading.settled([output.form for output in outputs])
    unscored = replace(settled, threshold=None)  # a threshold changes nothing where no scores are
    outputs = [
        replace(output, reading=settled if has_scores(output.form) else unscored)
        for output in outputs
    ]
    forced = rows_of or {}
    return tuple(
        replace(output, digest=_digest(con, output, matching, on_record, forced.get(output.name)))
        for output in outputs
    )


def register_outputs(
    con: Engine, holdout: Any, reading: Reading, algorithms: Sequence[str], matching: Matching
) -> tuple[Output, ...]:
    """Read holdout matchers' outputs to put them on record, each with the digest of its rows."""
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
    columns, threshold = dict(output.reading.columns), output.reading.threshold
    possible = [
        recorded
        for recorded in on_record
        if (recorded.algorithm, recorded.reading.threshold) == (output.algorithm, threshold)
    ]
    alike = [recorded for recorded in possible if dict(recorded.reading.columns) == columns]
    return digest_of(
        con,
        output.source,
        rows_of_matches(output.source, output.form, unordered=matching.dedupe),
        [recorded.digest for recorded in alike],
        [recorded.digest for recorded in possible],
        always=rows is True,
    )


def tables_by_algorithm(
    tables: Any, algorithms: Sequence[str], argument: str
) -> list[tuple[str, Any]]:
    """The tables with the algorithms that the draw named; with "" if it named none."""
    if not algorithms:
        if isinstance(tables, Mapping):
            raise InputError(
                f"{argument} must be one table, because no algorithms were named at the draw, got "
                f"{', '.join(map(str, tables))}. Give one, or draw with --algorithm."
            )
        return [("", tables)]
    if not isinstance(tables, Mapping) or set(tables) != set(algorithms):
        got = ", ".join(map(str, tables)) if isinstance(tables, Mapping) else "one table"
        raise InputError(
            f"{argument} must be given for each of {', '.join(algorithms)}, got {got}. "
            "Give name=FILE for each."
        )
    return [(name, tables[name]) for name in algorithms]


def native_columns(
    outputs: Sequence[Output],
) -> tuple[list[tuple[Source, str]], list[tuple[Source, str]]] | None:
    """The columns of x and of y if ids may be compared in their own type; None if as text only."""
    pairs = [(out.source, out.form) for out in outputs if isinstance(out.form, Pairs)]
    if len(pairs) < len(outputs) or any(form.x_source is not None for _, form in pairs):
        return None
    return [(source, form.x) for source, form in pairs], [(source, f.y) for source, f in pairs]


def kinds_of_ids(
    population: Source, column: str, outputs: Sequence[Output], matching: Matching
) -> tuple[str, str]:
    """The types as which ids of the population, and of y, are read: text or whole numbers."""
    native = native_columns(outputs)
    if matching.source is not None or native is None:
        return "string", "string"
    xs, ys = native
    kind = kind_of_ids(population, column, *xs, *(ys if matching.dedupe else []))
    return kind, kind if matching.dedupe or not ys else key_kind(*ys)
