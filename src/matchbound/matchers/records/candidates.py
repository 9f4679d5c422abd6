"""Candidates: for each record the others whose texts are nearest."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matchbound.compiled import thread_count
from matchbound.matchers.records.grams import Texts, Vocabulary, vectors
from matchbound.matchers.records.letters import Ints
from matchbound.matchers.records.word_pairs import WORDS, by_pair, rare_words

TOP = 10
EXACT = 3 * 10**9
"""Texts that are visited in all, at most, to find the nearest exactly: a few seconds."""
BUDGET = 1_000
"""Texts that are visited for a text beyond that: so many by words, and so many by grams."""
KEPT = 30  # texts a text whose cosines are compared, or three times as many as are asked for


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
    Case and all but letters and digits are ignored (`letters.plain`). A gram's frequency counts the
    texts of both tables that contain it: weight = occurrences · (ln((1 + n) / (1 + texts)) + 1).

    The result is exact where that takes at most 3 · 10^9 visits of a text in the list of a gram:
    up to about 15,000 records of 60 letters a side. Beyond that the work must not grow with the
    square of the number of records. Then a text is compared with 30 others: those that have most in
    common with it, by weight, among the texts that share one of its ten rarest words or a pair of
    these, and those that share one of its rarest grams: up to 1,000 visits of each kind, the rarest
    first. All cosines are exact, but a near text that shares only what is frequent is not met.
    """
    sides = [left] if right is None else [left, right]
    vocabulary, vector_sides = vectors(*sides)
    texts, others = vector_sides[0], vector_sides[-1]
    search = Search(vocabulary, top, _visits(texts, others, vocabulary) <= EXACT)
    words = search.words(sides)
    x, y = search.nearest((texts, words[0]), (others, words[-1]))
    if right is None:
        pairs = [(np.minimum(x, y), np.maximum(x, y))]
    else:
        pairs = [(x, y), search.nearest((others, words[1]), (texts, words[0]))[::-1]]
    return _measured(*_distinct(pairs, len(others)), texts, others, vocabulary)


def measured(
    x: Ints, y: Ints, left: Sequence[str], right: Sequence[str] | None = None
) -> Candidates:
    """These pairs as candidates, each once; without `right`, x < y."""
    vocabulary, sides = vectors(*([left] if right is None else [left, right]))
    if right is None:
        x, y = np.minimum(x, y), np.maximum(x, y)
    pairs = _distinct([(x, y)], len(sides[-1]))
    return _measured(*pairs, sides[0], sides[-1], vocabulary)


def _visits(texts: Texts, others: Texts, vocabulary: Vocabulary) -> float:
    """How many texts are visited in all when both sides visit every gram that they contain."""
    size = len(vocabulary.counts)
    counts = [np.bincount(side.grams, minlength=size).astype(float) for side in (texts, others)]
    return float(2 * (counts[0] @ counts[1]))


@dataclass(frozen=True)
class Search:
    """How the nearest texts are searched."""

    vocabulary: Vocabulary
    top: int
    exact: bool

    def words(self, sides: Sequence[Sequence[str]]) -> list[Ints]:
        """The words of each text by whose pairs texts meet; none in an exact search."""
        if self.exact:
            return [np.empty((len(side), 0), np.int32) for side in sides]
        return rare_words(*sides)

    def nearest(self, here: tuple[Texts, Ints], there: tuple[Texts, Ints]) -> tuple[Ints, Ints]:
        """The position of each text here with those of the texts there that are nearest to it."""
        from matchbound.matchers.records._candidates import find_nearest

        (texts, words), (others, other_words) = here, there
        columns = np.empty((len(texts), self.top), np.int32)
        sizes = np.zeros(len(texts), np.int32)
        budget = 2**62 if self.exact else BUDGET
        grams = np.searchsorted(self.vocabulary.counts, budget, side="right")
        index = others.by_gram(int(grams)), (words, by_pair(other_words))
        weights = self.vocabulary.squares, self.vocabulary.fours
        arguments = (texts.arrays, others.arrays, *index, weights, budget)
        found = texts is others, columns, sizes
        _in_turns(lambda *turn: find_nearest(*turn, *arguments, found, self._own(len(others))))
        x = np.repeat(np.arange(len(texts), dtype=np.int32), sizes)
        return x, columns[np.arange(self.top) < sizes[:, None]]

    def _own(self, others: int) -> tuple[NDArray[np.generic], ...]:
        """What a thread needs for itself."""
        kept = max(KEPT, 3 * self.top)
        products, touched = np.zeros(others, np.float32), np.empty(others + 1, np.int32)
        highest = np.empty(kept), np.empty(kept, np.int32), np.empty(self.top)
        return products, touched, *highest, np.empty(WORDS * WORDS, np.int64)


def _distinct(pairs: Sequence[tuple[Ints, Ints]], columns: int) -> tuple[Ints, Ints]:
    """Each pair once, in order of x, then y."""
    keys = np.unique(np.concatenate([x.astype(np.int64) * columns + y for x, y in pairs]))
    return (keys // max(columns, 1)).astype(np.int32), (keys % max(columns, 1)).astype(np.int32)


def _measured(x: Ints, y: Ints, texts: Texts, others: Texts, vocabulary: Vocabulary) -> Candidates:
    from matchbound.matchers.records._candidates import cosines

    cosine3, cosine4 = np.zeros(len(x), np.float32), np.zeros(len(x), np.float32)
    weights = vocabulary.squares, vocabulary.fours
    arguments = (x, y, texts.arrays, others.arrays, weights, cosine3, cosine4)
    _in_turns(lambda *turn: cosines(*turn, *arguments))
    return Candidates(x, y, cosine3, cosine4)


def _in_turns(kernel: Callable[[int, int], None]) -> None:
    """Run a kernel on all threads; each thread takes every so-many-th block of rows."""
    turns = thread_count()
    with ThreadPoolExecutor(turns) as pool:
        list(pool.map(lambda turn: kernel(turn, turns), range(turns)))
