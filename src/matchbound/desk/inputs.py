"""The inputs of the labelling page, each read once and checked."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from threading import Thread
from typing import Any

from matchbound.audits import Audit, Draw, Searched, SearchedFile, as_drawn, planned
from matchbound.desk.live import Live, start, why_not
from matchbound.desk.material import Material
from matchbound.desk.proposals import LOWEST, Proposals, read_proposals
from matchbound.desk.records import Records, align, check_drawn, read_records
from matchbound.desk.search import Search
from matchbound.engines import Engine, connect
from matchbound.errors import InputError
from matchbound.tables import (
    Clusters,
    Reading,
    Source,
    load_drawn,
    open_source,
    recognise,
    register_outputs,
)


@dataclass(frozen=True)
class Inputs:
    """What a user gives besides the audit folder."""

    records: Any
    against: Any = None
    candidates: Any = None
    holdout: Any = None
    threshold: float | None = None
    columns: Mapping[str, str] | None = None
    population: Any = None
    id: str | None = None
    targets: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Opened:
    """What the page shows, its live bounds or why there are none, and how truth is searched for."""

    material: Material
    live: Live | str
    search: Searched


def open_inputs(audit: Audit, given: Inputs) -> Opened:
    """Read everything; the index over the right-hand records goes on being made."""
    draw = audit.drawn
    _check(draw, given)
    with connect() as con:
        load_drawn(con, draw.sample)
        left_source = open_source(con, "records", given.records)
        left = read_records(con, left_source, draw.population.id, draw.matching, of_x=True)
        check_drawn(left, [node for node, _, _ in draw.sample])
        right = _right(con, draw, given)
        if given.candidates is not None or given.holdout is not None:
            _load_population(con, audit, given, left_source)
        candidates, proposed = _candidates(con, draw, given)
        holdout, answers, live = _holdout(con, audit, given)
    search = Searched(
        _file(left_source),
        _file(right.source),
        right.table.num_rows,
        None if candidates is None else _file(candidates),
        None if holdout is None else _file(holdout),
        None if holdout is None else given.threshold,
    )
    fields, index = align(left, right), _indexed(right)
    material = Material(left, right, fields, index, proposed, answers, draw.matching.dedupe)
    return Opened(material, live, search)


def _file(source: Source) -> SearchedFile:
    return SearchedFile(source.path, source.bytes)


def _check(draw: Draw, given: Inputs) -> None:
    if given.against is None and not draw.matching.dedupe:
        raise InputError(
            "against must be given unless the draw was made with --dedupe, got None: matches that "
            "no matcher proposed must be looked for. Give the table that the population is matched "
            "with."
        )
    if given.holdout is None and (given.threshold is not None or given.targets):
        raise InputError(
            "threshold and target must come with a holdout matcher, got one alone. Give both."
        )
    for metric in given.targets or {}:
        if metric not in draw.choices.metrics:
            raise InputError(
                f"target must be about {' or '.join(draw.choices.metrics)}, as drawn, got "
                f"{metric!r}. Choose among them."
            )


def _right(con: Engine, draw: Draw, given: Inputs) -> Records:
    if given.against is None:
        source, id = open_source(con, "against", given.records), draw.population.id
    else:
        source, id = open_source(con, "against", given.against), given.id
    right = read_records(con, source, id, draw.matching, of_x=False)
    if not right.table.num_rows:
        raise InputError("against must hold at least one record, got none. Check the file.")
    return right


def _load_population(con: Engine, audit: Audit, given: Inputs, left: Source) -> None:
    """Load the population: reading candidates may need it to decide which column holds its ids."""
    draw = audit.drawn
    where = given.population
    if where is None and left.bytes == draw.population.digest.bytes:
        where = given.records
    as_drawn(con, audit, where, (draw.choices, ()), ([], []))


def _candidates(con: Engine, draw: Draw, given: Inputs) -> tuple[Source | None, Proposals]:
    if given.candidates is None:
        return None, Proposals()
    source = open_source(con, "candidates", given.candidates)
    form = recognise(source, {})
    return source, read_proposals(con, source, form, draw.matching, LOWEST)


def _holdout(
    con: Engine, audit: Audit, given: Inputs
) -> tuple[Source | None, Proposals | None, Live | str]:
    draw = audit.drawn
    if given.holdout is None:
        return None, None, why_not(draw.choices, False) or ""
    reading = Reading(given.columns or {}, given.threshold, draw.choices.scores)
    (output,) = register_outputs(con, given.holdout, reading, (), draw.matching)
    source, form = output.source, output.form
    answers = read_proposals(con, source, form, draw.matching, output.reading.threshold)
    why = why_not(draw.choices, True)
    if why is not None:
        return source, answers, why
    choices = draw.choices
    if not choices.variances:
        variances = planned(audit.ledger.entries, [output.recorded])
        draw = replace(draw, choices=replace(choices, variances=variances))
    live = start(
        con, draw, isinstance(form, Clusters), answers, given.targets or {}, output.recorded
    )
    return source, answers, live


def _indexed(right: Records) -> "Future[Search]":
    """Build the search in a thread of its own: it may take a minute."""
    columns = {name: right.table.column(1 + i) for i, name in enumerate(right.names)}
    made: Future[Search] = Future()

    def make() -> None:
        try:
            made.set_result(Search({"": right.table.column(0)} | columns))
        except BaseException as error:
            made.set_exception(error)

    Thread(target=make, daemon=True).start()
    return made
