"""A made bibliography: references to authors by name, and who wrote a paper with whom.

Authors belong to communities, and write with authors of their own. Names are common and often
written with initials, so a name alone does not say which author a reference means.
"""

from dataclasses import dataclass

import numpy as np

FIRST = (
    *("John", "Jane", "James", "Julia", "Mary", "Mark", "Maria", "Michael"),
    *("Anna", "Alan", "Alice", "Andrew", "Peter", "Paul", "Paula", "David"),
)
SYLLABLES = [a + b for a in "bdklmnrst" for b in "aeo"]


@dataclass(frozen=True)
class Bibliography:
    ids: list[str]
    names: list[str]
    papers: list[str]  # of each reference
    authors: list[int]  # the truth

    def records(self):
        import pyarrow as pa

        return pa.table({"id": self.ids, "name": self.names})

    def links(self):
        import pyarrow as pa

        return pa.table({"record": self.ids, "group": self.papers})

    def pairs(self):
        """The true pairs of positions, the smaller first."""
        by_author: dict[int, list[int]] = {}
        for position, author in enumerate(self.authors):
            by_author.setdefault(author, []).append(position)
        return {(x, y) for own in by_author.values() for x in own for y in own if x < y}

    def labels(self, positions):
        """Labels of these references: all their matches, or none."""
        import pyarrow as pa

        by_author: dict[int, list[int]] = {}
        for position, author in enumerate(self.authors):
            by_author.setdefault(author, []).append(position)
        rows = []
        for x in positions:
            others = [y for y in by_author[self.authors[x]] if y != x]
            rows += [(self.ids[x], self.ids[y]) for y in others] or [(self.ids[x], None)]
        x, y = zip(*rows, strict=True)
        return pa.table({"x": pa.array(x, pa.string()), "y": pa.array(y, pa.string())})


def bibliography(
    seed,
    *,
    papers=500,
    communities=40,
    size=8,
    surnames=300,
    initials=0.6,
    outsiders=0.05,
    slips=0.02,
):
    """Draw `papers` of two to five authors out of a community, some of whom are outsiders.

    A reference has the first name's initial alone with probability `initials`, and a letter of
    the surname changed with probability `slips`.
    """
    rng = np.random.default_rng(seed)
    family = _surnames(rng, surnames)
    weights = 1 / np.arange(1, surnames + 1) ** 0.5
    people = [
        (FIRST[rng.integers(len(FIRST))], family[rng.choice(surnames, p=weights / weights.sum())])
        for _ in range(communities * size)
    ]
    ids, names, groups, authors = [], [], [], []
    for paper in range(papers):
        own = rng.integers(communities) * size + np.arange(size)
        activity = 1 / np.arange(1, size + 1) ** 0.5
        count = rng.integers(2, 6)
        chosen = rng.choice(own, count, replace=False, p=activity / activity.sum())
        away = rng.random(count) < outsiders
        chosen[away] = rng.integers(len(people), size=int(away.sum()))
        for author in dict.fromkeys(chosen.tolist()):
            ids.append(f"r{len(ids)}")
            names.append(_written(rng, *people[author], initials, slips))
            groups.append(f"p{paper}")
            authors.append(author)
    return Bibliography(ids, names, groups, authors)


def _surnames(rng, count):
    made: dict[str, None] = {}
    while len(made) < count:
        made["".join(rng.choice(SYLLABLES, rng.integers(2, 4))).capitalize()] = None
    return list(made)


def _written(rng, first, last, initials, slips):
    if rng.random() < slips:
        place = rng.integers(1, len(last))
        last = last[:place] + "aeioulnrst"[rng.integers(10)] + last[place + 1 :]
    return f"{first[0]}. {last}" if rng.random() < initials else f"{first} {last}"


SETTINGS = {  # chosen before anything was tuned; the first is the one that the docs name
    "common": {},
    "crowded": {"surnames": 100, "initials": 0.8},
    "loose": {"communities": 20, "size": 16, "outsiders": 0.15},
    "slips": {"slips": 0.1, "papers": 800, "communities": 60},
}


def labelled_fifth(made, seed=0):
    """A fifth of the references, and their labels."""
    chosen = np.random.default_rng(seed).choice(len(made.ids), len(made.ids) // 5, replace=False)
    return set(chosen.tolist()), made.labels(sorted(chosen.tolist()))


def pairwise_f1(made, matches, labelled):
    """Pairwise F1 over pairs of two references without labels."""
    position = {record: i for i, record in enumerate(made.ids)}
    predicted = {tuple(sorted((position[x], position[y]))) for x, y in matches.pairs()}
    predicted, true = (
        {pair for pair in pairs if labelled.isdisjoint(pair)} for pairs in (predicted, made.pairs())
    )
    return 2 * len(predicted & true) / (len(predicted) + len(true))
