"""The inputs of a certificate, found again: as they were, grown, missing, or contradicting it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matchbound.audits import (
    COHORT,
    LEDGER,
    CohortRef,
    Draw,
    Journal,
    TableRef,
    certificate_files,
    cohort_folder,
    folder_of,
    is_written,
    read_ledger,
)
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.growth import draw_then, labels_then
from matchbound.certificates.history import History
from matchbound.certificates.reach import Reach
from matchbound.certificates.record import Record
from matchbound.certificates.rows import only_adds, rows_at
from matchbound.errors import EngineError, MatchboundError
from matchbound.files import digest_of_file, digest_of_table, in_database, is_file
from matchbound.tables import Digest, Matching

OF_LABELS = ("labels", "trained_on")


@dataclass(frozen=True)
class Found:
    """An input: its file, or why it is missing, or what contradicts the certificate.

    `then` is the file's content when the certificate was issued, if it was another.
    """

    path: Path | None = None
    missing: str = ""
    difference: str = ""
    then: bytes | None = None


@dataclass(frozen=True)
class Evidence:
    """What is at hand to check a certificate by; `draw` is as it was when it was issued."""

    certificate: Certificate
    history: History
    found: Mapping[str, Found]
    draw: Draw | None
    has_grown: tuple[str, ...]

    @property
    def paths(self) -> dict[str, Path]:
        return {name: one.path for name, one in self.found.items() if one.path is not None}

    @property
    def cohorts(self) -> dict[str, Path]:
        """The certificates of later draws, by what sentences call them."""
        names = (f"{COHORT}{one.name}" for one in self.certificate.inputs.cohorts)
        return {name: self.paths[name] for name in names}

    @property
    def missing(self) -> list[str]:
        """The inputs that are not at hand, and the commitments that cannot be opened."""
        missing = [one.missing for one in self.found.values() if one.missing]
        what = f"openings of {len(self.history.unopened)} of the ledger's commitments"
        return [*missing, what] if self.history.lacks_openings else missing

    @property
    def differences(self) -> list[str]:
        """What the files at hand, and the size of what was drawn from, contradict."""
        differences = [one.difference for one in self.found.values() if one.difference]
        size = next(iter(self.certificate.tallies.values())).size
        inputs = self.certificate.inputs
        name = "population" if inputs.within is None else "within"
        drawn_from = inputs.within or inputs.population
        if drawn_from.size != size:
            differences.append(f"inputs.{name}.size is {drawn_from.size!r}, the tallies' {size}")
        return differences

    def rows_of(self, name: str) -> str | None:
        """The digest that the rows of an input's file have on record; None if there is no file."""
        if name not in self.paths:
            return None
        matching = None if self.draw is None else self.draw.matching
        rows = rows_at(self.certificate, name, self.paths[name], matching)
        return salted(self.certificate, name, Digest(rows, None), self.history.journal).rows

    @property
    def grown(self) -> str:
        """What was added since the certificate, in words."""
        if not self.has_grown:
            return ""
        what, entry = " and ".join(self.has_grown), self.history.length + 1
        have = "has" if self.has_grown == ("the draw",) else "have"
        return f"as of entry {entry} of the ledger; {what} {have} grown since"


def salted(certificate: Certificate, name: str, digest: Digest, journal: Journal) -> Digest:
    """A file's digest as a certificate has it: those of an audit's labels are salted."""
    return journal.salted(digest) if is_salted(certificate, name) else digest


def is_salted(certificate: Certificate, name: str) -> bool:
    return certificate.ledger is not None and name in OF_LABELS


def gather(certificate: Certificate, reach: Reach, history: History) -> Evidence:
    """Find the files of the inputs, by their digests if several have the name."""
    search = _Search(certificate, reach, history)
    drawn, draw = search.draw()
    found = {} if drawn is None else {"draw": drawn}
    for name, source in certificate.inputs.tables.items():
        if name != "draw":
            found[name] = search.table(name, source, draw)
    ordered = {name: found[name] for name in certificate.inputs.tables}
    grown = ["labels"] if ordered["labels"].then is not None and ordered["labels"].path else []
    grown += ["the draw"] if drawn is not None and drawn.then is not None else []
    return Evidence(certificate, history, ordered, draw, tuple(grown))


def find_draw(certificate: Certificate, reach: Reach) -> Path | None:
    """The draw.json that a certificate is from, or another of that name if it is not at hand."""
    source = certificate.inputs.draw
    if source is None or source.path is None or source.digest.bytes is None:
        return None
    own = reach.own(source.path)
    files = [file for file in own if file.name == "draw.json" and is_file(file)]
    fitting = [file for file in files if digest_of_file(file) == source.digest.bytes]
    return next(iter(fitting or files), None)


