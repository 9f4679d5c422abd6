"""The labelled nodes: those of a draw, or those of labels that a person brings along."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matchbound.audits.audit import Audit
from matchbound.audits.draw import Draw, digest_as_drawn, join_orders
from matchbound.audits.erased import erased_rows, trained_on_now
from matchbound.audits.inputs import DrawRef, Origins, Population, TableRef, Within
from matchbound.audits.ledger import erased_records
from matchbound.audits.part import changed_since, open_as_drawn
from matchbound.audits.training import check_second
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.files import digest_of_file, files_at
from matchbound.tables import (
    Digest,
    Matching,
    Source,
    count_rows,
    digest_of,
    digest_of_ids,
    id_column,
    kind_of_ids,
    kind_of_part,
    open_source,
    read_ids,
    read_population,
    recognise,
    rows_of_labels,
    with_own_source,
)
from matchbound.tallies import BROUGHT, TEXT, Setting
from matchbound.theorems import Choices

DRAWN = "drawn"
DRAWN_AFTER = "drawn_after_training"
BY_WEIGHT = "drawn_by_weight"
GIVEN = "seed_given"
"""Codes of where labelled nodes come from; `certificates/words` has the sentences."""


def _origin(draw: Draw) -> str:
    if draw.seed_given:
        return GIVEN
    if draw.choices.weigh:
        return BY_WEIGHT
    return DRAWN_AFTER if draw.is_second else DRAWN


def as_drawn(
    con: Engine,
    audit: Audit,
    population: Any,
    choices: tuple[Choices, tuple[str, ...]],
    columns: tuple[Sequence[tuple[Source, str]], Sequence[tuple[Source, str]]],
    within: Any = None,
) -> tuple[Setting, Origins]:
    """Load the population of a draw, and return its nodes with all that was fixed, and its tables.

    `columns` are those of x and of y, if ids may be read as they are. `within` is the part that
    was drawn from, if it was a part and the user gives it again.
    """
    draw, (xs, ys) = audit.drawn, columns
    compared = [*xs, *(ys if draw.matching.dedupe else [])]
    kind, whole, part = _read_drawn_from(con, audit, (population, within), compared)
    path = None if audit.folder is None else audit.folder / "draw.json"
    digest_of_draw = Digest(None, draw.digest if path is None else digest_of_file(path))
    origins = Origins(
        whole,
        DrawRef(None if path is None else str(path), digest_of_draw, draw.seed_given),
        _trained_on(con, audit),
        part,
    )
    chosen, exploratory = choices
    if draw.is_second:
        check_second(chosen)
    draw.matching.check_future(chosen.future)
    setting = Setting(
        draw.size,
        (kind, kind),
        draw.sample,
        draw.gap if chosen.gap else (),
        chosen,
        _origin(draw),
        draw.matching,
        exploratory,
        stops=chosen.until_true is not None or (draw.choices.is_anytime and chosen.is_anytime),
        erased=erased_rows(draw, audit.ledger.entries),
        erased_records=erased_records(audit.ledger.entries),
        whole_size=None if part is None else whole.size,
    )
    return setting, origins


def _read_drawn_from(
    con: Engine,
    audit: Audit,
    tables: tuple[Any, Any],
    compared: Sequence[tuple[Source, str]],
) -> tuple[str, Population, Within | None]:
    """Load what a draw's nodes were drawn from, and return the ids' type and what it is on record.

    `tables` are the population and the part of it, as the user gives them again. Refused if they
    have changed since. Rows that are repeated do not change a digest, but how many there are.
    """
    draw, (population, within) = audit.drawn, tables
    id, origin = draw.population.id, draw.matching.source
    source = open_source(con, "population", audit.population(population))
    digest = digest_as_drawn(con, draw, source)
    if digest is None:
        raise changed_since(source)
    part, on_record = open_as_drawn(con, audit, within) or (None, None)
    column, is_native = id_column(source, id), compared and origin is None
    kind = kind_of_ids(source, column, *compared) if is_native else "string"
    kind = kind_of_part(part, id, kind)
    size = read_population(con, source, id, kind, checked=True, origin=origin, within=part)
    if size != draw.size:
        raise changed_since(part or source)
    if part is not None and count_rows(con, "everyone") != draw.population.size:
        raise changed_since(source)
    return kind, Population(source.path, digest, draw.population.size, id), on_record


def _trained_on(con: Engine, audit: Audit) -> TableRef | None:
    """The labels that D was known by, if it was.

    Their digest in draw.json has the salt of that time. Where labels were erased, the salt is
    another, and the digest is taken anew: D itself is checked by drawing again.
    """
    recorded, path = audit.drawn.trained_on, trained_on_now(audit)
    if recorded is None or not audit.ledger.has_erased:
        return recorded
    if path is None or not files_at(Path(path)):
        return recorded
    source = open_source(con, "trained_on", path)
    digest = digest_of(con, source, rows_of_labels(source, recognise(source, {})))
    return TableRef(recorded.path, audit.ledger.journal.salted(digest))


def as_brought(
    con: Engine,
    population: Any,
    id: str | None,
    trained_on: Any,
    choices: Choices,
    matching: Matching,
    read: Callable[[Matching], None],
) -> tuple[Setting, Origins]:
    """The nodes that have a label: D, and all others to validate on. Their order means nothing.

    `read` loads the labels.
    """
    matching.check_future(choices.future)
    source = open_source(con, "population", population)
    matching = with_own_source(con, source, matching)
    size = read_population(con, source, id, origin=matching.source)
    read(matching)
    digest = digest_of_ids(con, source, id_column(source, id), matching.source)
    labelled = _ids(con, "select distinct x as id from labels")
    if not labelled:
        raise InputError("labels must be of at least one node, got none. Check the file.")
    unknown = _ids(con, "select distinct x as id from labels anti join population on x = id")
    if unknown:
        raise InputError(
            f"labels must be of nodes of the population, got {unknown[0]!r}, which is not in it. "
            "Give the population that the labelled nodes were drawn from."
        )
    trained: list[str] = []
    of_trained = None
    if trained_on is not None:
        used = open_source(con, "trained_on", trained_on)
        column = id_column(used, None, "x")
        read_ids(con, used, "trained", column, origin=matching.source)
        digest_of_trained = digest_of_ids(con, used, column, matching.source)
        of_trained = TableRef(used.path, digest_of_trained)
        trained = _ids(con, "select id from trained")
        unlabelled = sorted(set(trained) - set(labelled))
        if unlabelled:
            raise InputError(
                f"trained_on must hold labelled nodes, got {unlabelled[0]!r} without a label. "
                "Give all labels, those trained on included."
            )
    kept = set(trained)
    sample = join_orders(trained, [node for node in labelled if node not in kept])
    setting = Setting(size, TEXT, sample, (), choices, BROUGHT, matching)
    drawn_from = Population(source.path, digest, size, id, matching)
    return setting, Origins(drawn_from, None, of_trained, None)


def _ids(con: Engine, select: str) -> list[str]:
    return [node for (node,) in con.rows(f"{select} order by id")]
