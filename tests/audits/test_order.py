"""Draws by a cut of the hashes, and ids that are whole numbers, against sorting all of them."""

import random

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits import order as orders
from matchbound.audits.order import hash_of, key_of


def in_order(ids, label, seed):
    key = key_of(label, seed)
    return sorted(map(str, ids), key=lambda node: hash_of(key, node))


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.uint64(), pa.string()])
@pytest.mark.parametrize("size", [3, 100])
def test_a_draw_is_the_beginning_of_the_order(kind, size):
    ids = random.Random(size).sample(range(127), size)
    people = pa.table({"id": pa.array(ids).cast(kind)})
    for labels in (1, 2, size):
        drawn = mb.draw(people, labels=labels, train=size - 1, gap=labels, seed="s")
        assert drawn.validated == in_order(ids, "validation", "s")[:labels]
        assert drawn.trained == in_order(ids, "train", "s")[: size - 1]
        assert list(drawn.gap) == in_order(ids, "gap", "s")[:labels]


@pytest.mark.parametrize("cut", ["0", "1", "g"])
def test_where_too_few_hashes_are_below_the_cut_all_are_sorted(monkeypatch, cut):
    monkeypatch.setattr(orders, "_cut", lambda count, size: cut)
    drawn = mb.draw(pa.table({"id": range(500)}), labels=100, seed="s")
    assert drawn.validated == in_order(range(500), "validation", "s")[:100]


def test_the_cut_is_above_as_many_hashes_as_are_wanted():
    for count, size in ((1, 10**9), (1000, 120_000_000), (100_000, 120_000_000)):
        share = int(orders._cut(count, size), 16) / 2**64
        assert count + 5 * count**0.5 < share * size < count + 7 * count**0.5 + 21
    assert orders._cut(5, 10) == orders._cut(10, 10) == "g"


@pytest.mark.parametrize("first", [-(2**63), -40, 0, 2**63 - 200])
def test_whole_numbers_that_are_there_twice_are_refused(first):
    ids = [first + i for i in range(0, 150, 3)]
    assert mb.draw(pa.table({"id": ids}), labels=5, seed="s").population.size == 50
    for twice in (ids[0], ids[33], ids[-1]):
        with pytest.raises(mb.InputError) as told:
            mb.draw(pa.table({"id": [*ids, twice, twice]}), labels=5, seed="s")
        assert str(told.value) == (
            f"population must hold each id once, got '{twice}' 3 times. Remove the repeats."
        )


def test_a_holdout_matcher_of_whole_numbers_is_checked_and_changes_no_draw():
    people = pa.table({"id": range(1000)})
    holdout = pa.table({"x": range(0, 1000, 2), "y": range(5000, 5500)})
    drawn, alone = (
        mb.draw(people, labels=50, train=20, gap=10, seed="s", **more)
        for more in ({"holdout": holdout}, {})
    )
    assert (drawn.sample, drawn.gap) == (alone.sample, alone.gap)
    with pytest.raises(mb.InputError, match="got x = '5000', which is not in it"):
        mb.draw(people, labels=5, holdout=pa.table({"x": [1, 5000], "y": [7000, 7001]}))
    itself = pa.table({"x": [1, 2], "y": [3, 4]})
    assert mb.draw(people, labels=5, holdout=itself, dedupe=True).registered
    with pytest.raises(mb.InputError, match="dedupe or link must be said"):
        mb.draw(people, labels=5, holdout=itself)
