"""`match(links=…)`, with and without labels, against its definition."""

import numpy as np
import pyarrow as pa
import pytest

from matchbound.matchers.records import classifier
from matchbound.matchers.records.candidates import Candidates, nearest
from matchbound.matchers.records.features import features_of
from matchbound.matchers.records.fields import read_tables
from matchbound.matchers.records.match import TOP_LINKED, match
from support import link_references as reference

NAMES = ["ann lee", "anna lee", "a lee", "ben moss", "b moss", "cyd park", "c park", "dan park"]
TOWNS = ["upton", "marsh", None]
TREES = 8  # a power of two, so that means of shares are exact


class Case:
    """References of some authors on papers, in one table or two, and what they are by number."""

    def __init__(self, seed, size=22):
        rng = np.random.default_rng(seed)
        self.offset = size // 2 if seed % 2 else 0
        self.authors = rng.integers(0, 6, size).tolist()
        name = [(author + int(rng.integers(0, 2))) % len(NAMES) for author in self.authors]
        town = rng.choice(len(TOWNS), size).tolist()
        self.fields = [
            {"name": NAMES[n], "town": TOWNS[t]} for n, t in zip(name, town, strict=True)
        ]
        papers = [rng.choice(size, 3, replace=False).tolist() for _ in range(7)]
        self.groups = [
            sorted(p) for p in papers if len({self.authors[record] for record in p}) == len(p)
        ]
        self.ids = [f"r{i:02}" for i in range(size)]

    @property
    def tables(self):
        table = pa.table(
            {"id": self.ids, **{n: [r[n] for r in self.fields] for n in ("name", "town")}}
        )
        return (table[: self.offset], table[self.offset :]) if self.offset else (table, None)

    @property
    def links(self):
        rows = [(self.ids[r], k) for k, group in enumerate(self.groups) for r in group]
        return pa.table({"record": [r for r, _ in rows], "group": [k for _, k in rows]})

    def labels(self):
        """The true matches of most left records, by number."""
        left, right = range(self.offset or len(self.ids)), range(self.offset, len(self.ids))
        return {
            x: {y for y in right if x != y and self.authors[x] == self.authors[y]}
            for x in left
            if x % 5
        }

    def candidates(self):
        """Numbers of the records of candidate pairs, their cosines, and features of such pairs."""
        tables = read_tables(*self.tables)
        right = tables.right_texts if self.offset else None
        found = nearest(tables.left_texts, right, top=TOP_LINKED)
        both = list(zip(found.cosine3.tolist(), found.cosine4.tolist(), strict=True))
        x, y = found.x.tolist(), (found.y + self.offset).tolist()
        cosines = dict(zip(zip(x, y, strict=True), both, strict=True))

        def features(pairs):
            x, y = np.array(pairs, np.int32).T
            three, four = np.array([cosines[pair] for pair in pairs], np.float32).T
            return features_of(tables, Candidates(x, y - self.offset, three, four)).matrix(
                slice(None)
            )

        return cosines, features

    def scores(self, **options):
        """What `match` finds, by number."""
        number = {id: i for i, id in enumerate(self.ids)}
        matches = match(*self.tables, links=self.links, all_scores=True, **options)
        return {(number[x], number[y]): score for x, y, score in matches}


@pytest.mark.parametrize("seed", range(12))
def test_matches_by_links_alone_are_those_of_the_definition(seed):
    case, alpha = Case(seed), [0.0, 0.25, 0.5, 1.0][seed % 4]
    cosines, _ = case.candidates()
    texts = [" ".join(filter(None, record.values())) for record in case.fields]
    expected = reference.unlabelled(
        list(cosines),
        list(cosines.values()),
        texts,
        case.groups,
        alpha=alpha,
        offset=case.offset,
    )
    assert case.scores(alpha=alpha) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("seed", range(12))
def test_matches_by_labels_and_links_are_those_of_the_definition(seed, monkeypatch):
    from sklearn.ensemble import ExtraTreesClassifier

    for name in ("TREES", "ROUGH"):
        monkeypatch.setattr(classifier, name, TREES)

    def classify(known, is_match, wanted):
        forest = ExtraTreesClassifier(TREES, random_state=0)
        forest.fit(np.array(known, np.float32), np.array(is_match))
        shares = forest.predict_proba(np.array(wanted, np.float32))[:, 1]
        return shares.astype(np.float32).tolist()

    case = Case(seed)
    cosines, features = case.candidates()
    labels = case.labels()
    expected = reference.collective(
        list(cosines),
        case.fields,
        case.groups,
        labels,
        offset=case.offset,
        classify=classify,
        features=features,
    )
    known = [(case.ids[x], y) for x in labels for y in map(case.ids.__getitem__, labels[x])]
    known += [(case.ids[x], None) for x in labels if not labels[x]]
    found = case.scores(labels=known)
    assert found == pytest.approx(expected, abs=2e-6)
    assert any(score >= 0.5 for score in found.values())
