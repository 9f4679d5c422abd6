"""`witness` as SQL, for networks that do not fit into memory: the same rounds, the same matches."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from matchbound.engines import Engine, Progress, connect, keep, query, sql
from matchbound.errors import InputError
from matchbound.matchers.agreement import seed_doubt
from matchbound.matchers.candidates import load_candidates, no_candidate
from matchbound.matchers.columns import key_columns, refuse_untrimmed, spaces_around
from matchbound.matchers.edges import no_edge, no_id
from matchbound.matchers.matches import Matches, counted, doubted, write_batches
from matchbound.matchers.seeds import GUESSES, absent_seeds, known_pairs, refuse_repeated
from matchbound.matchers.witness import powers_down
from matchbound.tables import count_rows, has_outer_spaces, load, open_source

SIDES = (("left", "x"), ("right", "y"))


@dataclass(frozen=True)
class Machine:
    """Where SQL runs: the engine, DuckDB's memory and folder to spill to, who hears progress."""

    engine: Any
    memory: str | None = None
    temp: Any = None
    progress: Progress = lambda _: None


def matched_by(machine: Machine, left: Any, right: Any, seeds: Any, **options: Any) -> Matches:
    """Match by SQL, and return the matches as a table in memory."""
    import pyarrow as pa

    with _matched(machine, left, right, seeds, **options) as con:
        table = pa.Table.from_batches(con.batches(sql("matchers/matches")))
        return Matches(table, _seed_doubt(con))


def write_matched_by(
    machine: Machine, left: Any, right: Any, seeds: Any, *, out: Path, force: bool, **options: Any
) -> str:
    """Match by SQL, and write the matches in batches; return their number in words, and a doubt."""
    with _matched(machine, left, right, seeds, **options) as con:
        write_batches(out, lambda: con.batches(sql("matchers/matches")), force=force)
        ((seeds, few),) = con.rows(
            "select count(*) filter (where round = 0), "
            "count(*) filter (where round > 0 and witnesses <= 2) from matched"
        )
        found = count_rows(con, "matched") - seeds
        # In witness, every pair that is adopted has more witnesses than its rivals.
        doubt = _seed_doubt(con) or doubted(seeds, found, 0, few)
        return "\n".join(filter(None, [counted(seeds, found), doubt]))


def _seed_doubt(con: Engine) -> str:
    (counts,) = query(con, "matchers/seed_edges")
    return seed_doubt(*map(int, counts))


@contextmanager
def _matched(
    machine: Machine,
    left: Any,
    right: Any,
    seeds: Any,
    *,
    threshold: int = 2,
    repeat: int = 2,
    candidates: Any = None,
) -> Iterator[Engine]:
    """Run all rounds; yield the engine that has the matches as the table `matched`."""
    with connect(machine.engine, machine.memory, machine.temp) as con:
        machine.progress("reading the networks")
        kinds = _load_network(con, left, "left"), _load_network(con, right, "right")
        _load_seeds(con, seeds, kinds)
        among = _among(con, candidates)
        _rounds(con, threshold, repeat, among, machine.progress)
        yield con


def _load_network(con: Engine, edges: Any, side: str) -> str:
    """Load an edge list as the tables `<side>_edges` and `<side>_nodes`; return its ids' type.

    `<side>_edges` has each edge once from either end, and no edge from a node to itself.
    """
    source = open_source(con, side, edges, hashed=False)
    (a, b), kind = key_columns(source, ("src", "dst"), or_first=True)
    load(con, source, "given_edges", f"{a} as a, {b} as b")
    ends = "(select a as id from given_edges union all select b from given_edges) ends"
    ((empty,),) = con.rows(f"select count(*) - count(id) from {ends}")
    if empty:
        raise no_id(side, f"{empty} empty")
    keep(con, f"{side}_edges", "matchers/edges", given="given_edges")
    if not count_rows(con, f"{side}_edges"):
        raise no_edge(side)
    if kind == "string":
        ((first,),) = con.rows(f"select min(id) from {ends} where {has_outer_spaces('id')}")
        if first is not None:
            raise spaces_around(side, first)
    keep(con, f"{side}_nodes", "matchers/degrees", given="given_edges", edges=f"{side}_edges")
    return kind


def _load_seeds(con: Engine, seeds: Any, kinds: tuple[str, str]) -> None:
    """Check the seeds, and keep them as the table `matched`."""
    import pyarrow as pa

    if isinstance(seeds, str) and seeds in GUESSES:
        raise InputError(
            f"seeds must be pairs with an engine, got {seeds!r}: they are guessed in memory. Give "
            "some pairs, or leave the engine out."
        )
    x, y = known_pairs(seeds)
    pairs = pa.table({"place": pa.array(np.arange(len(x))), "x": x, "y": y})
    con.keep("seeds", f"select * from {con.open(pairs).scan}")
    for column, ids, side in (("x", x, "left"), ("y", y, "right")):
        refuse_untrimmed(ids, "seeds")
        absent = query(con, "matchers/absent_seeds", column=column, nodes=f"{side}_nodes")
        if absent:
            raise absent_seeds(column, len(absent), side, absent[0][0])
        refuse_repeated(column, ids)
    keep(con, "matched", "matchers/known_pairs", x=kinds[0], y=kinds[1])


def _among(con: Engine, candidates: Any) -> str:
    """Load candidates, if any; return SQL that limits pairs x, y to them."""
    if candidates is None:
        return ""
    load_candidates(con, candidates)
    keep(con, "known_candidates", "matchers/known_candidates")
    if not count_rows(con, "known_candidates"):
        raise no_candidate()
    return "join known_candidates c on c.x = l.x and c.y = r.y"


def _rounds(con: Engine, threshold: int, repeat: int, among: str, progress: Progress) -> None:
    """Run the rounds of `witness`; each replaces the tables `counted` and `adopted`."""
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
            adopted += _round(con, round, degree, threshold, among)
        if not adopted:
            break


def _round(con: Engine, round: int, degree: int, threshold: int, among: str) -> int:
    keep(con, "counted", "matchers/witnesses", degree=degree, among=among)
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
