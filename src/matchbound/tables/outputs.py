"""Matchers' outputs: how each is read, and the digest by which it is recognised later."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.reprs import brief
from matchbound.tables.digests import Digest, digest_of, rows_of_matches
from matchbound.tables.forms import Form, Pairs, check_columns, is_clusters, recognise
from matchbound.tables.inputs import open_source
from matchbound.tables.predictions import kind_of_ids
from matchbound.tables.scores import check_scored, first_threshold, has_scores
from matchbound.tables.sides import Matching
from matchbound.tables.sources import Source, key_kind
from matchbound.tables.verdicts import refuse_ignored_nothing, refuse_unread_columns


@dataclass(frozen=True)
class Reading:
    """How outputs are read: the columns that the user names, and the lowest score of a match.

    `clusters`: an output is clusters, those that its pairs link if it has pairs; None: as it is on
    record. `fixed` are scores that fix the threshold instead: the ends of bands, or candidate
    thresholds.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    threshold: float | None = None
    clusters: bool | None = None
    fixed: Sequence[float] = ()

    def form(self, source: Source) -> Form:
        """Recognise an output's form.

        `patch` may write clusters where the holdout matcher's are pairs, and pairs where they are
        clusters; names of columns that such a table lacks are ignored.
        """
        check_columns(self.columns)
        beside = ("source", "ignore")
        names = [name for role, name in self.columns.items() if role not in beside]
        is_other = source.argument == "complete" and names and not any(map(source.column, names))
        ignored = {role: name for role, name in self.columns.items() if role == "ignore"}
        return recognise(source, ignored if is_other else self.columns)

    def settled(self, forms: Iterable[Form]) -> "Reading":
        """Check the threshold against the forms; replace it by the one that `fixed` sets."""
        threshold = first_threshold(self.fixed, self.threshold, forms)
        return Reading(self.columns, threshold, self.clusters)

    @property
    def given(self) -> list[str]:
        """The names of what a user said."""
        values = {
            "threshold": self.threshold,
            "columns": self.columns or None,
            "clusters": self.clusters,
        }
        return [name for name, value in values.items() if value is not None]

    def of_form(self, form: Form) -> "Reading":
        """The reading of one output: without scores a threshold changes nothing, and a table of
        clusters is one."""
        threshold = self.threshold if has_scores(form) else None
        return replace(self, threshold=threshold, clusters=bool(self.clusters) or is_clusters(form))

    @staticmethod
    def of(record: Any) -> "Reading":
        """Take the reading from a record of an output; raise TypeError if it is none."""
        columns, threshold = record["columns"], record["threshold"]
        clusters = record["clusters"]
        names = [*columns, *columns.values()] if isinstance(columns, dict) else [None]
        if not all(isinstance(name, str) for name in names):
            raise TypeError("columns must be names by role")
        if isinstance(threshold, bool) or not isinstance(threshold, int | float | None):
            raise TypeError("a threshold must be a number")
        if not isinstance(clusters, bool):
            raise TypeError("clusters must be true or false")
        return Reading(columns, threshold, clusters)


@dataclass(frozen=True)
class Recorded:
    """A matcher's output on record.

    Another threshold makes another output, as other rows do; so do clusters instead of pairs.
    """

    algorithm: str
    digest: Digest
    reading: Reading

    def is_same(self, other: "Recorded") -> bool:
        return self.has_rows_of(other) and self.reading.clusters == other.reading.clusters

    def has_rows_of(self, other: "Recorded") -> bool:
        """Whether both have the same matches, as pairs or as clusters."""
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
            "clusters": bool(self.reading.clusters),
            "columns": dict(self.reading.columns),
        }

    @staticmethod
    def of(record: Any) -> "Recorded":
        """Read an output from JSON, as an entry of the ledger or draw.json has it."""
        return Recorded(record["name"], Digest.of(record["digest"]), Reading.of(record))


