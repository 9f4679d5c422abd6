"""`reconcile`: match the nodes of two networks, in memory or by SQL."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any

from matchbound.errors import InputError
from matchbound.matchers.agreement import edges_between, seed_doubt
from matchbound.matchers.candidates import Candidates, read_candidates
from matchbound.matchers.edges import graph
from matchbound.matchers.expand import expand
from matchbound.matchers.graphs import Ints
from matchbound.matchers.matches import Found, Matches, named
from matchbound.matchers.percolation import percolation
from matchbound.matchers.seeds import GUESSES, read_seeds
from matchbound.matchers.soft import soft
from matchbound.matchers.witness import witness
from matchbound.matchers.witness_sql import Machine, matched_by, write_matched_by

Method = Callable[..., Found]
"""A function of two graphs, seeds (numbers of nodes), and options by keyword."""

MOST = 2**31 - 1  # of any option

MATCHERS: dict[str, Method] = {
    "witness": witness,
    "percolation": percolation,
    "expand": expand,
    "soft": soft,
}


def reconcile(
    left: Any,
    right: Any,
    seeds: Any,
    *,
    method: str | Method = "witness",
    threshold: int | None = None,
    repeat: int | None = None,
    marks: int | None = None,
    seed: int | str | None = None,
    candidates: Any = None,
    engine: Any = None,
    memory: str | None = None,
    temp: Any = None,
) -> Matches:
    """Match the nodes of two networks, starting from known pairs, the seeds.

    `left` and `right` are edge lists (paths or tables), scipy sparse matrices, networkx or igraph
    graphs, or results of `matchers.graph`. `seeds` are a table or list of pairs x, y, or "hubs",
    "bayes" or "convex", which guess them.
    `threshold`, `repeat`, `marks` and `seed` are options of methods; `matchers` describes which
    method takes which, and the defaults. `candidates` are a table of pairs x, y, the only ones
    that may be matched besides seeds; `soft` adds their score to what neighbours say. With an
    `engine`, `witness` runs as SQL on edge lists that
    may be larger than memory: in DuckDB, which uses at most `memory` and spills to the folder
    `temp`, or in Spark.

    >>> import matchbound as mb
    >>> import pyarrow as pa
    >>> left = pa.table({"src": ["a", "b", "a", "b", "c"], "dst": ["c", "c", "d", "d", "e"]})
    >>> right = pa.table({"src": [1, 2, 1, 2, 3], "dst": [3, 3, 4, 4, 5]})
    >>> matches = mb.reconcile(left, right, [("a", 1), ("b", 2), ("e", 5)])
    >>> print(matches)
    5 matches: 3 seeds and 2 found.
    >>> matches.pairs()[3:]
    [('c', '3'), ('d', '4')]
    """
    options = {"threshold": threshold, "repeat": repeat, "marks": marks, "seed": seed}
    matcher = _matcher(method)
    chosen = _checked_options(matcher, method, options | {"candidates": candidates})
    if engine is not None:
        _check_by_sql(matcher, method)
        return matched_by(Machine(engine, memory, temp), left, right, seeds, **chosen)
    _check_in_memory(memory, temp)
    x, y = graph(left, "left"), graph(right, "right")
    pairs, likeness = read_seeds(seeds, x, y)
    is_guess = isinstance(seeds, str) and seeds in GUESSES
    if candidates is not None:
        chosen["candidates"] = read_candidates(candidates, x, y)
        if is_guess:
            pairs, likeness = _among(chosen["candidates"], pairs, likeness)
    matches = named(x, y, pairs, likeness, matcher(x, y, pairs, **chosen))
    doubt = "" if is_guess else seed_doubt(*edges_between(x, y, pairs))
    return replace(matches, seed_doubt=doubt)


def write_reconciled(
    left: Any,
    right: Any,
    seeds: Any,
    *,
    out: Path,
    machine: Machine,
    method: str = "witness",
    force: bool = False,
    **options: object,
) -> str:
    """Run `reconcile` as SQL and write the matches; return their number in words, and a doubt."""
    matcher = _matcher(method)
    chosen = _checked_options(matcher, method, options)
    _check_by_sql(matcher, method)
    return write_matched_by(machine, left, right, seeds, out=out, force=force, **chosen)


def _among(candidates: Candidates, pairs: Ints, likeness: Any) -> tuple[Ints, Any]:
    """The guessed seeds that are candidates, and their scores."""
    kept = candidates.holds(pairs)
    if not kept.any():
        raise InputError(
            f"seeds must be given where no guess is a candidate, got {len(pairs)} guesses. "
            "Give some pairs."
        )
    return pairs[kept], likeness[kept]


def _check_by_sql(matcher: Method, method: Any) -> None:
    if matcher is not witness:
        raise InputError(
            f"method must be witness with an engine, got {method!r}, which works in memory alone. "
            "Leave the engine out, or choose witness."
        )


def _check_in_memory(memory: str | None, temp: Any) -> None:
    for name, value in (("memory", memory), ("temp", temp)):
        if value is not None:
            raise InputError(
                f"{name} must come with an engine, got {str(value)!r} alone: without one, networks "
                "are held in memory. Give --engine duckdb too, or drop it."
            )


def _matcher(method: Any) -> Method:
    if callable(method):
        return method  # type: ignore[no-any-return]
    if not isinstance(method, str) or method not in MATCHERS:
        raise InputError(
            f"method must be one of {', '.join(MATCHERS)}; got {method!r}. Choose one."
        )
    return MATCHERS[method]


def _checked_options(matcher: Method, method: Any, options: Mapping[str, object]) -> Any:
    """The options that are not None; refuse those that the matcher does not take."""
    parameters = inspect.signature(matcher).parameters.values()
    taken = [option.name for option in parameters if option.kind is option.KEYWORD_ONLY]
    chosen = {name: value for name, value in options.items() if value is not None}
    for name, value in chosen.items():
        if name not in taken:
            raise InputError(
                f"{name} must be left out with method {method!r}, got {_shown(value)}. "
                f"{_taken_in_words(taken)}"
            )
        if name != "candidates":  # checked where they are read
            _check_option(name, value)
    return chosen


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str | int | float) else type(value).__name__


def _taken_in_words(taken: Sequence[str]) -> str:
    options = [name for name in taken if name != "candidates"]
    if options:
        return f"It takes {' and '.join(options)}."
    return "It takes none; certify --threshold cuts its matches by score."


def _check_option(name: str, value: object) -> None:
    is_number = not isinstance(value, bool) and isinstance(value, Integral)
    number = int(value) if is_number else None  # type: ignore[call-overload]
    if name == "seed":
        is_valid, rule = number is not None or _is_text(value), "text or a whole number"
    else:
        is_valid = number is not None and 1 <= number <= MOST
        rule = f"a whole number from 1 to {MOST}"
    if not is_valid:
        raise InputError(f"{name} must be {rule}, got {value!r}. Give for example 3.")


def _is_text(value: object) -> bool:
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False
