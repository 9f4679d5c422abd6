"""The inputs of the labelling page, each read once and checked."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from threading import Thread
from typing import Any

from matchbound.audits import (
    Audit,
    Draw,
    Remembered,
    Searched,
    SearchedFile,
    as_drawn,
    erased_rows,
    has_ids,
    latest,
    on_record,
    planned,
)
from matchbound.desk.live import Live, start, why_not
from matchbound.desk.material import Material
from matchbound.desk.proposals import Proposals, read_proposals
from matchbound.desk.search import Search
from matchbound.engines import Engine, connect
from matchbound.errors import InputError
from matchbound.files import digest_of_file, read_text
from matchbound.tables import (
    LOWEST,
    Output,
    Reading,
    Records,
    Source,
    align,
    check_drawn,
    load_drawn,
    open_source,
    read_records,
    recognise,
    register_outputs,
)
from matchbound.tallies import check_closed
from matchbound.theorems import METRICS

LONGEST_GUIDELINES = 100_000


@dataclass(frozen=True)
class Inputs:
    """The arguments of `label` besides the audit folder."""

    records: Any = None
    against: Any = None
    candidates: Any = None
    holdout: Any = None
    threshold: float | None = None
    columns: Mapping[str, str] | None = None
    clusters: bool | None = None
    population: Any = None
    id: str | None = None
    targets: Mapping[str, float] | None = None
    source: str | None = None
    """The source of the records in `against`, where no column of theirs tells it."""
    guidelines: Any = None

    def with_remembered(self, audit: Audit) -> "Inputs":
        """The same with the tables that the folder remembers, where the user gives none."""
        folder, records, right = audit.own_folder, self.records, self
        if records is None:
            records = _remembered(folder, "records", latest(folder, "records"))
        against = latest(folder, "against")
        if audit.drawn.matching.dedupe or against is None:
            return replace(self, records=records)
        if self.against is None:
            right = replace(self, against=_remembered(folder, "against", against))
        elif not against.is_at(self.against):
            return replace(self, records=records)
        return replace(right, records=records, id=self.id or against.id, source=against.source)

    @property
    def tables(self) -> list[Remembered]:
        """The tables that a folder is to remember for the next time: those that are files."""
        tables = []
        if isinstance(self.records, str | PathLike):
            tables.append(Remembered("records", fspath(self.records)))
        if isinstance(self.against, str | PathLike):
            tables.append(Remembered("against", fspath(self.against), self.id, self.source))
        return tables


def _remembered(folder: Path, role: str, table: Remembered | None) -> str:
    """Where a remembered table is now."""
    if table is None:
        raise InputError(
            f"{role} must be given, because this folder remembers no table with fields to show, "
            f"got None. Give it with --{role}."
        )
    path = table.now(folder)
    if path is None:
        raise InputError(
            f"{role} must be where it was, got {table.path!r} (no such file). Say where it is now "
            f"with --{role}."
        )
    return path


@dataclass(frozen=True)
class PageInputs:
    """The page's material, its live bounds or why there are none, and how truth is searched for."""

    material: Material
    live: Live | str
    search: Searched


def open_inputs(audit: Audit, inputs: Inputs) -> PageInputs:
    """Read all inputs; the search index over the right-hand records is still being built."""
    draw = audit.drawn
    _check(draw, inputs)
    text, guidelines = _guidelines(inputs)
    with connect() as con:
        load_drawn(con, draw.sample)
        left_source = open_source(con, "records", inputs.records)
        by = draw.population.id, draw.matching
        left = read_records(con, left_source, *by, of_x=True, among="sample")
        check_drawn(left, [node for node, _, _ in draw.sample if node])
        right = _right(con, draw, inputs)
        if inputs.candidates is not None or inputs.holdout is not None:
            _load_population(con, audit, inputs, left_source)
        candidates, proposed = _candidates(con, draw, inputs)
        holdout, answers, live = _holdout(con, audit, inputs)
    search = Searched(
        _file(left_source),
        _file(right.source),
        right.table.num_rows,
        None if candidates is None else _file(candidates),
        None if holdout is None else _file(holdout),
        None if holdout is None else inputs.threshold,
        guidelines,
    )
    fields, index = align(left, right), _indexed(right)
    material = Material(left, right, fields, index, proposed, answers, draw.matching.dedupe, text)
    return PageInputs(material, live, search)


