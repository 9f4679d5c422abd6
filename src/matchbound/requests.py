"""A draw before its seed: everything that it is made from, read and checked."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from matchbound.choices import Choices
from matchbound.commits import Request
from matchbound.draws import Draw, join_orders, refuse_labels
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.holdouts import Output, check_on_population, kinds_of_ids, opened
from matchbound.matching import Matching
from matchbound.orders import first, first_until
from matchbound.phases import (
    Phase,
    check_second,
    labelled_nodes,
    refuse_other_labels,
    without_trained,
)
from matchbound.sources import open_source
from matchbound.tables import id_column, read_ids

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Earlier:
    """D, where it was there before the seed: its nodes, and what they came from."""

    nodes: Sequence[str]
    seed: str | None = None
    source: Mapping[str, Any] | None = None


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
        phase.check(table, id, matching)
        id, matching = phase.id, phase.matching
    matching.check_future(fixed.future)
    column = id_column(table, id)
    outputs = _outputs(con, holdout, threshold, columns, fixed)
    kinds = kinds_of_ids(table, column, outputs, matching)
    if fixed.among or fixed.counted or phase is not None or trained_on is not None:
        kinds = "string", "string"  # ids are compared with those of drawn nodes
    size = read_ids(con, table, "population", column, kinds[0], origin=matching.source)
    earlier = _earlier(con, phase, trained_on, train, size, matching)
    if earlier is not None:
        check_second(fixed)
    else:
        train = _check_count("train", train, 0, size)
    registered = tuple(one.facts for one in outputs)
    words = [check_on_population(con, one, matching, kinds) for one in outputs]
    plan = _Plan(
        con,
        table.as_dict(size=size, id=id),
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
        "population": table.digest,
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
        f"Holdout matcher{f' {one.name}' if one.name else ''}: {what}."
        for one, what in zip(outputs, words, strict=True)
    ]
    lines = [first_line, *known, *plan.lines(seed)]

    def make(seed: str) -> Draw:
        progress("drawing")
        return plan.make(seed)

    return Request(facts, registered, lines, make, check)


@dataclass(frozen=True)
class _Plan:
    """What to draw, from the tables `population` and `matched` in the engine."""

    con: Engine
    population: Mapping[str, Any]
    labels: int | None
    train: int
    choices: Choices
    matching: Matching
    earlier: Earlier | None
    is_train_alone: bool
    registered: tuple[Mapping[str, Any], ...]
    seed_given: bool

    @property
    def left(self) -> int:
        """How many nodes S may be drawn from."""
        return int(self.population["size"]) - (self.train if self.earlier else 0)

    def checked_labels(self) -> int | None:
        """How many nodes to validate on, if the seed does not decide it."""
        _check_count("gap", self.choices.gap, 0, self.population["size"])
        if self.is_train_alone:
            return None
        if self.choices.counted == "precision":
            if self.labels is not None:
                raise InputError(
                    f"labels must be left out with until precision, got {self.labels}: the holdout "
                    "matcher tells how many it takes. Drop it."
                )
            return None
        if self.choices.among:
            most = self._matched()
            return _check_count("labels", self.labels, 1, most, "the number of matched nodes")
        least = self.choices.until.get("recall", 1)
        what = "the number of nodes not trained on" if self.earlier else "the population's size"
        return _check_count("labels", self.labels, least, self.left, what)

    def _matched(self) -> int:
        """How many matched nodes S may be drawn from."""
        if self.earlier is not None:
            without_trained(self.con, self.earlier.nodes, ["matched"])
        ((matched,),) = self.con.rows("select count(*) from matched")
        return int(matched)

    def lines(self, seed: str | None) -> list[str]:
        return [*_sizes_in_words(self), *_choices_in_words(self), *_seed_in_words(self, seed)]

    def make(self, seed: str) -> Draw:
        compared = first(self.con, seed, "gap", self.choices.gap, self.population["size"])
        trained, earlier = self._trained(seed), self.earlier
        validated = [] if self.is_train_alone else self._validated(seed, trained)
        depends = self.choices.among or self.choices.counted == "precision"
        return Draw(
            self.population,
            seed,
            len(validated),
            self.train,
            self.choices,
            join_orders(trained, validated),
            self.matching,
            tuple(compared),
            self.registered[0] if depends else None,
            self.registered,
            self.seed_given,
            None if earlier is None else earlier.seed,
            None if earlier is None else earlier.source,
        )

    def _trained(self, seed: str) -> Sequence[str]:
        if self.earlier is None:
            return first(self.con, seed, "train", self.train, self.population["size"])
        tables = ["population", "matched"] if self.registered else ["population"]
        without_trained(self.con, self.earlier.nodes, tables)
        return self.earlier.nodes

    def _validated(self, seed: str, trained: Sequence[str]) -> list[str]:
        if self.choices.counted == "precision":
            return first_until(self.con, seed, self.choices.until["precision"], trained)
        assert self.labels is not None
        if self.choices.among:
            matched = self._matched()
            return first(self.con, seed, "validation", self.labels, matched, "matched")
        return first(self.con, seed, "validation", self.labels, self.left)


def _sizes_in_words(plan: _Plan) -> list[str]:
    if plan.is_train_alone:
        return [f"To be drawn: {plan.train} nodes to train on."]
    until = "".join(f", until {k} count for {m}" for m, k in plan.choices.until.items())
    labels = "nodes" if plan.labels is None else f"{plan.labels} nodes"
    trained = f", and {plan.train} to train on" if plan.train else ""
    if plan.earlier is not None:
        trained = f", out of the {plan.left} that are not among the {plan.train} to train on"
    gap = f"; {plan.choices.gap} to compare the matchers on" if plan.choices.gap else ""
    return [f"To be drawn: {labels} to validate on{until}{trained}{gap}."]


def _choices_in_words(plan: _Plan) -> list[str]:
    """δ and the metrics, and whatever else is not as it is by default."""
    if plan.is_train_alone:
        return []
    usual, chosen = Choices().as_dict(), plan.choices.as_dict()
    own = ("delta", "metrics", "until", "gap")
    more = [f"{name} {chosen[name]}" for name in chosen if chosen[name] != usual[name]]
    more = [words for words in more if words.split()[0] not in own]
    metrics = " and ".join(plan.choices.metrics)
    return [f"Choices: {'; '.join([f'{metrics} at δ = {plan.choices.delta:g}', *more])}."]


def _seed_in_words(plan: _Plan, seed: str | None) -> list[str]:
    if seed is not None:
        return [f"The seed was given: {seed!r}. What is certified from it meets no --require."]
    if plan.is_train_alone:
        return [
            "Label them, develop the holdout matcher, then draw the nodes to validate on: "
            "draw POPULATION --labels N --holdout H --out AUDIT."
        ]
    if plan.registered:
        return ["The seed is made once the holdout matcher and the choices are on record."]
    given = "; train.csv is for them" if plan.train else ""
    return [
        "Whoever develops the holdout matcher must not see sample.csv until it is on record"
        f"{given}."
    ]


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
        return Earlier(labelled_nodes(con, source, matching), source=source.as_dict())
    if phase is not None:
        return Earlier(first(con, phase.seed, "train", phase.train, size), seed=phase.seed)
    return None


def _refuse_other_labels(
    con: Engine, trained: Sequence[str], matching: Matching, folder: Path
) -> None:
    refuse_other_labels(con, folder, trained, matching)


def _outputs(
    con: Engine,
    holdout: Any,
    threshold: float | None,
    columns: Mapping[str, str] | None,
    choices: Choices,
) -> list[Output]:
    """The holdout matchers to put on record, of which there may be none."""
    if holdout is not None:
        return opened(con, holdout, threshold, columns, choices)
    if threshold is not None or columns:
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
        if seed is not None:
            seed.encode()
    except (UnicodeEncodeError, AttributeError):
        raise InputError(f"seed must be text, got {seed!r}. Give letters and digits.") from None


def _check_count(
    argument: str, count: Any, least: int, size: int, what: str = "the population's size"
) -> int:
    try:
        number = -1 if isinstance(count, bool) else operator.index(count)
    except TypeError:
        number = -1
    if not least <= number <= size:
        raise InputError(
            f"{argument} must be a whole number from {least} to {what}, {size}; "
            f"got {count!r}. Choose one in that range."
        )
    return number
