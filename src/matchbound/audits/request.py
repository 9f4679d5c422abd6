"""A draw before its seed: everything that it is made from, read and checked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from matchbound.audits.commit import Request
from matchbound.audits.draft import Earlier, Plan, check_count
from matchbound.audits.draw import Draw
from matchbound.audits.folder import refuse_labels
from matchbound.audits.order import first
from matchbound.audits.training import (
    Phase,
    check_second,
    labelled_nodes,
    refuse_other_labels,
)
from matchbound.audits.variances import variances_from
from matchbound.engines import Engine, Progress
from matchbound.errors import InputError
from matchbound.tables import (
    Matching,
    Output,
    Reading,
    count_rows,
    digest_of_ids,
    id_column,
    kinds_of_ids,
    open_source,
    read_ids,
    register_outputs,
)
from matchbound.tallies import check_on_population
from matchbound.theorems import Choices


def requested(
    con: Engine,
    population: Any,
    *,
    labels: int | None = None,
    train: int = 0,
    seed: str | None = None,
    id: str | None = None,
    holdout: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    anytime: bool = False,
    allowance: float | None = None,
    trained_on: Any = None,
    dedupe: bool = False,
    link: bool = False,
    source: str | None = None,
    phase: Phase | None = None,
    known_labels: Any = None,
    progress: Progress = lambda _: None,
    **choices: Any,
) -> Request:
    """Read and check all that a draw is made from, and what `certify` will check of it."""
    matching = Matching(dedupe, link, source)
    fixed = chosen(_implied(choices, holdout), anytime, allowance)
    is_train_alone = labels is None and bool(train) and not fixed.until and trained_on is None
    if is_train_alone:
        _refuse_choices(fixed, holdout, threshold, columns)
    _check_seed(seed)
    progress("reading the population")
    table = open_source(con, "population", population)
    if phase is not None:
        phase.check(con, table, id, matching)
        id, matching = phase.id, phase.matching
    matching.check_future(fixed.future)
    column = id_column(table, id)
    outputs = _outputs(
        con, holdout, Reading(columns or {}, threshold, fixed.scores), fixed, matching
    )
    kinds = kinds_of_ids(table, column, outputs, matching)
    if fixed.among or fixed.counted or phase is not None or trained_on is not None:
        kinds = "string", "string"  # ids are compared with those of drawn nodes
    size = read_ids(con, table, "population", column, kinds[0], origin=matching.source)
    earlier = _earlier(con, phase, trained_on, train, size, matching)
    if earlier is not None:
        check_second(fixed)
    else:
        train = check_count("train", train, 0, size)
    registered = tuple(one.recorded.as_dict() for one in outputs)
    words = [check_on_population(con, one, matching, kinds) for one in outputs]
    if earlier is not None and known_labels is not None and len(outputs) == 1:
        variances = variances_from(con, earlier.nodes, known_labels, outputs[0], matching)
        fixed = replace(fixed, variances=variances)
    fixed = replace(fixed, few_misses=_few_misses(fixed, labels, con, outputs, size))
    digest = digest_of_ids(con, table, column, matching.source).as_dict()
    plan = Plan(
        con,
        {"path": table.path, "digest": digest, "size": size, "id": id},
        None if is_train_alone else labels,
        train if earlier is None else len(earlier.nodes),
        fixed,
        matching,
        earlier,
        is_train_alone,
        registered,
        seed is not None,
    )
    plan = replace(plan, labels=plan.checked_labels())
    facts = {
        "population": digest,
        "size": size,
        "id": column,
        "matching": matching.as_dict(),
        "labels": plan.labels,
        "train": plan.train,
        "train_seed": None if earlier is None else earlier.seed,
        "trained_on": None
        if earlier is None or earlier.source is None
        else earlier.source["digest"],
        "choices": None if is_train_alone else fixed.as_dict(),
        "holdout": [dict(one) for one in registered],
        "seed": seed,
    }
    check = refuse_labels
    if earlier is not None:
        check = partial(_refuse_other_labels, con, earlier.nodes, matching)
    where = table.path or "a table"
    first_line = f"Population: {where}, {size} nodes with ids in {column!r}."
    known = [
        f"Holdout matcher{f' {one.algorithm}' if one.algorithm else ''}: {what}."
        for one, what in zip(outputs, words, strict=True)
    ]
    lines = [first_line, *known, *plan.lines(seed)]

    def make(seed: str) -> Draw:
        progress("drawing")
        return plan.make(seed)

    return Request(facts, registered, lines, make, check)


def _earlier(
    con: Engine,
    phase: Phase | None,
    trained_on: Any,
    train: int,
    size: int,
    matching: Matching,
) -> Earlier | None:
    if trained_on is not None:
        if train:
            raise InputError(
                f"train must be left out with trained_on, got {train}: its nodes are those to "
                "train on. Drop one of them."
            )
        source = open_source(con, "trained_on", trained_on)
        nodes, digest = labelled_nodes(con, source, matching)
        return Earlier(nodes, source={"path": source.path, "digest": digest.as_dict()})
    if phase is not None:
        return Earlier(first(con, phase.seed, "train", phase.train, size), seed=phase.seed)
    return None


def _refuse_other_labels(
    con: Engine, trained: Sequence[str], matching: Matching, folder: Path
) -> None:
    refuse_other_labels(con, folder, trained, matching)


def _outputs(
    con: Engine, holdout: Any, reading: Reading, choices: Choices, matching: Matching
) -> Sequence[Output]:
    """The holdout matchers to put on record, of which there may be none."""
    if holdout is not None:
        return register_outputs(con, holdout, reading, choices.algorithms, matching)
    if reading.threshold is not None or reading.columns:
        raise InputError(
            "threshold and columns must come with a holdout matcher, got them alone. "
            "Give it too, or give them to certify."
        )
    if choices.among or choices.counted == "precision":
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
    shares = {"recall": choices.matched or 1.0, "precision": choices.matched or 1.0}
    if outputs:
        shares["precision"] = count_rows(con, "matched") / size
    few = []
    for metric in choices.metrics:
        guess = choices.guesses.get(metric, 0.05 if metric == "error-rate" else 0.95)
        misses = guess if metric == "error-rate" else 1 - guess
        if labels * shares.get(metric, 1.0) * misses < FEW:
            few.append(metric)
    return tuple(few)


def _refuse_choices(
    choices: Choices,
    holdout: Any,
    threshold: float | None,
    columns: Mapping[str, str] | None,
) -> None:
    """Training nodes alone fix no choice: each is made when the others are drawn."""
    usual, chosen = Choices().as_dict(), choices.as_dict()
    given = [name for name in chosen if chosen[name] != usual[name]]
    named = {"holdout": holdout, "threshold": threshold, "columns": columns or None}
    given += [name for name, value in named.items() if value is not None]
    if given:
        raise InputError(
            f"{given[0]} must be left out where training nodes are drawn alone, got it: it is "
            "chosen when the nodes to validate on are drawn. Drop it, or give labels too."
        )


def _implied(choices: Mapping[str, Any], holdout: Any) -> dict[str, Any]:
    """What other arguments say of choices: the names of several matchers, and precision alone."""
    implied: dict[str, Any] = {}
    if isinstance(holdout, Mapping):
        implied["algorithms"] = tuple(holdout)
    if choices.get("among"):
        implied["metrics"] = ("precision",)
    return implied | dict(choices)


def chosen(
    choices: Mapping[str, Any], anytime: bool = False, allowance: float | None = None
) -> Choices:
    """Choices by name, with those that follow from others."""
    if anytime:
        if choices.get("bound", "auto") not in ("auto", "anytime"):
            raise InputError(
                f"bound must be left out with anytime, got {choices['bound']!r}. Drop one of them."
            )
        choices = {**choices, "bound": "anytime"}
    wanted = choices.get("choose_threshold")
    if allowance is not None:
        choices = {**choices, "allowance": allowance}
    elif "allowance" not in choices and isinstance(wanted, Mapping) and wanted.get("precision"):
        choices = {**choices, "allowance": round((1 - wanted["precision"]) / 10, 6)}
    return Choices.from_dict(choices)


def _check_seed(seed: Any) -> None:
    try:
        if seed is not None and not seed.encode():
            raise AttributeError
    except (UnicodeEncodeError, AttributeError):
        raise InputError(f"seed must be text, got {seed!r}. Give letters and digits.") from None
