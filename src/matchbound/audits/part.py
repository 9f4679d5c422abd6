"""The part of a population that nodes are drawn from: put on record, and found again."""

from typing import Any

from matchbound.audits.audit import Audit
from matchbound.audits.draw import digest_as_drawn
from matchbound.audits.inputs import Within
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables import Digest, Matching, Source, digest_of_ids, open_source, part_column


def open_part(con: Engine, within: Any) -> Source | None:
    """Open the table of a part's ids, if the user gave one."""
    return None if within is None else open_source(con, "within", within)


def digest_of_part(
    con: Engine, source: Source, id: str | None, matching: Matching, *on_record: Digest
) -> Digest:
    """Digest a part as its ids are read; `id` is the population's column, if the user named it."""
    return digest_of_ids(con, source, part_column(source, id), matching.source, on_record)


def changed_since(source: Source) -> InputError:
    """The error of a population, or a part of it, that is not what was drawn from."""
    return InputError(
        f"{source.argument} must be what was drawn from, got {source.path or 'a table'!r}, which "
        "has changed since. Restore it; if records came or went, certify with the population as it "
        "is now as --population; or draw again."
    )


def drawn_from(con: Engine, audit: Audit) -> Any:
    """Where the drawn population is, beside the one that is now; refused if it is not there."""
    keep = "Keep it beside the one that is now, under another name."
    path = audit.drawn.population.found_again("the drawn population", audit.folder, keep)
    source = open_source(con, "population", path)
    if digest_as_drawn(con, audit.drawn, source) is None:
        raise InputError(
            f"the drawn population must be kept as it was, got {source.path or 'a table'!r}, which "
            "has changed since. Restore it there, and give the one that is now under another name."
        )
    return path


def open_as_drawn(con: Engine, audit: Audit, within: Any) -> tuple[Source, Within] | None:
    """Open the part that an audit's nodes were drawn from; refuse another. None if it is none.

    `within` is the part as the user gives it again, or None.
    """
    draw = audit.drawn
    if draw.within is None:
        if within is not None:
            raise InputError(
                "within must be left out where nodes were drawn from the whole population, got it. "
                "Drop it, or draw again with it."
            )
        return None
    source, drawn = open_source(con, "within", audit.within(within)), draw.within.digest
    digest = digest_of_part(con, source, draw.population.id, draw.matching, drawn)
    if not digest.is_same(drawn, read_alike=True):
        raise changed_since(source)
    return source, Within(source.path, digest, draw.within.size)
