"""Which records a matcher's matches are of: one table's with itself, or those of two tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from matchbound.audits.readings import Answer, SeveralReadingsError
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables import (
    USUAL,
    Clusters,
    Form,
    Matching,
    Source,
    fitting_columns,
    id_column,
    keep_held,
    keep_named,
    listed,
    literal,
    unheld,
    with_own_source,
)


@dataclass(frozen=True)
class Opened:
    """The tables of two sides, or the one table, and what the user says of them."""

    records: Source
    against: Source | None = None
    source: str | None = None
    id: str | None = None
    against_id: str | None = None


@dataclass(frozen=True)
class Sides:
    """A reading of which records matches are of.

    `of_records` and `of_against` are SQL that says which of the named nodes are of either table.
    `other` is the source of the records in `against`, `columns` are those of matches that must be
    named for this reading. `ids` and `against_ids` are the columns that may be those of ids.
    """

    matching: Matching
    of_records: str = "true"
    of_against: str = "false"
    other: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    ids: Sequence[str] = ()
    against_ids: Sequence[str] = ()

    @property
    def id(self) -> str:
        return self.ids[0]

    @property
    def against_id(self) -> str | None:
        return next(iter(self.against_ids), None)


def find_sides(con: Engine, matches: Source, form: Form, opened: Opened) -> Sides:
    """Find the one reading in which every id of matches is in the table that it should be in."""
    names = keep_named(con, matches, form)
    if opened.against is None:
        readings = [_one_table(opened, names)]
    elif isinstance(form, Clusters) and form.source is None:
        return _clusters_of_two(con, opened, opened.against)
    else:
        readings = list(_two_tables(con, form, opened, names))
    readings = [_with_ids(con, one, opened) for one in readings]
    fitting = [one for one in readings if one.ids and (one.against_ids or opened.against is None)]
    if not fitting:
        raise _unfit(con, readings, opened)
    if len(fitting) > 1:
        raise _which(fitting)
    for keyword, columns in (("id", fitting[0].ids), ("against_id", fitting[0].against_ids)):
        if len(columns) > 1:
            raise _which_column(keyword, columns)
    return fitting[0]


def _one_table(opened: Opened, names: Sequence[str]) -> Sides:
    """Records are matched with each other."""
    has_sources = opened.records.column("source_dataset") is not None
    for name in ("source", "against_id"):
        if getattr(opened, name) is not None:
            raise InputError(
                f"{name} must come with against, got it alone. Give the other table, or drop it."
            )
    if names and not has_sources:
        raise InputError(
            f"against must be given, because matches are of sources ({listed(names)}), got None. "
            "Give the other table; if all of them are in records, name each record's source there "
            "in a column 'source_dataset'."
        )
    if has_sources and not names:
        raise InputError(
            "matches must tell their records' sources, because records have a column "
            "'source_dataset', got none. Drop that column, or give matches with sources."
        )
    return Sides(Matching(dedupe=True))


def _two_tables(con: Engine, form: Form, opened: Opened, names: Sequence[str]) -> Iterator[Sides]:
    """Yield what may be: any source is that of records; without sources, either side is."""
    if names:
        yield from (_of_source(opened, names, name) for name in _own_names(con, opened, names))
        return
    assert not isinstance(form, Clusters)
    if opened.source is not None:
        raise InputError(
            f"source must be left out where matches have no sources, got {opened.source!r}. "
            "Drop it."
        )
    columns = {"x": form.x, "y": form.y}
    for x, y in (("x", "y"), ("y", "x")) if form.either_way else (("x", "y"),):
        named = {"x": columns[x], "y": columns[y]} if form.either_way else {}
        yield Sides(Matching(link=True), f"side = '{x}'", f"side = '{y}'", columns=named)


def _own_names(con: Engine, opened: Opened, names: Sequence[str]) -> list[str]:
    """The sources that records may be of, as the user says or records themselves."""
    if opened.source is not None and opened.source not in names:
        raise InputError(
            f"source must be one of {listed(names)}, which matches name, got {opened.source!r}. "
            "Leave it out, or give the tables that were matched."
        )
    own = with_own_source(con, opened.records, Matching(link=True, source=opened.source)).source
    if own is not None and own not in names:
        raise InputError(
            f"records must be of one of {listed(names)}, which matches name, got {own!r} in column "
            "'source_dataset'. Give the tables that were matched."
        )
    return list(names) if own is None else [own]


def _of_source(opened: Opened, names: Sequence[str], own: str) -> Sides:
    others = [name for name in names if name != own]
    assert opened.against is not None
    if len(others) > 1 and opened.against.column("source_dataset") is None:
        raise InputError(
            "against must tell its records' source in a column 'source_dataset', because matches "
            f"are of several ({listed(names)}), got none. Add the column."
        )
    ours, other = f"source = {literal(own)}", others[0] if len(others) == 1 else None
    return Sides(Matching(link=True, source=own), ours, f"not {ours}", other)


def _with_ids(con: Engine, sides: Sides, opened: Opened) -> Sides:
    """Set the columns that may be those of ids."""
    own = sides.matching.source, sides.of_records
    ids = fitting_columns(con, opened.records, opened.id, *own)
    if opened.against is None:
        return replace(sides, ids=ids)
    theirs = sides.other, sides.of_against
    against_ids = fitting_columns(con, opened.against, opened.against_id, *theirs)
    return replace(sides, ids=ids, against_ids=against_ids)


def _which(fitting: Sequence[Sides]) -> SeveralReadingsError:
    """Ask which side records are."""
    names = [sides.matching.source for sides in fitting]
    if None in names:
        return SeveralReadingsError(
            "columns must say which side is records, because the ids of both are in both tables, "
            "got None.",
            [
                Answer("columns", dict(one.columns), f"records are in column {one.columns['x']!r}")
                for one in fitting
            ],
        )
    return SeveralReadingsError(
        f"source must say which of {' and '.join(map(repr, names))} records are, because the ids "
        "of both are in both tables, got None.",
        [Answer("source", name, f"records are of {name!r}") for name in names],
    )


def _which_column(keyword: str, columns: Sequence[str]) -> SeveralReadingsError:
    table = "records" if keyword == "id" else "against"
    return SeveralReadingsError(
        f"{keyword} must name the column of ids in {table}, because {len(columns)} columns hold "
        "the ids that matches have, got None.",
        [Answer(keyword, name, f"ids are in column {name!r}") for name in columns],
    )


def _unfit(con: Engine, readings: Sequence[Sides], opened: Opened) -> InputError:
    """The refusal of tables that lack ids: of `against`, where records fit in some reading."""
    fitting = [sides for sides in readings if sides.ids]
    if fitting and opened.against is not None:
        sides, table, id = fitting[0], opened.against, opened.against_id
        node, where = _missing(con, table, id, sides.other, sides.of_against)
    else:
        sides, table, id = readings[0], opened.records, opened.id
        node, where = _missing(con, table, id, sides.matching.source, sides.of_records)
    option = "--id" if table is opened.records else "--against-id"
    way_out = f"Give the tables that were matched, or name the column of ids ({option})."
    if opened.against is None:
        way_out = "Give the table that was matched, or name its column of ids (--id); if it was "
        way_out += "matched with another, give that too (--against)."
    return InputError(
        f"{table.argument} must hold every id that matches have of them, got none for {node!r} in "
        f"{where}. {way_out}"
    )


def _missing(
    con: Engine, table: Source, id: str | None, origin: str | None, among: str
) -> tuple[str | None, str]:
    """The first id that a table lacks, and the column that was looked in."""
    usual = id or table.column(*USUAL)
    if usual is not None:
        return unheld(con, table, id_column(table, usual), origin, among), f"its column {usual!r}"
    ((node,),) = con.rows(f"select min(node) from named where {among}")
    return node, "any column"


def _clusters_of_two(con: Engine, opened: Opened, against: Source) -> Sides:
    """Clusters of two tables without sources: each id must be in one of the tables, not in both."""
    ours, theirs = id_column(opened.records, opened.id), id_column(against, opened.against_id)
    keep_held(con, "in_records", opened.records, ours)
    keep_held(con, "in_against", against, theirs)
    ((node,),) = con.rows(
        "select min(r.node) from in_records r join in_against a on a.node = r.node"
    )
    if node is not None:
        raise InputError(
            f"matches must tell their records' sources in a column 'source_dataset', because "
            f"{node!r} is an id of records and of against, got none. Add the column."
        )
    ((node,),) = con.rows(
        "select min(n.node) from named n anti join (select node from in_records union all "
        "select node from in_against) h on h.node = n.node"
    )
    if node is not None:
        raise InputError(
            f"records and against must hold every id that matches have, got none for {node!r} in "
            f"their columns {ours!r} and {theirs!r}. Give the tables that were matched, or name "
            "the columns of ids (--id, --against-id)."
        )
    return Sides(Matching(link=True), ids=[ours], against_ids=[theirs])
