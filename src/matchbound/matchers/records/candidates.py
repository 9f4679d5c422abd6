"""Candidates: for each record the others whose texts are nearest."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matchbound.compiled import thread_count
from matchbound.matchers.records.grams import Ints, Longs, Texts, Vocabulary, vectors

TOP = 10
KEPT = 50  # texts a text whose cosines are compared
BUDGET = 2**62  # texts that are visited for a text


@dataclass(frozen=True)
class Candidates:
    """Pairs of positions, in order of x, then y, and how similar their texts are."""

    x: Ints
    y: Ints
    cosine3: NDArray[np.float32]
    cosine4: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.x)


def nearest(
    left: Sequence[str], right: Sequence[str] | None = None, *, top: int = TOP
) -> Candidates:
    """Each left text with the `top` nearest right ones, and each right text with its left ones.

    Without `right`, each text with the nearest others of the same table; then x < y, and each pair
    stands once. Near is a high cosine of the TF-IDF vectors of all character 3- and 4-grams
    together; texts without a common gram are no candidates. Of equals the earlier text is nearer.
    Case and all but letters and digits are ignored (`grams.plain`). A gram's frequency counts the
    texts of both tables that contain it: weight = occurrences · (ln((1 + n) / (1 + texts)) + 1).
    """
    if right is None:
        vocabulary, (texts,) = vectors(left)
        x, y = _nearest(texts, texts, vocabulary, top)
        x, y = np.minimum(x, y), np.maximum(x, y)
        return _measured(*_distinct([(x, y)], len(left)), texts, texts, vocabulary)
    vocabulary, (texts, others) = vectors(left, right)
    y, x = _nearest(others, texts, vocabulary, top)
    pairs = [_nearest(texts, others, vocabulary, top), (x, y)]
    return _measured(*_distinct(pairs, len(right)), texts, others, vocabulary)


def measured(
    x: Ints, y: Ints, left: Sequence[str], right: Sequence[str] | None = None
) -> Candidates:
    """These pairs as candidates, each once; without `right`, x < y."""
    if right is None:
        vocabulary, (texts,) = vectors(left)
        x, y = np.minimum(x, y), np.maximum(x, y)
        return _measured(*_distinct([(x, y)], len(left)), texts, texts, vocabulary)
    vocabulary, (texts, others) = vectors(left, right)
    return _measured(*_distinct([(x, y)], len(right)), texts, others, vocabulary)


def _nearest(texts: Texts, others: Texts, vocabulary: Vocabulary, top: int) -> tuple[Ints, Ints]:
    """The position of each text with those of the others nearest to it."""
    from matchbound.matchers.records._candidates import find_nearest

    columns, sizes = np.empty((len(texts), top), np.int32), np.zeros(len(texts), np.int32)
    index = _index(others, len(vocabulary.squares))
    arguments = (_arrays(texts), _arrays(others), index, _weights(vocabulary), texts is others)
    kept = max(KEPT, top)

    def own() -> tuple[NDArray[np.generic], ...]:
        products, touched = np.zeros(len(others), np.float32), np.empty(len(others) + 1, np.int32)
        return products, touched, np.empty(kept), np.empty(kept, np.int32), np.empty(top)

    _in_turns(lambda *turn: find_nearest(*turn, *arguments, BUDGET, (columns, sizes), own()))
    x = np.repeat(np.arange(len(texts), dtype=np.int32), sizes)
    return x, columns[np.arange(top) < sizes[:, None]]


def _index(texts: Texts, grams: int) -> tuple[Longs, Ints]:
    """Where the texts of each gram begin, and the texts."""
    from matchbound.matchers.records._grams import texts_by_gram

    firsts, listed = np.empty(grams + 2, np.int64), np.empty(len(texts.grams), np.int32)
    texts_by_gram(texts.starts, texts.grams, firsts, listed)
    return firsts, listed


def _distinct(pairs: Sequence[tuple[Ints, Ints]], columns: int) -> tuple[Ints, Ints]:
    """Each pair once, in order of x, then y."""
    keys = np.unique(np.concatenate([x.astype(np.int64) * columns + y for x, y in pairs]))
    return (keys // max(columns, 1)).astype(np.int32), (keys % max(columns, 1)).astype(np.int32)


def _measured(x: Ints, y: Ints, texts: Texts, others: Texts, vocabulary: Vocabulary) -> Candidates:
    from matchbound.matchers.records._candidates import cosines

    cosine3, cosine4 = np.zeros(len(x), np.float32), np.zeros(len(x), np.float32)
    arguments = (x, y, _arrays(texts), _arrays(others), _weights(vocabulary), cosine3, cosine4)
    _in_turns(lambda *turn: cosines(*turn, *arguments))
    return Candidates(x, y, cosine3, cosine4)


def _arrays(texts: Texts) -> tuple[NDArray[np.generic], ...]:
    return texts.starts, texts.grams, texts.lengths


def _weights(vocabulary: Vocabulary) -> tuple[NDArray[np.generic], ...]:
    return vocabulary.squares, vocabulary.fours


def _in_turns(kernel: Callable[[int, int], None]) -> None:
    """Run a kernel on all threads; each thread takes every so-many-th block of rows."""
    turns = thread_count()
    with ThreadPoolExecutor(turns) as pool:
        list(pool.map(lambda turn: kernel(turn, turns), range(turns)))
