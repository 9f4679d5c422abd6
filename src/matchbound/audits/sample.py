"""From a population to the nodes to label: D to train on, S to validate on, S' to compare on."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from matchbound.audits.choices import given_choices
from matchbound.audits.cohort import draw_cohort
from matchbound.audits.commit import enter, preview
from matchbound.audits.draw import Draw
from matchbound.audits.request import requested
from matchbound.audits.training import Phase, labels_in, phase_in
from matchbound.audits.wishes import Wishes
from matchbound.audits.written import Written
from matchbound.engines import Progress, Resources, connect
from matchbound.files import hashing_once
from matchbound.tables import Matching, Reading
from matchbound.theorems import Choices


def draw(
    population: Any,
    *,
    within: Any = None,
    cohort: str | None = None,
    labels: int | None = None,
    train: int = 0,
    seed: str | None = None,
    id: str | None = None,
    holdout: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    clusters: bool | None = None,
    anytime: bool = False,
    trained_on: Any = None,
    dedupe: bool = False,
    link: bool = False,
    source: str | None = None,
    out: Any = None,
    force: bool = False,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    choices: Choices | None = None,
    delta: float | None = None,
    metrics: Sequence[str] | None = None,
    theorem: str | None = None,
    bound: str | None = None,
    one_to_one: bool | None = None,
    at_most_one_match: bool | None = None,
    every_node_matched: bool | None = None,
    most_true_matches: int | None = None,
    among_records_with_at_most: int | None = None,
    limit_by_sample: bool | None = None,
    weigh: str | None = None,
    guesses: Mapping[str, float] | None = None,
    matched: float | None = None,
    variances: Mapping[str, float] | None = None,
    few_misses: Sequence[str] | None = None,
    other_terms: float | None = None,
    bands: Sequence[float] | None = None,
    algorithms: Sequence[str] | None = None,
    choose_threshold: Mapping[str, float] | None = None,
    candidates: Sequence[float] | None = None,
    allowance: float | None = None,
    gap: int | None = None,
    until: Mapping[str, int] | None = None,
    among: bool | None = None,
    future: bool | None = None,
    rounds: int | None = None,
    options: Sequence[int] | None = None,
) -> Draw:
    """Draw `labels` nodes to validate on and `train` to train on, independently of each other.

    Each is the beginning of an order of all nodes by a keyed SHA-256 of the id, so that a larger
    draw with the same seed begins with the smaller. A node may be in both and is labelled once.
    `train` without `labels` draws training nodes alone; a later draw of `labels` into the same
    folder `out`, or one with the nodes of `trained_on`, which are labelled, draws from the others.

    With `out` the draw is entered into that folder's ledger: the holdout matcher and the choices
    before the seed is made, the draw before a file shows its nodes.

    `within` is a table of ids of a part of the population: all nodes are drawn from it, and what is
    certified is about it. Their matches may be any records. `cohort` names a draw from the nodes
    that are new since the draw in `out`; it is kept in that folder.

    `dedupe` says that the population is matched with itself, `link` that with another table, whose
    ids may be the same; `source` names the population where matches carry sources. `holdout`, with
    its threshold and columns, puts a holdout matcher on record; with `clusters` what is on record
    are the clusters that its pairs link. `choices` is a `Choices`, or its
    fields are given by name (None: not given); `anytime` is short for the bound of that name.
    """
    by_name = given_choices(choices, locals())
    wishes = Wishes(
        population,
        by_name,
        labels,
        train,
        seed,
        id,
        holdout,
        Reading(columns or {}, threshold, clusters),
        anytime,
        trained_on,
        Matching(dedupe, link, source),
        within,
    )
    if cohort is not None:
        resources = Resources(engine, memory, temp, progress)
        return draw_cohort(out, cohort, wishes, resources, say, force)
    where = {"out": out, "force": force, "engine": engine, "memory": memory, "temp": temp}
    return make_draw(wishes, **where, progress=progress, say=say)


@hashing_once()
def make_draw(
    wishes: Wishes,
    *,
    out: Any = None,
    force: bool = False,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> Draw:
    """Draw as wished, into the folder `out` if there is one."""
    phase, earlier_labels = phase_in(out, wishes), labels_in(out, wishes)
    with connect(engine, memory, temp) as con:
        request = requested(con, wishes, phase, earlier_labels, progress)
        if out is not None:
            return enter(Path(out), request, force=force, say=say)
        return request.make(secrets.token_hex(16) if wishes.seed is None else wishes.seed)


@hashing_once()
def dry_run(
    wishes: Wishes,
    *,
    out: Any,
    force: bool = False,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
) -> list[str]:
    """Check what `draw` checks, and return what it prints; make no seed and no file."""
    phase, earlier_labels = phase_in(out, wishes), labels_in(out, wishes)
    with connect(engine, memory, temp) as con:
        request = requested(con, wishes, phase, earlier_labels, progress)
        return preview(Path(out), request, force=force)


def redraw(before: Written, wishes: Wishes, resources: Resources) -> Draw:
    """Repeat a draw by its seeds, as `Wishes.again` asks; `before` is its draw.json."""
    phase = Phase.of(before) if before.train_seed is not None else None
    with resources.connect() as con:
        request = requested(con, wishes, phase, None, resources.progress)
        return replace(request.make(before.seed), seed_given=before.seed_given)


def draw_again(
    before: Written,
    population: Any,
    within: Any,
    trained_on: Any,
    by: tuple[Any, Reading] | None,
    resources: Resources,
) -> Draw:
    """Repeat a draw from its seed, in memory.

    `by` is the holdout matcher's output and how it is read, where nodes were drawn by it.
    """
    choices, (holdout, reading) = before.choices, by or (None, None)
    if reading is not None and (choices.bands or choices.candidates):
        reading = replace(reading, threshold=None)
    labels = None if choices.until_matched else before.labels
    wishes = Wishes.again(before, population, labels, within, trained_on, holdout, reading)
    return redraw(before, wishes, resources)
