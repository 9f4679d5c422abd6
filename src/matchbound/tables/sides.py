"""Whether two tables are matched with each other, or one with itself."""

from dataclasses import dataclass, replace

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.forms import Clusters, Form, Pairs
from matchbound.tables.ids import node_of
from matchbound.tables.sources import Source, listed, literal, quoted, scan


@dataclass(frozen=True)
class Matching:
    """`dedupe`: one table, X = Y. `link`: Y is another table. The user may leave both open.

    `source` is the name of X's source where tables have columns of sources; `with_own_source`
    sets it where the population itself names it.
    """

    dedupe: bool = False
    link: bool = False
    source: str | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.source, str | None) and self.source != ""):
            raise InputError(f"source must be a name, got {self.source!r}. Give text.")
        if self.dedupe and (self.link or self.source is not None):
            raise InputError(
                "dedupe must be given without link and source, got both. "
                "Say whether one table is matched with itself, or two with each other."
            )

    @property
    def is_link(self) -> bool:
        return self.link or self.source is not None

    def check_future(self, future: bool) -> None:
        """Refuse guarantees about the future where X = Y.

        They need nodes that are independent draws, but there nodes are each other's matches.
        """
        if future and self.dedupe:
            raise InputError(
                "future must not come with dedupe, got both: a record's matches are then other "
                "records, so records are no independent draws. Drop one of them."
            )

    def as_dict(self) -> dict[str, bool | str | None]:
        return {"dedupe": self.dedupe, "link": self.link, "source": self.source}


def with_own_source(con: Engine, population: Source, matching: Matching) -> Matching:
    """Set the source that the population's column `source_dataset` names, where X ≠ Y.

    Where the column names several, none is set: tables with sources then cannot show their sides.
    """
    column = population.column("source_dataset")
    if column is None or matching.dedupe:
        return matching
    refuse_no_source(con, population, column)
    rows = scan(con, population, f"select distinct cast({quoted(column)} as string)")
    names, said = sorted(name for (name,) in rows), matching.source
    if said is not None and len(names) > 1:
        raise InputError(
            f"source must be left out where {population.argument} has records of several sources "
            f"({listed(names)}), got {said!r}. Draw from the records of one source; or with "
            "--dedupe, if all of them are matched with each other."
        )
    if said is not None and names not in ([], [said]):
        raise InputError(
            f"source must be {names[0]!r}, which column {column!r} of {population.argument} names, "
            f"got {said!r}. Drop it, or draw from the records of the other source."
        )
    return replace(matching, source=names[0]) if len(names) == 1 else matching


def pair_columns(source: Source, form: Pairs, kinds: tuple[str, str]) -> str:
    x = node_of(source, form.x, form.x_source, kinds[0])
    y = node_of(source, form.y, form.y_source, kinds[1])
    return f"{x} as x, {y} as y{source_columns(form)}"


def source_columns(form: Pairs) -> str:
    if form.x_source is None or form.y_source is None:
        return ""
    x, y = (f"cast({quoted(column)} as string)" for column in (form.x_source, form.y_source))
    return f", {x} as x_source, {y} as y_source"


def refuse_no_source(con: Engine, source: Source, *columns: str | None) -> None:
    for column in columns:
        if column is None:
            continue
        empty = f"{quoted(column)} is null or cast({quoted(column)} as string) = ''"
        ((count,),) = scan(con, source, "select count(*)", empty)
        if count:
            raise InputError(
                f"{source.argument} must have a source in every row, got {count} empty in column "
                f"{column!r}. Fill them."
            )


def refuse_either_side(
    con: Engine, source: Source, table: str, form: Pairs, matching: Matching
) -> None:
    """Refuse pairs of two tables that have ids of the population on both sides, but no sources.

    Nothing would show which side is x.
    """
    if not matching.is_link or not form.either_way or form.x_source is not None:
        return
    in_population = "in (select cast(id as string) from everyone)"
    rows = con.rows(
        f"select min(y) from {table} where cast(y as string) {in_population} "
        f"and exists (select 1 from {table} where cast(x as string) {in_population})"
    )
    for (y,) in rows:
        if y is not None:
            raise InputError(
                f"{source.argument} must tell which side is the population, got its ids on both "
                f"sides (such as {str(y)!r}). Name the sides: --columns x={form.x},y={form.y} if "
                "the first is it; or give both sources."
            )


def population_source(con: Engine, source: Source, form: Form, matching: Matching) -> str:
    """Return the name of the population's source; refuse it if the table has other sources only."""
    columns = [form.source] if isinstance(form, Clusters) else [form.x_source, form.y_source]
    names: set[str] = set()
    for column in columns:
        if column is not None:
            rows = scan(con, source, f"select distinct cast({quoted(column)} as string)")
            names |= {name for (name,) in rows}
    if matching.source is None or (names and matching.source not in names):
        raise InputError(
            f"source must say which of {listed(sorted(names))} is the population, as "
            f"{source.argument} has records of several, got {matching.source!r}. Draw from the "
            "records of one source, with --source if no column 'source_dataset' names it."
        )
    return matching.source


def orient(
    con: Engine,
    source: Source,
    table: str,
    form: Pairs,
    matching: Matching,
    also: str,
) -> None:
    """Swap pairs so that x is on the population's side, if the table has source columns.

    `also`: further columns to keep.
    """
    if form.x_source is None:
        return
    if not matching.dedupe:
        ours = literal(population_source(con, source, form, matching))
        con.keep(
            table,
            f"select x, y{also} from {table} where x_source = {ours} and y_source <> {ours} "
            "union all "
            f"select y, x{also} from {table} where y_source = {ours} and x_source <> {ours}",
        )
    else:
        con.keep(table, f"select x, y{also} from {table}")


def make_symmetric(con: Engine, source: Source, table: str, also: str) -> None:
    """Add (y, x) for each (x, y), where X = Y. `also`: further columns to keep."""
    refuse_selves(con, source, table)
    con.keep(table, f"select x, y{also} from {table} union select y, x{also} from {table}")


def refuse_selves(con: Engine, source: Source, table: str) -> None:
    for (x,) in con.rows(f"select x from {table} where x = y order by x limit 1"):
        raise InputError(
            f"{source.argument} must not match a record with itself, got {str(x)!r}. "
            "Remove such pairs."
        )
