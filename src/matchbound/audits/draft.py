"""How many nodes a draw takes, and from which, before there is a seed; and the same in words."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matchbound.audits.choices import is_by_matcher
from matchbound.audits.draw import Draw, join_orders, nodes
from matchbound.audits.inputs import Population, TableRef, Within
from matchbound.audits.order import first, first_until
from matchbound.audits.training import without_trained
from matchbound.audits.weights import Weights
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables import Matching, Recorded
from matchbound.theorems import Choices, provable_limit


@dataclass(frozen=True)
class Earlier:
    """D, where it was there before the seed: its nodes, and the seed or the labels it is from."""

    nodes: Sequence[str]
    seed: str | None = None
    source: TableRef | None = None


@dataclass(frozen=True)
class Draft:
    """What to draw from the tables `population` and `matched`, once there is a seed.

    `weights` are those of the nodes in the table `weighed`, where nodes are drawn by weight.
    """

    con: Engine
    population: Population
    within: Within | None
    labels: int | None
    train: int
    choices: Choices
    matching: Matching
    earlier: Earlier | None
    is_train_alone: bool
    registered: tuple[Recorded, ...]
    seed_given: bool
    weights: Weights | None = None

    @property
    def size(self) -> int:
        """How many nodes there are to draw from."""
        return self.population.size if self.within is None else self.within.size

    @property
    def left(self) -> int:
        """How many nodes S may be drawn from."""
        return self.size - (self.train if self.earlier else 0)

    def checked_labels(self) -> int | None:
        """Check the sizes; return the number of validation nodes, None if the seed decides it."""
        what = "the population's size" if self.within is None else "the part's size"
        check_count("gap", self.choices.gap, 0, self.size, what)
        if self.is_train_alone:
            return None
        if self.choices.until_matched:
            if self.labels is not None:
                raise InputError(
                    f"labels must be left out with until {self.choices.counted}, got "
                    f"{self.labels}: the holdout matcher tells how many it takes. Drop it."
                )
            self._check_until()
            return None
        if self.labels is None:
            raise InputError(
                "labels must be given, got None. Say how many nodes to draw to validate on, such "
                "as 300; or give train alone, to draw training nodes first."
            )
        if self.weights is not None:
            by_weight = "the number of nodes that can be drawn by weight"
            return check_count("labels", self.labels, 1, self.weights.size, by_weight)
        if self.choices.among:
            most = self._matched()
            return check_count("labels", self.labels, 1, most, "the number of matched nodes")
        least = self.choices.until_true or 1
        what = "the number of nodes not trained on" if self.earlier else what
        return check_count("labels", self.labels, least, self.left, what)

    def _check_until(self) -> None:
        """Refuse more matched nodes than there are; those that D takes are known only later."""
        wanted, most = self.choices.until_matched, self._matched()
        if wanted is not None and wanted > most:
            raise InputError(
                f"until must be at most the {most} nodes that the holdout matcher matches outside "
                f"the training nodes, got {self.choices.counted}={wanted}. Choose fewer."
            )

    def _matched(self) -> int:
        """How many matched nodes S may be drawn from."""
        if self.earlier is not None:
            without_trained(self.con, self.earlier.nodes, ["matched"])
        ((matched,),) = self.con.rows("select count(*) from matched")
        return int(matched)

    def lines(self, seed: str | None) -> list[str]:
        drawn = [*_sizes_in_words(self), *_weights_in_words(self), *_choices_in_words(self)]
        drawn += _limit_in_words(self)
        return [*drawn, *_seed_in_words(self, seed)]

    def make(self, seed: str) -> Draw:
        compared = first(self.con, seed, "gap", self.choices.gap, self.size)
        trained, earlier = self._trained(seed), self.earlier
        validated = [] if self.is_train_alone else self._validated(seed, trained)
        return Draw(
            self.population,
            seed,
            len(validated),
            self.train,
            self.choices,
            join_orders(trained, validated),
            self.matching,
            tuple(compared),
            self.registered[0] if is_by_matcher(self.choices) else None,
            self.registered,
            self.seed_given,
            None if earlier is None else earlier.seed,
            None if earlier is None else earlier.source,
            self.within,
        )

    def _trained(self, seed: str) -> Sequence[str]:
        if self.earlier is None:
            return first(self.con, seed, "train", self.train, self.size)
        tables = ["population", "matched"] if self.registered else ["population"]
        without_trained(self.con, self.earlier.nodes, tables)
        return self.earlier.nodes

    def _validated(self, seed: str, trained: Sequence[str]) -> list[str]:
        if self.choices.until_matched:
            return first_until(self.con, seed, self.choices.until_matched, trained)
        assert self.labels is not None
        if self.weights is not None:
            return self.weights.first(self.con, seed, self.labels)
        if self.choices.among:
            matched = self._matched()
            return first(self.con, seed, "validation", self.labels, matched, "matched")
        return first(self.con, seed, "validation", self.labels, self.left)


def _sizes_in_words(draft: Draft) -> list[str]:
    if draft.is_train_alone:
        return [f"To be drawn: {nodes(draft.train)} to train on."]
    until = "".join(f", until {k} count for {m}" for m, k in draft.choices.until.items())
    labels = "nodes" if draft.labels is None else nodes(draft.labels)
    weigh = f", by weight, for {draft.choices.weigh}" if draft.weights else ""
    trained = f", and {draft.train} to train on" if draft.train else ""
    if draft.earlier is not None:
        trained = f", out of the {draft.left} that are not among the {draft.train} to train on"
    gap = f"; {draft.choices.gap} to compare the matchers on" if draft.choices.gap else ""
    return [f"To be drawn: {labels} to validate on{until}{weigh}{trained}{gap}."]


def _choices_in_words(draft: Draft) -> list[str]:
    """δ, the metrics, and all choices that are not the default."""
    if draft.is_train_alone:
        return []
    usual, chosen = Choices().as_dict(), draft.choices.as_dict()
    own = ("delta", "metrics", "until", "gap", "weigh", "limit_by_sample")
    differ = [name for name in chosen if chosen[name] != usual[name] and name not in own]
    more = [f"{name.replace('_', '-')} {_value_in_words(chosen[name])}".strip() for name in differ]
    metrics = " and ".join(draft.choices.metrics)
    return [f"Choices: {'; '.join([f'{metrics} at δ = {draft.choices.delta:g}', *more])}."]


def _limit_in_words(draft: Draft) -> list[str]:
    """The limit on true matches that the sample will prove, if one is to be proved."""
    if not draft.choices.limit_by_sample or draft.labels is None:
        return []
    delta = draft.choices.design(draft.choices.metrics[0]).delta
    least = provable_limit([(1.0, draft.left)], draft.labels, delta)
    return [
        f"Pairwise recall and F1: the sample will prove that no node has more than {least} true "
        "matches (or more, if training nodes have). Promise fewer with --most-true-matches, if you "
        "can, for tighter bounds."
    ]


def _weights_in_words(draft: Draft) -> list[str]:
    if draft.weights is None or not draft.weights.nodes:
        return []
    found = sorted(draft.weights.nodes)
    least, most = draft.weights.weight(found[0]), draft.weights.weight(found[-1])
    plus = f", plus {least - found[0]:.0f}" if least > found[0] else ""
    return [
        f"A node's weight is the number of its matches by the holdout matcher{plus}: from "
        f"{least:.0f} to {most:.0f}, for {draft.weights.size} nodes."
    ]


def _value_in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value_in_words(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_value_in_words, value))
    if value is True:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _seed_in_words(draft: Draft, seed: str | None) -> list[str]:
    if seed is not None:
        return [f"The seed was given: {seed!r}. What is certified from it meets no --require."]
    if draft.is_train_alone:
        return [
            "Label them, develop the holdout matcher, then draw the nodes to validate on: "
            "draw POPULATION --labels N --holdout H --out AUDIT."
        ]
    if draft.registered:
        return ["The seed is made once the holdout matcher and the choices are on record."]
    for_them = "; train.csv is for them" if draft.train else ""
    return [
        "Whoever develops the holdout matcher must not see sample.csv until it is on record"
        f"{for_them}."
    ]


def check_count(
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