def _guidelines(inputs: Inputs) -> tuple[str | None, SearchedFile | None]:
    """The rules by which people label, and what the ledger has of them."""
    if inputs.guidelines is None:
        return None, None
    path = Path(inputs.guidelines)
    text = read_text(path, "guidelines", "Give a Markdown file.")
    if len(text) > LONGEST_GUIDELINES:
        raise InputError(
            f"guidelines must have at most {LONGEST_GUIDELINES} characters, got {len(text)}. "
            "Shorten them."
        )
    return text, SearchedFile(path.name, digest_of_file(path))


def _file(source: Source) -> SearchedFile:
    return SearchedFile(None if source.path is None else Path(source.path).name, source.bytes)


def _check(draw: Draw, inputs: Inputs) -> None:
    if inputs.against is None and not draw.matching.dedupe:
        raise InputError(
            "against must be given unless the draw was made with --dedupe, got None: matches that "
            "no matcher proposed must be looked for. Give the table that the population is matched "
            "with."
        )
    of_matcher = inputs.threshold, inputs.clusters
    if inputs.holdout is None and (of_matcher != (None, None) or inputs.targets):
        raise InputError(
            "threshold, target and clusters must come with a holdout matcher, got one alone. Give "
            "both."
        )
    for metric in inputs.targets or {}:
        if metric not in draw.choices.metrics:
            raise InputError(
                f"target must be about {' or '.join(draw.choices.metrics)}, as drawn, got "
                f"{metric!r}. Choose among them."
            )


def _right(con: Engine, draw: Draw, inputs: Inputs) -> Records:
    if inputs.against is None:
        source, id = open_source(con, "against", inputs.records), draw.population.id
    else:
        source, id = open_source(con, "against", inputs.against), inputs.id
    right = read_records(con, source, id, draw.matching, of_x=False, origin=inputs.source)
    if not right.table.num_rows:
        raise InputError("against must hold at least one record, got none. Check the file.")
    return right


def _load_population(con: Engine, audit: Audit, inputs: Inputs, left: Source) -> None:
    """Load the population: reading candidates may need it to decide which column holds its ids."""
    draw = audit.drawn
    population = inputs.population
    if population is None and left.bytes == draw.population.digest.bytes:
        population = inputs.records
    as_drawn(con, audit, population, (draw.choices, ()), ([], []))


def _candidates(con: Engine, draw: Draw, inputs: Inputs) -> tuple[Source | None, Proposals]:
    if inputs.candidates is None:
        return None, Proposals()
    source = open_source(con, "candidates", inputs.candidates)
    form = recognise(source, {})
    return source, read_proposals(con, source, form, draw.matching, LOWEST)


def _holdout(
    con: Engine, audit: Audit, inputs: Inputs
) -> tuple[Source | None, Proposals | None, Live | str]:
    draw = audit.drawn
    if inputs.holdout is None:
        return None, None, why_not(draw.choices, False) or ""
    reading = Reading(inputs.columns or {}, inputs.threshold, inputs.clusters, draw.choices.scores)
    known = on_record(audit.ledger.entries)
    (output,) = register_outputs(con, inputs.holdout, reading, (), draw.matching, known)
    source, least = output.source, output.reading.threshold
    by = draw.matching, least, output.is_closed
    answers = read_proposals(con, source, output.form, *by)
    why = why_not(draw.choices, True) or _why_erased(draw) or _why_open(con, draw, output)
    if why is not None:
        return source, answers, why
    choices = draw.choices
    if not choices.variances:
        variances = planned(audit.ledger.entries, [output.recorded])
        draw = replace(draw, choices=replace(choices, variances=variances))
    live = start(
        con,
        draw,
        output.is_clusters,
        answers,
        inputs.targets or {},
        output.recorded,
        erased_rows(draw, audit.ledger.entries),
    )
    return source, answers, live


def _why_erased(draw: Draw) -> str | None:
    if has_ids(draw):
        return None
    return (
        "No bounds are shown: ids were erased from this draw. `certify` draws them again from the "
        "population, and counts them as the worst case."
    )


def _why_open(con: Engine, draw: Draw, output: Output) -> str | None:
    """Why a metric of clusters has no bound, in the words of `certify`."""
    of_clusters = any(METRICS[metric].of_clusters for metric in draw.choices.metrics)
    if not of_clusters or output.is_clusters:
        return None
    try:
        check_closed(con, "holdout")
    except InputError as error:
        return f"No bounds are shown: {error}"
    return None


def _indexed(right: Records) -> "Future[Search]":
    """Build the search in a thread of its own: it may take a minute."""
    columns = {name: right.table.column(1 + i) for i, name in enumerate(right.names)}
    search: Future[Search] = Future()

    def build() -> None:
        try:
            search.set_result(Search({"": right.table.column(0)} | columns))
        except BaseException as error:
            search.set_exception(error)

    Thread(target=build, daemon=True).start()
    return search
