"""The holdout matcher's output with the verified labels over it: to deploy, and to certify.

Labels are known to be right, so the result is never worse than the holdout matcher's at any node
of pairs, nor of clusters of one table.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.audits import OF_CLUSTERS, Audit, Draw, as_drawn, on_record
from matchbound.certificates.patch_clusters import count_clusters, patch_clusters
from matchbound.certificates.patch_columns import columns_of, columns_of_clusters
from matchbound.engines import Engine, Progress, connect, keep
from matchbound.errors import InputError
from matchbound.files import refuse_existing, refuse_input_as_out
from matchbound.matchers import check_name, write_batches
from matchbound.reprs import brief
from matchbound.tables import (
    Clusters,
    Form,
    Output,
    Pairs,
    Reading,
    Source,
    form_of_labels,
    keep_several,
    load_drawn,
    open_source,
    read_labels,
    read_matches,
    read_outputs,
)
from matchbound.tallies import check_clusters, check_pairs, refuse_doubt, refuse_repeats

MOST = 50_000_000
"""The most pairs that are listed, of clusters."""


@dataclass(frozen=True)
class Patch:
    """The file written, its number of pairs, how many of these are new, how many were taken away,
    and at how many nodes there was a label."""

    out: Path
    pairs: int
    added: int
    dropped: int
    labelled: int

    def __repr__(self) -> str:
        return brief(self, str(self))

    def __str__(self) -> str:
        return (
            f"{self.pairs} pairs: the holdout matcher's with the labels of {self.labelled} nodes "
            f"over them, {self.added} added and {self.dropped} taken away. They are in {self.out}."
        )


def patch(
    audit: Any,
    *,
    holdout: Any,
    out: Any,
    labels: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    clusters: bool | None = None,
    population: Any = None,
    within: Any = None,
    force: bool = False,
    progress: Progress = lambda _: None,
) -> Patch:
    """Write the holdout matcher's pairs with the verified labels over them, as CSV or Parquet.

    At a labelled node the pairs are its true matches and no others; everything else is the
    holdout's. Where it is clusters, the entities that labels show leave their clusters and become
    clusters of their own; those of one table are written as a row a record. `certify` reads the
    file as `complete`, with the same threshold and columns.
    """
    opened = Audit.open(audit)
    draw, given = opened.drawn, opened.truth(labels)
    if not isinstance(out, str | os.PathLike):
        raise InputError(f"out must be a path, got {type(out).__name__}. Give the file to write.")
    place = Path(out)
    with connect() as con:
        truth = open_source(con, "labels", given, hashed=False)
        reading = Reading(columns or {}, threshold, clusters, draw.choices.scores)
        known = on_record(opened.ledger.entries)
        (output,) = read_outputs(con, holdout, None, reading, (), draw.matching, known)
        _check_out(place, opened, [output.source, truth], [population, within], force)
        progress("reading the population, the labels and the matches")
        setting, _ = as_drawn(con, opened, population, (draw.choices, ()), ([], []), within)
        load_drawn(con, draw.sample)
        truth_form = form_of_labels(truth, columns or {})
        read_labels(con, truth, truth_form, draw.matching, erased=setting.erased_records)
        _read_found(con, draw, output)
        matchers = {} if draw.matching.dedupe else {"holdout": output.is_clusters}
        _read_verified(con, draw, truth_form, matchers, setting.erased_records)
        progress("writing")
        select, counts = _patched(con, draw, output, truth_form, place.suffix.lower() == ".csv")
        _write(con, place, select, force)
        return Patch(place, *counts)


def _check_out(
    place: Path,
    audit: Audit,
    sources: list[Source],
    drawn_from: list[Any],
    force: bool,
) -> None:
    """Refuse, before anything is read, a name that cannot be written, or a file that is there."""
    check_name(place)
    inputs: list[Any] = [source.path for source in sources]
    inputs += filter(_is_path, drawn_from)
    inputs += audit.files
    refuse_input_as_out(place, inputs)
    refuse_existing([place], force)


def _is_path(given: Any) -> bool:
    return isinstance(given, str | os.PathLike)


def _read_found(con: Engine, draw: Draw, output: Output) -> None:
    """Keep clusters as `holdout`, or pairs as `found`: x, y and score, from either side where one
    table has both."""
    form, matching, is_clusters = output.form, draw.matching, output.is_clusters
    scored = isinstance(form, Pairs) and form.score is not None and not is_clusters
    given = con, output.source, "holdout", form, matching, output.reading.threshold
    read_matches(*given, scored=scored, closed=output.is_closed)
    if not (matching.dedupe or matching.is_link):
        refuse_doubt(con, "holdout", "holdout", is_clusters=is_clusters)
    if is_clusters:
        return
    keep_several(con, "several", "holdout", "x", "string")
    refuse_repeats(con, "holdout", "several")
    score = "score" if scored else "cast(null as double) as score"
    con.keep("found", f"select x, y, {score} from holdout")


def _read_verified(
    con: Engine, draw: Draw, form: Form, matchers: Mapping[str, bool], erased_records: int
) -> None:
    """Keep the tables `known`, of labelled nodes, and `verified`, of their true pairs."""
    drawn, dedupe, single = len(draw.sample), draw.matching.dedupe, draw.choices.one_to_one
    if isinstance(form, Clusters):
        keep(con, "count_true", "tables/count_clusters", a="labels", itself=int(dedupe))
        check_clusters(con, drawn, single, "worst", matchers, (), erased_records)
        ((size,),) = con.rows(
            "select coalesce(sum(t.n), 0) from count_true t semi join sample s on s.id = t.x"
        )
        _refuse_many(int(size), "labels")
        con.keep("known", "select s.id as x from sample s semi join labels l on l.x = s.id")
        con.keep("verified", f"select x, y from ({OF_CLUSTERS}) where y is not null")
        return
    check_pairs(con, draw.size, drawn, single, "worst", dedupe)
    con.keep("known", "select distinct x from labels")
    con.keep("verified", "select x, y from labels where y is not null")


def _patched(
    con: Engine, draw: Draw, output: Output, truth: Form, is_csv: bool
) -> tuple[str, tuple[int, int, int, int]]:
    """SQL for what is written, and its numbers: pairs, added, dropped and labelled nodes."""
    dedupe, source, form = draw.matching.dedupe, output.source, output.form
    if output.is_clusters:
        patch_clusters(con, dedupe=dedupe, is_checked=isinstance(truth, Clusters))
        counts = count_clusters(con, dedupe)
        if dedupe:
            select = columns_of_clusters(con, source, form)
            return f"select {select} from patched order by cluster, x", counts
        _refuse_many(counts[0], "holdout")
        least = output.reading.threshold
        score = "cast('1.0' as double)" if least is None else f"cast('{least!r}' as double)"
        keep(con, "patched", "certificates/pairs_of_clusters", a="patched", score=score)
    else:
        least = output.reading.threshold
        kind = "pairs" if dedupe else "links"
        keep(con, "patched", f"certificates/patched_{kind}", top=_top(con, source, form, least))
        counts = _counts(con, dedupe)
    select = columns_of(con, source, form, draw.matching, least, is_csv)
    return f"select {select} from patched order by x, y", counts


def _refuse_many(pairs: int, name: str) -> None:
    if pairs > MOST:
        raise InputError(
            f"{name} must have at most {MOST} pairs in its clusters to be patched, because they "
            f"are listed, got {pairs}. Split the largest clusters, or deploy them as they are."
        )


def _top(con: Engine, source: Source, form: Form, least: float | None) -> str:
    """The score of a verified pair that the matcher did not find: the highest there is."""
    ((highest,),) = con.rows("select max(score) from found")
    top = max((score for score in (highest, least) if score is not None), default=1.0)
    column = form.score if isinstance(form, Pairs) else None
    is_half = column is not None and source.columns[column] == "FLOAT"
    return f"cast('{top!r}' as {'float' if is_half else 'double'})"


def _counts(con: Engine, dedupe: bool) -> tuple[int, int, int, int]:
    """Count the pairs written, those added, those dropped, and the labelled nodes."""
    once = "where x < y" if dedupe else ""
    found = f"(select x, y from found {once})"
    pairs = "select count(*) from patched"
    added = f"select count(*) from patched p anti join {found} f on f.x = p.x and f.y = p.y"
    dropped = f"select count(*) from {found} f anti join patched p on p.x = f.x and p.y = f.y"
    known = "select count(*) from known"
    numbers = [con.rows(select)[0][0] for select in (pairs, added, dropped, known)]
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _write(con: Engine, place: Path, select: str, force: bool) -> None:
    import pyarrow as pa

    schema = con.arrow(f"select * from ({select}) limit 0").schema
    empty = pa.RecordBatch.from_arrays([pa.array([], kind) for kind in schema.types], schema=schema)

    def batches() -> Iterator[Any]:
        yield empty  # so that the file has a header even if no pair follows
        yield from con.batches(select)

    write_batches(place, batches, force=force, columns=schema.names)
