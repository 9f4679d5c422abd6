"""Twenty versions of one matcher on real data, of which most are made to break certificates.

An adversary knows the whole truth, the sample, its labels, and every certificate so far.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pyarrow.compute as pc

from matchbound import Choices, Tally
from matchbound.theorems.guarantees import Guarantee, guarantees
from matchbound.theorems.room import room
from matchbound.theorems.tally import Cell, Label
from matchbound.theorems.terms import Terms
from support.populations import breaks
from support.replicates import read, truth_of
from support.terms import using

NAME = "dblp_acm"
TARGET = 0.9
"""What is wanted of every version, which an adversary wants to be certified falsely."""


@dataclass(frozen=True, eq=False)
class Version:
    """By node, how many matches a version has, how many are true, and how many the holdout has."""

    c: np.ndarray
    ct: np.ndarray
    hc: np.ndarray

    def moved(self, nodes, c, ct, hc) -> "Version":
        """The version with other numbers at some nodes."""
        numbers = [each.copy() for each in (self.c, self.ct, self.hc)]
        for old, new in zip(numbers, (c, ct, hc), strict=True):
            old[nodes] = new
        return Version(*numbers)


@dataclass(frozen=True, eq=False)
class Matched:
    """The holdout matcher: by node, its matches, the true ones, and both; and other versions."""

    h: np.ndarray
    t: np.ndarray
    ht: np.ndarray
    others: tuple[Version, ...]

    @property
    def holdout(self) -> Version:
        return Version(self.h, self.ht, self.h)

    def truth(self, version: Version) -> dict[str, float]:
        found, true = version.c > 0, self.t > 0
        return {
            "precision": float(np.mean(version.ct[found] / version.c[found])),
            "recall": float(np.mean(version.ct[true] / self.t[true])),
        }

    def tally(self, order, version: Version) -> Tally:
        """As `certify` counts it, from a sample in its order."""
        rows = (self.h, self.t, self.ht, version.c, version.ct, version.hc)
        labels = tuple(Label(*map(int, row)) for row in zip(*(r[order] for r in rows), strict=True))
        rest = np.ones(len(self.h), bool)
        rest[order] = False
        gap = Counter(
            zip(*(r[rest].tolist() for r in (self.h, version.c, version.hc)), strict=True)
        )
        cells = tuple(Cell(*found, nodes) for found, nodes in sorted(gap.items()))
        return Tally(len(self.h), (), labels, (), cells)


@cache
def matched() -> Matched:
    """A matcher that needs no label as the holdout; what other tools found as later versions."""
    truth, _ = truth_of(NAME)
    sides = [
        {x: i for i, x in enumerate(read(NAME, f"{side}.parquet")["id"].to_pylist())}
        for side in ("left", "right")
    ]

    def found(file, least, columns=("id_l", "id_r", "score")):
        table = read(NAME, f"{file}.parquet")
        table = table.filter(pc.greater_equal(table[columns[2]], least))
        matches = {x: set() for x in truth}
        for x, y in zip(*(table[name].to_pylist() for name in columns[:2]), strict=True):
            matches[sides[0][x]].add(sides[1][y])
        return matches

    holdout = found("rl_ecm/predictions", 0.5)
    splink = ("unique_id_l", "unique_id_r", "match_probability")
    others = [
        found("rl_ecm/predictions", 0.99),
        found("rl_logreg/H", 0.5),
        found("rl_logreg/H", 0.8),
        found("rl_logreg/C", 0.5),
        found("dedupe/C", 0.5),
        found("splink/predictions", 0.95, splink),
    ]

    def sizes(*sets):
        return np.array([len(set.intersection(*(s[x] for s in sets))) for x in truth])

    versions = [Version(sizes(c), sizes(c, truth), sizes(c, holdout)) for c in others]
    return Matched(sizes(holdout), sizes(truth), sizes(holdout, truth), tuple(versions))


Certified = tuple[Version, tuple[Guarantee, ...]]


@dataclass(frozen=True, eq=False)
class Attack:
    """What an adversary sees: the matcher and the truth, the sample, and the certificates."""

    data: Matched
    order: np.ndarray
    choices: Choices
    past: tuple[Certified, ...] = ()

    @property
    def perfect(self) -> Version:
        """The holdout matcher, with the truth at every labelled node."""
        t, ht = self.data.t[self.order], self.data.ht[self.order]
        return self.data.holdout.moved(self.order, t, t, ht)

    def unlabelled(self, is_such) -> np.ndarray:
        """The nodes outside the sample that are such."""
        rest = np.ones(len(self.data.h), bool)
        rest[self.order] = False
        return np.flatnonzero(rest & is_such)

    @property
    def right(self):
        return self.unlabelled((self.data.ht == 1) & (self.data.h == 1))

    @property
    def unmatched(self):
        return self.unlabelled(self.data.h == 0)

    def dropped(self, number, version=None):
        return (version or self.perfect).moved(self.right[:number], 0, 0, 0)

    def replaced(self, number, version=None):
        return (version or self.perfect).moved(self.right[:number], 1, 0, 0)

    def added(self, number, version=None):
        return (version or self.perfect).moved(self.unmatched[:number], 1, 0, 0)

    def second(self, number, version=None):
        return (version or self.perfect).moved(self.right[:number], 2, 1, 1)

    @property
    def nearest(self) -> Version:
        """The version so far whose bound came nearest to its truth, or went above it."""

        def distance(one):
            truth = self.data.truth(one[0])
            return min(truth[g.metric] - g.value for g in one[1])

        return min(self.past, key=distance)[0]

    def at_the_end_of_room(self, metric, move) -> Version:
        """As many changes as the holdout's certificate leaves room for, from the holdout."""
        alone = self.data.tally(self.order, self.data.holdout)
        most = room(alone, self.choices, metric, TARGET) or 0
        return move(most, self.data.holdout)


