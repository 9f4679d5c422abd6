"""The tables of records that an audit's draw was made from and is matched with."""

from dataclasses import dataclass
from typing import Any

from matchbound.audits.audit import Audit
from matchbound.audits.remembered import latest
from matchbound.errors import InputError


@dataclass(frozen=True)
class RecordTables:
    """The population's records and those that it is matched with: None if with itself.

    `sources` are the names of the two tables' sources, where ids are written with them.
    """

    left: Any
    right: Any
    id: str | None
    right_id: str | None
    sources: tuple[str | None, str | None]
    has_scores_fixed: bool
    """Whether the draw fixes thresholds, so that `certify` takes none."""


def record_tables(audit: Any, left: Any = None, right: Any = None) -> RecordTables:
    """The tables that are given, or else those that the folder remembers."""
    opened = Audit.open(audit)
    draw, folder = opened.drawn, opened.own_folder
    known = latest(folder, "against")
    if draw.matching.dedupe:
        _refuse_right(right)
        known = None
    elif right is None:
        right = None if known is None else known.now(folder)
        if right is None:
            raise InputError(
                "right must be given, because this folder does not know which records the "
                "population is matched with, got None. Give the table with --right."
            )
    elif known is not None and not known.is_at(right):
        known = None
    right_id, source = (None, None) if known is None else (known.id, known.source)
    return RecordTables(
        opened.population(left),
        right,
        draw.population.id,
        right_id,
        (draw.matching.source, source),
        bool(draw.choices.scores),
    )


def _refuse_right(right: Any) -> None:
    if right is not None:
        raise InputError(
            "right must be left out, since the draw matches one table with itself, got "
            f"{str(right)!r}. Drop it."
        )
