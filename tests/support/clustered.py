"""Clusters that pairs link, by Python sets, and random matchers to make them of."""

import itertools
import random
from dataclasses import dataclass, field
from functools import cached_property

import pyarrow as pa

from support.oracles import tally_by_sets


def components(links):
    """The connected components of links, as sets: each link joins the sets of its ends."""
    part_of = {}
    for a, b in links:
        one, other = part_of.setdefault(a, {a}), part_of.setdefault(b, {b})
        if one is not other:
            one |= other
            part_of.update(dict.fromkeys(other, one))
    return list({id(part): part for part in part_of.values()}.values())


def closed(pairs, nodes, dedupe):
    """Each node's matches in the clusters of pairs; x = "1" and y = "1" are two records."""
    matches = {x: set() for x in nodes}
    links = pairs if dedupe else [(("x", x), ("y", y)) for x, y in pairs]
    for part in components(links):
        if dedupe:
            matches |= {x: part - {x} for x in part}
        else:
            ys = {name for side, name in part if side == "y"}
            matches |= {name: ys for side, name in part if side == "x"}
    return matches


def as_given(pairs, nodes, dedupe=False):
    """Each node's matches by pairs alone."""
    matches = {x: set() for x in nodes}
    for x, y in pairs:
        matches[x].add(y)
        if dedupe:
            matches[y].add(x)
    return matches


def clusters_by_sets(truth, clusters, labelled, sides=None):
    """Clusters (by record) after the entities of labelled nodes have left them, as sets of records.

    `sides` has the records that may be y, where two tables are linked. A record whose cluster has
    lost all of those follows most of them.
    """
    ys = set(clusters) | set(truth) if sides is None else sides
    entities = []
    for x in sorted(labelled):
        entity = {x} | truth[x]
        touching = [other for other in entities if other & entity]
        entities = [other for other in entities if not other & entity]
        entities.append(entity.union(*touching))
    placed = set().union(*entities)
    left = {}
    for x, cluster in clusters.items():
        if x not in placed:
            left.setdefault(cluster, set()).add(x)
    for cluster, rest in left.items():
        gone = [x for x in clusters if clusters[x] == cluster and x in placed and x in ys]
        if gone and not rest & ys:
            among = [entity & set(gone) for entity in entities]
            places = [i for i in range(len(among)) if among[i]]
            entities[min(places, key=lambda i: (-len(among[i]), min(among[i])))] |= rest
            rest.clear()
    return [*entities, *filter(None, left.values())]


def as_matches(parts, nodes, ys=None):
    matches = {x: set() for x in nodes}
    for part in parts:
        for x in part & matches.keys():
            matches[x] = (part if ys is None else part & ys) - ({x} if ys is None else set())
    return matches