@dataclass(frozen=True)
class _Search:
    certificate: Certificate
    reach: Reach
    history: History

    def draw(self) -> tuple[Found | None, Draw | None]:
        """The draw, as it was; None if the certificate is from none."""
        source, path = self.certificate.inputs.draw, find_draw(self.certificate, self.reach)
        if source is None or path is None:
            return (None if source is None else Found(missing="draw")), None
        self.reach.check(path.parent)
        try:
            now = Draw.load(path.parent)
        except EngineError:
            raise
        except MatchboundError as error:
            if self._is_interrupted(path.parent):
                raise
            return Found(path, difference=f"inputs.draw: {error}"), None
        if digest_of_file(path) == source.digest.bytes:
            return Found(path), now
        then = draw_then(now, self.history, self.certificate)
        if then is not None:
            return Found(path, then=then.written.text.encode()), then
        later = self.history.later_draw(now.digest)
        if later is not None:
            return Found(missing=f"draw (another was made since, entry {later})"), None
        return Found(path, difference=_other("draw", path)), now

    def _is_interrupted(self, folder: Path) -> bool:
        """Whether a larger draw is on record that was killed while it wrote its files."""
        draws = self.history.ledger.of_kind("draw")
        return not self.history.ledger.problems and any(
            is_written(folder, earlier) for earlier in draws[:-1] if earlier != draws[-1]
        )

    def table(self, name: str, source: TableRef, draw: Draw | None) -> Found:
        """A table, which may have other bytes than the one that was certified, if it has the same
        rows."""
        matching = self.history.matching if draw is None else draw.matching
        tables = self._tables(source, name == "labels")
        path = self._fitting(name, source, tables, matching)
        if path is not None:
            return Found(path)
        path = next(iter(tables), None)
        if is_salted(self.certificate, name):
            return self._labels(name, source, path)
        if path is None:
            return Found(missing=name)
        if name in ("population", "within") and self.history.was_resalted:
            return Found(missing=f"{name} (changed since ids were erased)")
        if isinstance(source, CohortRef):
            return self._cohort(name, source)
        later = self._in_its_place(name, path, matching)
        if later is not None:
            return Found(missing=f"{name} (another is in its place, entry {later})")
        return Found(path, difference=_other(name, path))

    def _cohort(self, name: str, source: CohortRef) -> Found:
        """A cohort's certificate that is not there as it was: lost, replaced, or changed."""
        here = self.reach.folder / (source.path or "")
        if not is_file(here):
            return Found(missing=name)
        if _is_on_record(here):
            return Found(missing=f"{name} (another certificate is in its place)")
        return Found(here, difference=_other(name, here))

    def _in_its_place(self, name: str, path: Path, matching: Matching | None) -> int | None:
        """The entry of a later certificate that a table is of which a new version may replace."""
        completes = [one.name for one in self.certificate.inputs.of_role("complete")]
        if name not in (*completes, "population_now"):
            return None
        digest = digest_of_table(path)
        rows = rows_at(self.certificate, name, path, matching) if digest is None else None
        return self.history.later_input(name, Digest(rows, digest))

    def _tables(self, source: TableRef, is_labels: bool) -> list[Path]:
        """The tables that the path on record may mean; none of what was in memory, or in Spark."""
        if source.path is None:
            return []
        if source.digest.bytes is None and in_database(Path(source.path)) is None:
            return []
        if isinstance(source, CohortRef):  # each cohort has files of the same names
            cohort = cohort_folder(self.reach.folder, source.name)
            files = [self.reach.folder / source.path, *certificate_files(cohort)]
            return [one for one in files if is_file(one) and self.reach.leads_in(one)]
        return self.reach.own(source.path) if is_labels else self.reach.find(source.path)

    def _fitting(
        self, name: str, source: TableRef, tables: list[Path], matching: Matching | None
    ) -> Path | None:
        """The first of the tables that has the certified bytes, or else the certified rows."""
        for path in tables:
            digest = digest_of_table(path)
            if digest is not None and self._fits(name, source, digest):
                return path
        return next((one for one in tables if self._has_rows(name, source, one, matching)), None)

    def _labels(self, name: str, source: TableRef, path: Path | None) -> Found:
        """Labels of an audit whose file is not there as it was: grown, erased, or changed."""
        history = self.history
        if history.journal.salt is None:
            return Found(missing=name if path is None else f"{name} (the salt of their digest)")
        then = None
        if name == "labels":
            file = path if path is not None and is_file(path) else None
            then = labels_then(lambda digest: self._fits(name, source, digest), history, file)
        if then is not None and (path is None or only_adds(self.certificate, then, path)):
            return Found(path, then=then)
        if history.is_resalted if name == "labels" else history.was_resalted:
            nodes = "1 node" if history.erased == 1 else f"{history.erased} nodes"
            return Found(missing=f"{name} as they were ({nodes} erased since)")
        if path is None or history.is_replaced:
            return Found(missing=name)
        return Found(path, difference=_other(name, path))

    def _on_record(self, name: str, digest: Digest) -> Digest:
        return salted(self.certificate, name, digest, self.history.journal)

    def _fits(self, name: str, source: TableRef, digest: str) -> bool:
        return self._on_record(name, Digest(None, digest)).bytes == source.digest.bytes

    def _has_rows(self, name: str, source: TableRef, path: Path, matching: Matching | None) -> bool:
        if source.digest.rows is None:
            return False
        rows = rows_at(self.certificate, name, path, matching)
        return self._on_record(name, Digest(rows, None)).rows == source.digest.rows


def _is_on_record(path: Path) -> bool:
    """Whether a file is a certificate, unchanged, that the ledger of its own folder has."""
    folder = folder_of(path)
    if not is_file(folder / LEDGER):
        return False
    issued = {entry["certificate"] for entry in read_ledger(folder).of_kind("certificate")}
    try:
        record = Record.read(path)
    except MatchboundError:
        return False
    return record.content.get("digest") in issued and not list(record.changed())


def _other(name: str, path: Path) -> str:
    return f"inputs.{name}: {str(path)!r} is not the file that was certified"
