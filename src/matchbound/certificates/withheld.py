"""The paper's withhold and gap as one call: a matcher on D's labels, on all, and certified."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matchbound.audits import Audit, Draw, check_all_labelled, erased_rows, labels_of
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import certify
from matchbound.engines import Progress
from matchbound.errors import InputError
from matchbound.files import refuse_existing, refuse_input_as_out, undone_on_error, write_whole
from matchbound.matchers import Matcher, matches_csv, matches_table


def withhold(
    matcher: Matcher,
    audit: Any,
    labels: Any = None,
    *,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    clusters: bool | None = None,
    population: Any = None,
    within: Any = None,
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
    names = () if in_memory else ("holdout.csv", "complete.csv")
    places = [Path(audit) / name for name in names]
    refuse_existing(places, force)
    for place in places:
        refuse_input_as_out(place, [*opened.files, *_paths(truth, population, within)])
    erased = erased_rows(opened.drawn, opened.ledger.entries)
    check_all_labelled(opened.drawn, labels_of(opened, truth, "all", population), erased)
    matches = []
    for used in ("train", "all"):
        progress(f"running the matcher with labels: {used}")
        matches.append(matcher(labels_of(opened, truth, used, population)))
    with undone_on_error(places):
        if places:
            texts = map(matches_csv, matches)
            write_whole(dict(zip(places, texts, strict=True)), force=force)
        holdout, complete = places or map(matches_table, matches)
        return certify(
            audit,
            holdout=holdout,
            complete=complete,
            labels=labels,
            threshold=threshold,
            columns=columns,
            clusters=clusters,
            population=population,
            within=within,
            out=out,
            force=force,
            memory=memory,
            progress=progress,
        )


def _paths(*tables: Any) -> list[str | Path]:
    """Those of the tables that are files."""
    return [Path(table) for table in tables if isinstance(table, str | os.PathLike)]
