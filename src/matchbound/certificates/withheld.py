"""The paper's withhold and gap as one call: a matcher on D's labels, on all, and certified."""

import csv as python_csv
import io
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matchbound.audits import Audit, Draw, check_all_labelled, labels_of
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import certify
from matchbound.engines import Progress
from matchbound.errors import EngineError, InputError
from matchbound.files import is_file, refuse_existing, undone_on_error, write_whole
from matchbound.tables import as_table

Labels = Sequence[tuple[str, str | None]]
"""Verified matches; None where a node is verified to have none."""
Matcher = Callable[[Labels], Any]


def withhold(
    matcher: Matcher,
    audit: Any,
    labels: Any = None,
    *,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    population: Any = None,
    out: Any = None,
    force: bool = False,
    memory: str | None = None,
    progress: Progress = lambda _: None,
) -> Certificate:
    """Run a matcher without the validation labels and with them; certify the second run.

    `matcher` takes labels, pairs (x, y), and returns what it found: any table that `certify` reads,
    or a list of pairs. Its first run gets all of D's labels and no others, its second all. For the
    folder of a draw, what it found is written there as holdout.csv and complete.csv; a `Draw` comes
    with its `labels`. `out` is where the certificate is written, if anywhere.
    """
    opened, in_memory = Audit.open(audit), isinstance(audit, Draw)
    if in_memory and labels is None:
        raise InputError("labels must be given with a Draw, got None. Give a table or a path.")
    truth = opened.truth(labels)
    places = {} if in_memory else {r: Path(audit) / f"{r}.csv" for r in ("holdout", "complete")}
    refuse_existing(list(places.values()), force)
    check_all_labelled(opened.drawn, labels_of(opened, truth, "all", population))
    found: dict[str, Any] = {}
    for role, used in (("holdout", "train"), ("complete", "all")):
        progress(f"running the matcher with labels: {used}")
        found[role] = matcher(labels_of(opened, truth, used, population))
    with undone_on_error(places.values()):
        if places:
            write_whole({place: _csv(found[r]) for r, place in places.items()}, force=force)
        else:
            found = {role: _table(matches) for role, matches in found.items()}
        return certify(
            audit,
            **(places or found),
            labels=labels,
            threshold=threshold,
            columns=columns,
            population=population,
            out=out,
            force=force,
            memory=memory,
            progress=progress,
        )


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

    def run(known: Labels) -> bytes:
        with tempfile.TemporaryDirectory(prefix="matchbound-") as folder:
            given, out = Path(folder) / "labels.csv", Path(folder) / "matches.csv"
            write_whole({given: _csv(known)}, force=False)
            words = [
                word.replace("{labels}", str(given)).replace("{out}", str(out)) for word in pieces
            ]
            _call(words)
            if not is_file(out):
                raise InputError(
                    f"command must write a CSV to {{out}}, got none from {template!r}. "
                    "Let it write columns x and y there."
                )
            return out.read_bytes()

    return run


def network(left: Any, right: Any, **how: Any) -> Matcher:
    """A matcher of two networks' nodes: labels are the seeds, options are those of `reconcile`.

    Verified matches without an edge on one side are no seeds.
    """
    from matchbound.matchers import graph, in_both, reconcile

    graphs = graph(left, "left"), graph(right, "right")

    def run(known: Labels) -> Any:
        return reconcile(*graphs, in_both(*graphs, known), **how)

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
        said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
        raise EngineError(f"the command ended with status {done.returncode}: {said}")


def _table(found: Any) -> Any:
    """What a matcher returned, as a table that `certify` reads."""
    import pyarrow as pa

    if isinstance(found, bytes):
        return _of_csv(found)
    if isinstance(found, list | tuple | set | frozenset | Iterator):
        pairs = list(found)
        if all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
            x, y = ([None if p[i] is None else str(p[i]) for p in pairs] for i in (0, 1))
            return pa.table({"x": pa.array(x, pa.string()), "y": pa.array(y, pa.string())})
    table = as_table(found)
    if not hasattr(table, "__arrow_c_stream__"):
        raise InputError(
            "matcher must return a table or a list of pairs, got "
            f"{type(found).__name__}. Return pairs (x, y)."
        )
    return table


def _of_csv(data: bytes) -> Any:
    """Every column as text: 007 is no number, and NA is an id."""
    import pyarrow as pa
    from pyarrow import csv

    try:
        names = next(python_csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
        as_text = {name: pa.string() for name in names}
        options = csv.ConvertOptions(
            column_types=as_text, null_values=[""], strings_can_be_null=True
        )
        return csv.read_csv(io.BytesIO(data), convert_options=options)
    except (StopIteration, UnicodeDecodeError, python_csv.Error, pa.ArrowException) as error:
        raise InputError(
            f"command must write a CSV of matches to {{out}}, got none that can be read ({error}). "
            "Let it write columns x and y."
        ) from None


def _csv(found: Any) -> bytes:
    import pyarrow as pa
    from pyarrow import csv

    if isinstance(found, bytes):
        return found
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.table(_table(found)), sink)
    return bytes(sink.getvalue())