ATTACKS: tuple[Callable[[Attack], Version], ...] = (
    lambda a: a.data.holdout,
    lambda a: a.perfect,
    *(lambda a, i=i: a.data.others[i] for i in range(6)),
    lambda a: a.dropped(25),
    lambda a: a.dropped(400),
    lambda a: a.replaced(25),
    lambda a: a.replaced(400),
    lambda a: a.added(150),
    lambda a: a.second(60),
    lambda a: a.added(150, a.replaced(60)),
    lambda a: a.at_the_end_of_room("precision", a.added),
    lambda a: a.at_the_end_of_room("recall", a.dropped),
    lambda a: a.dropped(20, a.nearest),
    lambda a: a.replaced(20, a.nearest),
    lambda a: a.added(20, a.nearest),
)


def audited(data: Matched, order, choices: Choices, certify) -> list[Certified]:
    """Every version with its certificate, each made in view of those before."""
    attack = Attack(data, order, choices)
    for make in ATTACKS:
        version = make(attack)
        certificate = certify(data.tally(order, version), choices)
        attack = replace(attack, past=(*attack.past, (version, certificate)))
    return list(attack.past)


def failures(audits: int, seed: int, choices: Choices, labels: int, certify) -> np.ndarray:
    """For each audit and each version: whether its certificate is false."""
    data, rng = matched(), np.random.default_rng(seed)
    rows = []
    for _ in range(audits):
        order = rng.permutation(len(data.h))[:labels]
        past = audited(data, order, choices, certify)
        rows.append([breaks(certificate, data.truth(version)) for version, certificate in past])
    return np.array(rows)


def shipped(tally: Tally, choices: Choices) -> tuple[Guarantee, ...]:
    return guarantees({"all": tally}, choices, complete=True)


def as_its_own_holdout(tally: Tally, choices: Choices) -> tuple[Guarantee, ...]:
    """A release bounded by its own labelled nodes: it has seen them."""
    labels = tuple(Label.alone(x.c, x.t, x.ct) for x in tally.validation)
    cells = tuple(Cell(cell.c, cell.c, cell.c, cell.nodes) for cell in tally.gap)
    own = replace(tally, validation=labels, gap=cells)
    return guarantees({"all": own}, choices, complete=False)


class OnLabelled(Terms):
    """The gap counted on labelled nodes only."""

    def worst(self, name, value, tempting):
        return tempting if name.endswith(" gap") else value


def gap_on_labelled(tally: Tally, choices: Choices) -> tuple[Guarantee, ...]:
    return using(OnLabelled(), lambda: shipped(tally, choices))
