"""The paper's withhold and gap as one call: a matcher on D's labels, on all, and certified."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matchbound.audits import Audit, Draw, check_all_labelled, labels_of
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import certify
from matchbound.engines import Progress
from matchbound.errors import InputError
from matchbound.files import refuse_existing, undone_on_error, write_whole
from matchbound.matchers import Matcher, matches_csv, matches_table


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
            write_whole({place: matches_csv(found[r]) for r, place in places.items()}, force=force)
        else:
            found = {role: matches_table(matches) for role, matches in found.items()}
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
