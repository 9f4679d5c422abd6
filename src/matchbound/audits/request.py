"""A draw before its seed: everything that it is made from, read and checked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from matchbound.audits.choices import fit_choices, is_by_matcher
from matchbound.audits.commit import Request
from matchbound.audits.draft import Draft, Earlier, check_count
from matchbound.audits.draw import Draw, nodes
from matchbound.audits.folder import refuse_labels
from matchbound.audits.inputs import Population, TableRef, Within
from matchbound.audits.ledger import Entry
from matchbound.audits.order import first
from matchbound.audits.part import digest_of_part, open_part
from matchbound.audits.remembered import Remembered, holdouts
from matchbound.audits.training import (
    Phase,
    check_second,
    labelled_nodes,
    refuse_other_labels,
)
from matchbound.audits.variances import variances_from
from matchbound.audits.weights import Weights
from matchbound.audits.wishes import Wishes
from matchbound.engines import Engine, Progress
from matchbound.errors import InputError
from matchbound.tables import (
    Digest,
    Matching,
    Output,
    Reading,
    Source,
    count_rows,
    digest_of_ids,
    id_column,
    kind_of_part,
    kinds_of_ids,
    open_source,
    read_population,
    register_outputs,
    with_own_source,
)
from matchbound.tallies import check_on_population
from matchbound.theorems import METRICS, Choices


@dataclass(frozen=True)
class Ground:
    """The population in the engine: its source, its ids' column and kinds, its size and digest.

    `within` is the part of it that is drawn from, if it is a part.
    """

    source: Source
    column: str
    kinds: tuple[str, str]
    size: int
    digest: Digest
    within: Within | None

    @property
    def drawn_from(self) -> int:
        """How many nodes there are to draw from."""
        return self.size if self.within is None else self.within.size

    def population(self, id: str | None) -> Population:
        """For draw.json; `id` is the column's name, if the user gave one."""
        return Population(self.source.path, self.digest, self.size, id)


def requested(
    con: Engine, wishes: Wishes, phase: Phase | None, earlier_labels: Any, progress: Progress
) -> Request:
    """Read and check all that a draw is made from, and what `certify` will check of it.

    `phase` is the draw of D alone that this one goes on from, `earlier_labels` the labels of
    training nodes that were there before it.
    """
    progress("reading the population")
    source = open_source(con, "population", wishes.population)
    within = open_part(con, wishes.within if phase is None else phase.part(wishes.within))
    if phase is not None:
        phase.check(con, source, wishes.id, wishes.matching)
        phase.check_part(con, within)
        wishes = replace(wishes, id=phase.id, matching=phase.matching)
    wishes = replace(wishes, matching=with_own_source(con, source, wishes.matching))
    wishes.matching.check_future(wishes.choices.future)
    outputs = _outputs(con, wishes)
    in_part = within is not None
    choices = fit_choices(wishes.choices, wishes.matching, in_part=in_part)
    ground = _read_population(con, (source, within), wishes, outputs, is_second=phase is not None)
    earlier = _earlier(con, wishes, phase, ground.drawn_from)
    check = partial(check_on_population, con, in_part=in_part)
    words = [check(one, choices, wishes.matching, ground.kinds) for one in outputs]
    if earlier is not None and earlier_labels is not None and len(outputs) == 1:
        labelled = earlier.nodes, earlier_labels
        variances = variances_from(con, *labelled, outputs[0], wishes.matching, choices)
        choices = replace(choices, variances=variances)
    few = _few_misses(choices, wishes.labels, con, outputs, ground.drawn_from)
    draft = _draft(con, wishes, ground, replace(choices, few_misses=few), earlier, outputs)

    def make(seed: str) -> Draw:
        progress("drawing")
        return draft.make(seed)

    check_labels: Callable[[Path], None] = refuse_labels
    if earlier is not None:
        check_labels = partial(_refuse_other_labels, con, earlier.nodes, wishes.matching)
    lines = [*_lines(ground, words), *draft.lines(wishes.seed)]
    facts = _facts(ground, draft, wishes.seed)
    paths = [source.path, *(one.source.path for one in outputs)]
    paths += [] if within is None else [within.path]
    if earlier is not None and earlier.source is not None:
        paths.append(earlier.source.path)
    paths += [table.path for table in wishes.tables]
    tables = [*wishes.tables, *_remembered(ground, outputs)]
    return Request(facts, draft.registered, lines, make, check_labels, paths, tables)


def _remembered(ground: Ground, outputs: Sequence[Output]) -> list[Remembered]:
    """The tables that `label` and `certify` look for: records with fields to show, and matchers."""
    records = ground.source
    has_fields = set(records.columns) - {ground.column, records.column("source_dataset")}
    tables = [Remembered("records", records.path)] if has_fields and records.path else []
    return [*tables, *holdouts(outputs)]


