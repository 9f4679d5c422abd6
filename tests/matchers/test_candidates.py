import random

import numpy as np
import pytest

from matchbound.matchers.records import candidates, word_pairs
from matchbound.matchers.records.candidates import nearest
from support import candidate_references as references
from support.people import people

WORDS = ["Anna", "anne", "Smith", "Smyth", "O'Neill", "İstanbul", "straße", "12 High St.", "東京都"]


def made_up(rng, size, words=5):
    """Short texts of few words, some empty, some equal, with letters left out at random."""
    words = [" ".join(rng.choices(WORDS, k=rng.randrange(words))) for _ in range(size)]
    return ["".join(c for c in text if rng.random() < 0.9) for text in words]


def as_dict(found):
    pairs = zip(found.x.tolist(), found.y.tolist(), strict=True)
    cosines = zip(found.cosine3.tolist(), found.cosine4.tolist(), strict=True)
    return dict(zip(pairs, cosines, strict=True))


@pytest.mark.parametrize("seed", range(30))
def test_candidates_are_those_of_the_definition(seed):
    rng = random.Random(seed)
    left = made_up(rng, rng.randrange(40))
    right = made_up(rng, rng.randrange(40)) if seed % 2 else None
    top = rng.choice([1, 2, 10])
    found = nearest(left, right, top=top)
    expected = references.nearest(left, right, top)
    assert list(as_dict(found)) == list(expected)
    for pair, cosines in as_dict(found).items():
        assert cosines == pytest.approx(expected[pair], abs=1e-6)
    assert [a.dtype for a in (found.x, found.cosine3)] == [np.int32, np.float32]


@pytest.mark.parametrize("seed", range(30))
def test_the_candidates_of_a_limited_search_are_those_of_its_definition(seed, monkeypatch):
    rng = random.Random(seed)
    left = made_up(rng, rng.randrange(1, 60), words=9)
    right = made_up(rng, rng.randrange(1, 60), words=9) if seed % 2 else None
    top, budget, words = rng.choice([1, 1, 5]), rng.choice([1, 5, 20, 200]), rng.choice([1, 2, 4])
    monkeypatch.setattr(candidates, "EXACT", 0)
    monkeypatch.setattr(candidates, "BUDGET", budget)
    monkeypatch.setattr(candidates, "KEPT", 3)
    monkeypatch.setattr(word_pairs, "WORDS", words)
    found = as_dict(nearest(left, right, top=top))
    expected = references.limited(left, right, top, budget, 3 * top, words, word_pairs.BUCKETS)
    assert list(found) == list(expected)
    for pair, cosines in found.items():
        assert cosines == pytest.approx(expected[pair], abs=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_a_limited_search_that_meets_every_text_finds_the_same(seed, monkeypatch):
    rng = random.Random(seed)
    left, right = made_up(rng, 30), made_up(rng, 25) if seed % 2 else None
    exact = nearest(left, right, top=3)
    monkeypatch.setattr(candidates, "EXACT", 0)
    monkeypatch.setattr(candidates, "BUDGET", 10**6)
    assert as_dict(nearest(left, right, top=3)) == as_dict(exact)


def test_a_limited_search_finds_most_of_what_the_exact_one_does(monkeypatch):
    made = people(1_000, "common names")
    exact = as_dict(nearest(*made.texts()))
    monkeypatch.setattr(candidates, "EXACT", 0)
    monkeypatch.setattr(candidates, "BUDGET", 50)
    limited = as_dict(nearest(*made.texts()))
    shared = limited.keys() & exact.keys()
    assert {pair: limited[pair] for pair in shared} == {pair: exact[pair] for pair in shared}
    truth = set(map(tuple, made.truth.tolist()))
    assert len(truth & limited.keys()) >= 0.98 * len(truth & exact.keys())


def test_texts_that_share_only_frequent_grams_meet_by_their_words(monkeypatch):
    """Most grams are in more texts than are visited, and each pair of words is in two."""
    words = [f"w{i:02d}" for i in range(25)]
    texts = [f"{a} {b}" for a in words for b in words if a < b]
    monkeypatch.setattr(candidates, "EXACT", 0)
    monkeypatch.setattr(candidates, "BUDGET", 20)
    found = nearest(texts, texts[::-1], top=1)
    same = np.flatnonzero(found.x == len(texts) - 1 - found.y)
    assert len(same) == len(texts)
    assert found.cosine3[same] == pytest.approx(1, abs=1e-6)


def test_a_text_whose_words_are_all_frequent_still_has_candidates(monkeypatch):
    texts = ["anna smith"] * 500
    monkeypatch.setattr(candidates, "EXACT", 0)
    monkeypatch.setattr(candidates, "BUDGET", 20)
    found = nearest(texts, texts, top=3)
    assert sorted(set(found.x.tolist())) == sorted(set(found.y.tolist())) == list(range(500))
    assert found.cosine4 == pytest.approx(1, abs=1e-6)
