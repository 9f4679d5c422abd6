"""One step from a matcher's table to the nodes to label: understand what is there, then draw."""

from collections.abc import Callable, Mapping
from typing import Any

from matchbound.audits.draw import Draw
from matchbound.audits.sample import make_draw
from matchbound.audits.understand import Given, Understood, understand
from matchbound.engines import Progress, Resources
from matchbound.errors import MatchboundError


def audit(
    matches: Any,
    *,
    records: Any,
    against: Any = None,
    labels: int,
    out: Any,
    threshold: float | None = None,
    clusters: bool | None = None,
    source: str | None = None,
    id: str | None = None,
    against_id: str | None = None,
    columns: Mapping[str, str] | None = None,
    force: bool = False,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> Draw:
    """Draw `labels` of the records that a matcher's matches are of, and put the matcher on record.

    `matches` is the matcher's table, such as a Splink linker's predictions. They are of `records`
    alone, or of `records` and `against`. What the tables are is read from them: `say` gets three
    lines on it. Where they have several readings, nothing is drawn: the error names the keywords
    that choose one of them, among `clusters`, `source`, `id`, `against_id` and `columns`.

    The folder `out` is then as `draw` makes it: the matcher goes on record before the seed is made.
    It remembers where the tables are, so that `label` and `certify` need no other word.
    """
    given = Given(
        _held(matches),
        _held(records),
        _held(against),
        labels,
        threshold,
        clusters,
        source,
        id,
        against_id,
        columns or {},
    )
    resources = Resources(engine, memory, temp, progress)
    understood = understood_of(given, resources)
    for line in understood.lines:
        say(line)
    where = {"engine": engine, "memory": memory, "temp": temp}
    return draw_understood(understood, out=out, force=force, **where, progress=progress, say=say)


def draw_understood(understood: Understood, **how: Any) -> Draw:
    """Draw; what is refused of the matcher's table is said of the argument that it was given as."""
    try:
        return make_draw(understood.wishes, **how)
    except MatchboundError as error:
        if not str(error).startswith("holdout must "):
            raise
        raise type(error)(str(error).replace("holdout", "matches", 1)) from None


def understood_of(given: Given, resources: Resources) -> Understood:
    """Understand the tables, and let go of them."""
    resources.progress("reading the tables")
    with resources.connect() as con:
        return understand(con, given)


def _held(table: Any) -> Any:
    """The table, or its rows if they can be read only once: they are read twice here."""
    return table.read_all() if hasattr(table, "read_all") else table