@dataclass(frozen=True)
class OnRecord:
    """The outputs that a ledger has: those that were registered, and all."""

    registered: Sequence[Recorded] = ()
    all: Sequence[Recorded] = ()

    def like(self, outputs: Sequence[Recorded]) -> list[Recorded]:
        """Those with the rows of one of these outputs; registered ones, if there are such."""
        for known in (self.registered, self.all):
            same = [one for one in known if any(map(one.has_rows_of, outputs))]
            if same:
                return same
        return []


@dataclass(frozen=True)
class Output:
    """A matcher's output: the opened table, the form that it has, how it is read, its digest."""

    role: str
    algorithm: str
    source: Source
    form: Form
    reading: Reading
    digest: Digest

    def __repr__(self) -> str:
        form = "clusters" if self.is_clusters else "pairs"
        return brief(self, f"{self.name}, {form} of {self.source.path or 'a table'}")

    @property
    def name(self) -> str:
        """Its name among a certificate's inputs: `holdout`, or `holdout net` for an algorithm."""
        return f"{self.role} {self.algorithm}".strip()

    @property
    def is_clusters(self) -> bool:
        """Whether it is clusters: those of its table, or those that its pairs link."""
        return bool(self.reading.clusters)

    @property
    def is_closed(self) -> bool:
        """Whether it is the clusters that its pairs link."""
        return self.is_clusters and not is_clusters(self.form)

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
    on_record: OnRecord | None = None,
    rows_of: Mapping[str, bool] | None = None,
) -> tuple[Output, ...]:
    """Open each matcher's output, recognise its form, and set its threshold and its digest.

    `on_record` settles whether a table is one that was seen before, and whether its pairs are
    clusters. `rows_of`, by an output's name, forces or forbids digesting its rows, whatever is on
    record.
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
            refuse_unread_columns(con, source, form, reading.columns)
            outputs.append(Output(role, algorithm, source, form, reading, undigested))
    refuse_ignored_nothing([output.source for output in outputs], reading.columns)
    settled = reading.settled([output.form for output in outputs])
    known, forced = on_record or OnRecord(), rows_of or {}
    digested = []
    for output in outputs:
        read = replace(output, reading=settled.of_form(output.form))
        digest = _digest(con, read, matching, known.all, forced.get(output.name))
        digested.append(replace(read, digest=digest))
    clusters = reading.clusters
    if clusters is None:
        clusters = _clusters_on_record(digested, known)
    settled = replace(settled, clusters=clusters)
    return tuple(replace(output, reading=settled.of_form(output.form)) for output in digested)


def _clusters_on_record(outputs: Sequence[Output], known: OnRecord) -> bool:
    """Whether pairs are on record as the clusters that they link.

    Those of the holdout matchers; those of the complete one, if it is given alone.
    """
    role = outputs[0].role
    pairs = [one.recorded for one in outputs if one.role == role and not is_clusters(one.form)]
    if not pairs:
        return False
    same = known.like(pairs)
    readings = {one.reading.clusters for one in same}
    why = f"{role} is on record as both"
    if not same:
        readings = {False, *(one.reading.clusters for one in known.registered or known.all)}
        why = f"a matcher is on record as clusters, and {role} is not on record as it is given"
    if len(readings) > 1:
        raise InputError(
            f"clusters or pairs must be said, because {why}, got neither. Give --clusters or "
            "--pairs."
        )
    return readings == {True}


def register_outputs(
    con: Engine,
    holdout: Any,
    reading: Reading,
    algorithms: Sequence[str],
    matching: Matching,
    on_record: OnRecord | None = None,
) -> tuple[Output, ...]:
    """Read holdout matchers' outputs to put them on record, each with the digest of its rows."""
    always = {f"holdout {name}".strip(): True for name in ("", *algorithms)}
    by = algorithms, matching, on_record
    outputs = read_outputs(con, holdout, None, reading, *by, rows_of=always)
    for output in outputs:
        check_scored(output.source, output.form, output.reading.threshold)
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
    pairs = [
        (out.source, out.form)
        for out in outputs
        if isinstance(out.form, Pairs) and not out.is_closed
    ]
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