def more_pairs(pairs):
    """How many more pairs the clusters of one table's pairs link."""
    linked = sum(len(part) * (len(part) - 1) // 2 for part in components(pairs))
    return linked - len({frozenset(pair) for pair in pairs})


class Matched:
    """What is matched: `nodes` with each other (`dedupe`), or with those of another table."""

    @property
    def people(self):
        return pa.table({"id": self.nodes})

    @property
    def matching(self):
        return {"dedupe": True} if self.dedupe else {"link": True}


@dataclass(frozen=True)
class World(Matched):
    """One table with itself, or two whose ids are the same numbers; truth in entities.

    `holdout` and `complete` are pairs with scores, strewn in and between the entities.
    """

    dedupe: bool
    nodes: list[str]
    others: list[str]
    entity: dict[tuple[str, str], int]
    holdout: dict[tuple[str, str], float] = field(default_factory=dict)
    complete: dict[tuple[str, str], float] = field(default_factory=dict)

    @staticmethod
    def random(seed, *, dedupe, size=120):
        rng = random.Random(f"{seed} {dedupe}")
        nodes, sides = [str(i) for i in range(size)], ("x",) if dedupe else ("x", "y")
        others = nodes if dedupe else [str(i) for i in range(size // 3, size // 3 + size)]
        entity = {
            (side, name): rng.randrange(size // 2)
            for side in sides
            for name in (nodes if side == "x" else others)
        }
        for name in [] if dedupe else [name for name in nodes if name in others]:
            if rng.random() < 0.3:  # some matches have the same id
                entity["y", name] = entity["x", name]
        world = World(dedupe, nodes, others, entity)
        right = {(x, y) for x in nodes for y in world.truth[x] if not dedupe or x < y}
        wrong = [tuple(sorted(rng.sample(nodes, 2))) for _ in range(size // 10)]
        if not dedupe:
            wrong = [(x, rng.choice([x, y])) for x, y in wrong]
            wrong = [(x, y if y in others else rng.choice(others)) for x, y in wrong]
        wrong = {*wrong} - right
        scored = {pair: rng.choice([0.3, 0.5, 0.6, 0.7, 0.9, 1.0]) for pair in sorted(right)}
        scored |= {pair: rng.choice([0.3, 0.5, 0.7, 0.9]) for pair in sorted(wrong)}
        world.holdout.update(scored)
        world.complete.update(
            {pair: rng.choice([score, 0.4]) for pair, score in scored.items() if rng.random() < 0.9}
        )
        if dedupe:  # a pair may stand either way round
            for found in (world.holdout, world.complete):
                for x, y in [pair for pair in found if rng.random() < 0.5]:
                    found[y, x] = found.pop((x, y))
        return world

    @cached_property
    def truth(self):
        """Each node's true matches."""
        side, members = "x" if self.dedupe else "y", {}
        for y in self.others:
            members.setdefault(self.entity[side, y], set()).add(y)
        same = {x: members.get(self.entity["x", x], set()) for x in self.nodes}
        return {x: ys - {x} if self.dedupe else ys for x, ys in same.items()}

    def pairs(self, role, least=0.5):
        return sorted(pair for pair, score in getattr(self, role).items() if score >= least)

    def matches(self, role, least=0.5, *, clusters=True):
        how = closed if clusters else as_given
        return how(self.pairs(role, least), self.nodes, self.dedupe)

    def table(self, role, least=None):
        """Pairs with their scores; or those from a score on, without."""
        if least is None:
            pairs, scores = list(getattr(self, role)), list(getattr(self, role).values())
            return pa.table({"x": _left(pairs), "y": _right(pairs), "score": scores})
        pairs = self.pairs(role, least)
        return pa.table({"x": _left(pairs), "y": _right(pairs)})

    def labels(self, draw):
        """Those of all drawn nodes."""
        rows = [(x, y) for x, _, _ in draw.sample for y in sorted(self.truth[x]) or [None]]
        return pa.table({"x": _left(rows), "y": _right(rows)})

    @property
    def entities(self):
        """The truth as sets of records; of two tables with their sides."""
        parts = {}
        for (side, name), entity in self.entity.items():
            parts.setdefault(entity, set()).add(name if self.dedupe else (side, name))
        return list(parts.values())

    def links(self, role, least=0.5):
        """Pairs whose ends are records; of two tables with their sides."""
        pairs = self.pairs(role, least)
        return pairs if self.dedupe else [(("x", x), ("y", y)) for x, y in pairs]

    def tally(self, draw, holdout, complete=None):
        """Of matches by node; the draw may have sources before its ids."""
        nodes = draw.trained, draw.validated
        order = [[x.removeprefix("left-__-") for x in part] for part in nodes]
        both = holdout, holdout if complete is None else complete
        return tally_by_sets(self.nodes, self.truth, *both, *order, dedupe=self.dedupe)


def _left(pairs):
    return pa.array([x for x, _ in pairs], pa.string())


def _right(pairs):
    return pa.array([y for _, y in pairs], pa.string())


def as_clusters(parts, names):
    """A table of clusters with columns of these names; of two tables, records have sources."""
    rows = [(record, str(i)) for i, part in enumerate(parts) for record in sorted(part)]
    clusters = [cluster for _, cluster in rows]
    if isinstance(rows[0][0], str):
        return pa.table([[x for x, _ in rows], clusters], names)
    sources = ["left" if side == "x" else "right" for (side, _), _ in rows]
    return pa.table([[name for (_, name), _ in rows], clusters, sources], names)


def graphs(rng, number, nodes=9):
    """Random graphs, sparse and dense."""
    for _ in range(number):
        chance = rng.choice([0.05, 0.15, 0.3, 0.9])
        yield [pair for pair in itertools.combinations(range(nodes), 2) if rng.random() < chance]
