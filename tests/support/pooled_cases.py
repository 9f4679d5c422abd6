"""Small populations, all samples of which are drawn in every order, against every adversary."""

import random
from collections import Counter
from dataclasses import dataclass, replace

from matchbound import AssumptionError, Choices
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.terms import Terms
from support.populations import STRATEGIES, Node, breaks, metrics_of, orders
from support.terms import unsure, using

OF_PRECISION = ("precision", "pairwise-precision", "b3-precision")


@dataclass
class Cut(Terms):
    """A worst case forgotten, or none."""

    name: str = ""

    def worst(self, name, value, tempting):
        return tempting if name == self.name else value


class Once(Cut):
    """For one sample: bounds on the holdout matcher, whatever the complete one, computed once."""

    def __init__(self, name=""):
        super().__init__(name)
        self.known = {}

    def bounded(self, name, delta, bound):
        if name == "sharp recall labels":  # may depend on the complete matcher
            return bound(delta)
        if (name, delta) not in self.known:
            self.known[name, delta] = bound(delta)
        return self.known[name, delta]


@dataclass(frozen=True)
class Case:
    """A population, of which `drawn` nodes outside D are drawn; who is `unsure` stays unlabelled.

    `complete`: the complete matcher is made after the sample was seen.
    """

    population: dict[Node, int]
    drawn: int
    choices: Choices
    unsure: Node | None = None
    complete: bool = True

    def weight(self, node):
        """By the most that the node can add to the denominator."""
        limit = self.choices.most_true_matches or self.choices.among_records_with_at_most
        by = {"": 1, "pairwise-precision": node.h, "pairwise-f1": node.h + (limit or 1)}
        return by[self.choices.weigh]

    def failure(self, cut=""):
        """The chance that any guarantee is false."""
        others = {node: n for node, n in self.population.items() if not node.trained}
        return sum(
            probability * self._is_broken(order, Once(cut))
            for order, probability in orders(others, self.drawn, self.weight)
        )

    def _is_broken(self, order, terms):
        strategies = STRATEGIES if self.complete else STRATEGIES[:1]
        return any(self._breaks(order, strategy, terms) for strategy in strategies)

    def _breaks(self, order, strategy, terms):
        tally, truth = unsure(self.population, order, self._is_unsure, strategy)

        def ask():
            try:
                return guarantees({"all": tally}, self.choices, complete=self.complete)
            except AssumptionError:  # refused: nothing is promised
                return ()

        return breaks(using(terms, ask), truth | self._among())

    def _is_unsure(self, label):
        hidden = self.unsure
        return hidden is not None and label[:3] == (hidden.h, hidden.t, hidden.ht)

    def _among(self):
        """The truth of metrics that are about the records within the limit alone."""
        limit = self.choices.among_records_with_at_most
        if not limit:
            return {}
        within = Counter()
        for node, n in self.population.items():
            within[node.label()] += n * (node.t <= limit)
        truth = metrics_of(+within)
        return {name: truth[name] for name, metric in METRICS.items() if metric.needs_limit}


def a_node(rng, most, trained=False):
    h, t = rng.choice([0, 1, 1, 2, 3]), rng.randint(0, most)
    both = min(h, t)
    return Node(h, t, rng.choice([0, both, rng.randint(0, both)]), trained)


def a_case(rng: random.Random) -> Case | None:
    """At random: 5 to 7 nodes and D of up to two, any metrics, weights and kind of limit."""
    most = rng.choice([1, 2, 3])
    kinds = [a_node(rng, most) for _ in range(rng.randint(2, 4))]
    population = Counter(rng.choices(kinds, k=rng.randint(5, 7)))
    population.update(a_node(rng, most, trained=True) for _ in range(rng.choice([0, 0, 1, 2])))
    weigh = rng.choice(["", "", "pairwise-precision", "pairwise-f1"])
    names = OF_PRECISION if weigh == "pairwise-precision" else tuple(METRICS)
    metrics = tuple(rng.sample(names, 1 if rng.random() < 0.8 else 2))
    limit = max(1, *(node.t for node in population))
    promised = rng.random() < 0.7
    way = {"most_true_matches": limit + rng.choice([0, 0, 1])}
    if not promised:
        way = {"among_records_with_at_most": max(1, limit - rng.choice([0, 1]))}
    planned = {name: 10 ** rng.uniform(-4, 1.5) for name in metrics} if rng.random() < 0.3 else {}
    delta = rng.choice([0.1, 0.2, 0.3, 0.5, 0.7])
    choices = Choices(delta, metrics, weigh=weigh, variances=planned, **way)
    hidden = rng.choice([None, None, rng.choice(list(population))])
    case = Case(dict(population), 1, choices, hidden, promised and rng.random() < 0.7)
    size = sum(n for x, n in population.items() if not x.trained and case.weight(x))
    return replace(case, drawn=rng.randint(1, min(size, 5))) if size else None


def a_case_of_entities(rng: random.Random) -> Case:
    """One table with itself, its sample to prove the limit: entities found whole or not at all."""
    population, trained, left = Counter(), 0, rng.choice([7, 7, 8, 10])
    while left:
        size = min(left, rng.choice([1, 2, 2, 2, 3, 4, 5]))
        found, wrong = rng.choice([size - 1, size - 1, 0]), rng.choice([0, 0, 1])
        for _ in range(size):
            is_trained = trained < 2 and rng.random() < 0.1
            population[Node(found + wrong, size - 1, found, is_trained)] += 1
            trained += is_trained
        left -= size
    metric, delta = (
        rng.choice(["pairwise-recall", "pairwise-f1"]),
        rng.choice([0.05, 0.1, 0.2, 0.3]),
    )
    choices = Choices(delta, (metric,), limit_by_sample=True)
    return Case(dict(population), rng.randint(1, 4), choices, complete=rng.random() < 0.3)
