"""Users' own matchers: a function of labels, or a program that reads labels from a file."""

import csv as python_csv
import io
import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from matchbound.errors import EngineError, InputError
from matchbound.files import is_file, temporary_folder, write_whole
from matchbound.matchers.edges import graph
from matchbound.matchers.reconciliation import reconcile
from matchbound.matchers.records.fields import read_tables
from matchbound.matchers.records.labelled import read_labelled
from matchbound.matchers.records.links import read_links
from matchbound.matchers.records.match import Pool, require_packages
from matchbound.matchers.seeds import in_both
from matchbound.tables import as_table, collected

Labels = Sequence[tuple[str, str | None]]
"""Verified matches (x, y); y is None where x is verified to have no match."""
Matcher = Callable[[Labels], Any]
"""A function from labels to matches."""


def command(template: str) -> Matcher:
    """A matcher that is a program: `{labels}` is a CSV to read, `{out}` the CSV it must write."""
    if "{labels}" not in template or "{out}" not in template:
        raise InputError(
            f"command must have {{labels}} and {{out}} in it, got {template!r}. "
            'Give for example "python match.py {labels} {out}".'
        )
    try:
        pieces = shlex.split(template)
    except ValueError as error:
        raise InputError(
            f"command must be words as in a shell, got {template!r} ({error}). Close the quotes."
        ) from None

    def run(labels: Labels) -> bytes:
        with temporary_folder() as folder:
            path, out = Path(folder) / "labels.csv", Path(folder) / "matches.csv"
            write_whole({path: matches_csv(labels)}, force=False)
            words = [
                word.replace("{labels}", str(path)).replace("{out}", str(out)) for word in pieces
            ]
            _call(words)
            if not is_file(out):
                raise InputError(
                    f"command must write a CSV to {{out}}, got none from {template!r}. "
                    "Let it write columns x and y there."
                )
            return out.read_bytes()

    return run


def network(left: Any, right: Any, **options: Any) -> Matcher:
    """A matcher of two networks' nodes with labels as seeds; `options` are those of `reconcile`.

    A verified match without an edge on one side is not used as a seed, nor are several matches of
    one node.
    """
    graphs = graph(left, "left"), graph(right, "right")

    def run(labels: Labels) -> Any:
        return reconcile(*graphs, in_both(*graphs, labels), **options)

    return run


def records(
    left: Any,
    right: Any = None,
    *,
    candidates: Any = None,
    links: Any = None,
    one_to_one: bool = False,
    all_scores: bool = False,
    **reading: Any,
) -> Matcher:
    """A matcher of records that learns from labels; options are those of `match`."""
    require_packages()
    tables = read_tables(left, right, **reading)
    pool = Pool.of(tables, candidates, None if links is None else read_links(links, tables))

    def run(labels: Labels) -> Any:
        labelled = read_labelled(labels, tables)
        return pool.matches(labelled, one_to_one=one_to_one, all_scores=all_scores)

    return run


def _call(words: list[str]) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"command must be a program that runs, got {words[0]!r} ({reason}). Check its name."
        ) from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
        raise EngineError(f"the command ended with status {done.returncode}: {last}")


def matches_table(matches: Any) -> Any:
    """Convert a matcher's result to a table that `certify` reads."""
    import pyarrow as pa

    if isinstance(matches, bytes):
        return _of_csv(matches)
    if isinstance(matches, list | tuple | set | frozenset | Iterator):
        pairs = list(matches)
        if all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
            x, y = ([None if p[i] is None else str(p[i]) for p in pairs] for i in (0, 1))
            return pa.table({"x": pa.array(x, pa.string()), "y": pa.array(y, pa.string())})
    table = collected(as_table(matches))
    if not hasattr(table, "__arrow_c_stream__"):
        raise InputError(
            "matcher must return a table or a list of pairs, got "
            f"{type(matches).__name__}. Return pairs (x, y)."
        )
    return table


def _of_csv(data: bytes) -> Any:
    """Read every column as text, so that 007 keeps its zeros and NA stays an id."""
    import pyarrow as pa
    from pyarrow import csv

    try:
        names = next(python_csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
        types = {name: pa.string() for name in names}
        options = csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True)
        return csv.read_csv(io.BytesIO(data), convert_options=options)
    except (StopIteration, UnicodeDecodeError, python_csv.Error, pa.ArrowException) as error:
        raise InputError(
            f"command must write a CSV of matches to {{out}}, got none that can be read ({error}). "
            "Let it write columns x and y."
        ) from None


def matches_csv(matches: Any) -> bytes:
    """Convert a matcher's result, or labels, to the bytes of a CSV file."""
    import pyarrow as pa
    from pyarrow import csv

    if isinstance(matches, bytes):
        return matches
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.table(matches_table(matches)), sink)
    return bytes(sink.getvalue())