def _read_population(
    con: Engine,
    tables: tuple[Source, Source | None],
    wishes: Wishes,
    outputs: Sequence[Output],
    *,
    is_second: bool,
) -> Ground:
    """Load the population, or the part of it that is drawn from: `tables` are both."""
    source, within = tables
    choices, matching, column = wishes.choices, wishes.matching, id_column(source, wishes.id)
    kinds = kinds_of_ids(source, column, outputs, matching)
    if is_by_matcher(choices) or choices.counted or is_second or wishes.trained_on is not None:
        kinds = "string", "string"  # ids are compared with those of drawn nodes
    elif kind_of_part(within, wishes.id, kinds[0]) != kinds[0]:
        kinds = "string", "string" if matching.dedupe else kinds[1]
    nodes = read_population(con, source, wishes.id, kinds[0], origin=matching.source, within=within)
    digest = digest_of_ids(con, source, column, matching.source)
    if within is None:
        return Ground(source, column, kinds, nodes, digest, None)
    part = Within(within.path, digest_of_part(con, within, wishes.id, matching), nodes)
    return Ground(source, column, kinds, count_rows(con, "everyone"), digest, part)


def _draft(
    con: Engine,
    wishes: Wishes,
    ground: Ground,
    choices: Choices,
    earlier: Earlier | None,
    outputs: Sequence[Output],
) -> Draft:
    trained = () if earlier is None else earlier.nodes
    draft = Draft(
        con,
        ground.population(wishes.id),
        ground.within,
        wishes.labels,
        wishes.train if earlier is None else len(earlier.nodes),
        choices,
        wishes.matching,
        earlier,
        wishes.is_train_alone,
        tuple(one.recorded for one in outputs),
        wishes.seed is not None,
        Weights.count(con, trained, choices) if choices.weigh else None,
    )
    return replace(draft, labels=draft.checked_labels())


def _facts(ground: Ground, draft: Draft, seed: str | None) -> Entry:
    """All that is fixed before the seed, as the ledger has it."""
    earlier = draft.earlier
    labels = None if earlier is None else earlier.source
    return {
        "population": ground.digest.as_dict(),
        "size": ground.size,
        "within": None if ground.within is None else ground.within.fixed,
        "id": ground.column,
        "matching": draft.matching.as_dict(),
        "labels": draft.labels,
        "train": draft.train,
        "train_seed": None if earlier is None else earlier.seed,
        "trained_on": None if labels is None else labels.digest.as_dict(),
        "weights": None if draft.weights is None else draft.weights.digest,
        "choices": None if draft.is_train_alone else draft.choices.as_dict(),
        "holdout": [one.as_dict() for one in draft.registered],
        "seed": seed,
    }


def _lines(ground: Ground, words: Sequence[str]) -> list[str]:
    """The population and the holdout matchers in words."""
    path = ground.source.path or "a table"
    population = f"Population: {path}, {nodes(ground.size)} with ids in {ground.column!r}."
    lines, within = [population], ground.within
    if within is not None:
        part = within.path or "a table"
        lines.append(f"Within: {part}, {within.size} of {ground.size} nodes; all is about these.")
    return [*lines, *words]


def _earlier(con: Engine, wishes: Wishes, phase: Phase | None, size: int) -> Earlier | None:
    """The nodes of D, if they were there before; what `train` may be is checked."""
    if wishes.trained_on is None and phase is None:
        check_count("train", wishes.train, 0, size)
        return None
    if wishes.trained_on is not None and wishes.train:
        raise InputError(
            f"train must be left out with trained_on, got {wishes.train}: its nodes are those to "
            "train on. Drop one of them."
        )
    if wishes.trained_on is not None:
        source = open_source(con, "trained_on", wishes.trained_on)
        nodes, digest = labelled_nodes(con, source, wishes.matching)
        earlier = Earlier(nodes, source=TableRef(source.path, digest))
    else:
        assert phase is not None
        earlier = Earlier(first(con, phase.seed, "train", phase.train, size), seed=phase.seed)
    check_second(wishes.choices)
    return earlier


def _refuse_other_labels(
    con: Engine, trained: Sequence[str], matching: Matching, folder: Path
) -> None:
    refuse_other_labels(con, folder, trained, matching)


def _outputs(con: Engine, wishes: Wishes) -> Sequence[Output]:
    """The holdout matchers to put on record, of which there may be none."""
    choices = wishes.choices
    reading = replace(wishes.reading, fixed=choices.scores)
    if wishes.holdout is not None:
        algorithms = choices.algorithms
        return register_outputs(con, wishes.holdout, reading, algorithms, wishes.matching)
    if wishes.reading != Reading():
        name = wishes.reading.given[0]
        raise InputError(
            f"{name} must come with a holdout matcher, got it alone. Give the matcher too, or say "
            f"{name} when it is registered."
        )
    if is_by_matcher(choices):
        raise InputError(
            "holdout must be given where the draw counts or takes its matches, got None. "
            "Give the holdout matcher's output."
        )
    return []


FEW = 8  # misses: where fewer are expected, bets are narrower at any time


def _few_misses(
    choices: Choices, labels: int | None, con: Engine, outputs: Sequence[Output], size: int
) -> tuple[str, ...]:
    """The metrics whose bound at any time is by bets: few misses are expected of them."""
    if labels is None or choices.few_misses or not (choices.is_anytime or choices.until):
        return tuple(choices.few_misses)
    true = choices.matched or 1.0
    matched = count_rows(con, "matched") / size if outputs else true
    shares = {"matched": matched, "true": true, "all": 1.0}
    few = []
    for name in choices.metrics:
        metric = METRICS[name]
        misses = metric.misses(choices.guesses.get(name, metric.usual))
        if labels * shares[metric.members] * misses < FEW:
            few.append(name)
    return tuple(few)
