"""`witness` by SQL, for networks that do not fit into memory: the same rounds, the same matches."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matchbound.engines import Engine, Progress, connect, keep, sql
from matchbound.matchers.matches import Matches, counted, write_batches
from matchbound.matchers.networks import load_network, load_seeds
from matchbound.matchers.witness import powers_down
from matchbound.tables import count_rows

SIDES = (("left", "x"), ("right", "y"))


def matched_by(engine: Any, left: Any, right: Any, seeds: Any, **how: Any) -> Matches:
    """The matches, as a table in memory."""
    import pyarrow as pa

    with _matched(engine, left, right, seeds, **how) as con:
        return Matches(pa.Table.from_batches(con.batches(sql("matchers/matches"))))


def write_matched_by(
    engine: Any, left: Any, right: Any, seeds: Any, *, out: Path, force: bool, **how: Any
) -> str:
    """The matches written to a file as they come; what they are."""
    with _matched(engine, left, right, seeds, **how) as con:
        write_batches(out, lambda: con.batches(sql("matchers/matches")), force=force)
        ((known,),) = con.rows("select count(*) from matched where round = 0")
        return counted(known, count_rows(con, "matched") - known)


@contextmanager
def _matched(
    engine: Any,
    left: Any,
    right: Any,
    seeds: Any,
    *,
    threshold: int = 2,
    repeat: int = 2,
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
) -> Iterator[Engine]:
    with connect(engine, memory, temp) as con:
        progress("reading the networks")
        kinds = load_network(con, left, "left"), load_network(con, right, "right")
        load_seeds(con, seeds, kinds)
        _rounds(con, threshold, repeat, progress)
        yield con


def _rounds(con: Engine, threshold: int, repeat: int, progress: Progress) -> None:
    """As `witness` does, each with the tables `counted` and `adopted` of its own."""
    for side, column in SIDES:
        keep(
            con,
            f"{side}_free",
            "matchers/still_free",
            free=f"{side}_nodes",
            column=column,
            a="matched",
        )
    highest = min(_highest(con, side) for side, _ in SIDES)
    round = 0
    for _ in range(repeat):
        adopted = 0
        for degree in powers_down(highest):
            round += 1
            progress(f"round {round}: nodes with {degree} neighbours or more")
            adopted += _round(con, round, degree, threshold)
        if not adopted:
            break


def _round(con: Engine, round: int, degree: int, threshold: int) -> int:
    keep(con, "counted", "matchers/witnesses", degree=degree)
    keep(con, "adopted", "matchers/adopted", True, threshold=threshold, round=round)
    new = count_rows(con, "adopted")
    if new:
        more = "select * from matched union all select * from adopted"
        con.keep("matched", more, settled=True)
        for side, column in SIDES:
            still = {"free": f"{side}_free", "column": column, "a": "adopted"}
            keep(con, f"{side}_free", "matchers/still_free", True, **still)
    return new


def _highest(con: Engine, side: str) -> int:
    ((degree,),) = con.rows(f"select max(degree) from {side}_nodes")
    return int(degree)
