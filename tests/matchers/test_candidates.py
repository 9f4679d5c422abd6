import random

import numpy as np
import pytest

from matchbound.matchers.records.candidates import nearest
from support import candidate_references as references

WORDS = ["Anna", "anne", "Smith", "Smyth", "O'Neill", "İstanbul", "straße", "12 High St.", "東京都"]


def made_up(rng, size):
    """Short texts of few words, some empty, some equal, with letters left out at random."""
    words = [" ".join(rng.choices(WORDS, k=rng.randrange(5))) for _ in range(size)]
    return ["".join(c for c in text if rng.random() < 0.9) for text in words]


def as_dict(candidates):
    pairs = zip(candidates.x.tolist(), candidates.y.tolist(), strict=True)
    cosines = zip(candidates.cosine3.tolist(), candidates.cosine4.tolist(), strict=True)
    return dict(zip(pairs, cosines, strict=True))


@pytest.mark.parametrize("seed", range(30))
def test_candidates_are_those_of_the_definition(seed):
    rng = random.Random(seed)
    left = made_up(rng, rng.randrange(40))
    right = made_up(rng, rng.randrange(40)) if seed % 2 else None
    top = rng.choice([1, 2, 10])
    candidates = nearest(left, right, top=top)
    expected = references.nearest(left, right, top)
    assert list(as_dict(candidates)) == list(expected)
    for pair, cosines in as_dict(candidates).items():
        assert cosines == pytest.approx(expected[pair], abs=1e-6)
    assert [a.dtype for a in (candidates.x, candidates.cosine3)] == [np.int32, np.float32]
