"""Texts as vectors of the character 3- and 4-grams that they contain."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.records.letters import Ints, Longs, Numbering

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Texts:
    """The grams of each text: `grams` from `starts` on, the rarest first, repeats side by side."""

    starts: Longs
    grams: Ints
    lengths: Floats
    """The lengths of each text's vectors: of 3-grams, of 4-grams, of both together."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[Longs, Ints, Floats]:
        return self.starts, self.grams, self.lengths

    def by_gram(self, grams: int) -> tuple[Longs, Ints]:
        """Where the list of each of the rarest grams begins, and the texts that contain it."""
        from matchbound.matchers.records._grams import texts_by_gram

        firsts = np.empty(grams + 2, np.int64)
        texts_by_gram(self.starts, self.grams, firsts, np.empty(0, np.int32))
        listed = np.empty(firsts[-1], np.int32)
        texts_by_gram(self.starts, self.grams, firsts, listed)
        return firsts, listed


@dataclass(frozen=True)
class Vocabulary:
    """What is known of each gram. A gram's number is its rank: 0 is the rarest."""

    counts: Longs
    """How many texts contain it, in all tables."""
    texts: int
    fours: NDArray[np.bool_]
    """Whether it is a 4-gram."""

    @cached_property
    def squares(self) -> Floats:
        """The squares of the inverse document frequencies, ln((1 + n) / (1 + count)) + 1."""
        squares: Floats = (np.log((1 + self.texts) / (1 + self.counts)) + 1) ** 2
        return squares


def vectors(*sides: Sequence[str]) -> tuple[Vocabulary, list[Texts]]:
    """The TF-IDF vectors of each side's texts; a gram's frequency is counted over all sides."""
    from matchbound.matchers.records import _grams

    numbering = Numbering()
    rows = [numbering.grams(side) for side in sides]
    counts = numbering.counts(rows)
    order = np.argsort(counts, kind="stable")
    vocabulary = Vocabulary(counts[order], sum(map(len, sides)), numbering.fours()[order])
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order))
    for starts, grams in rows:
        _grams.sort_rows(starts, grams, ranks)
    return vocabulary, [Texts(*row, _lengths(*row, vocabulary)) for row in rows]


def _lengths(starts: Longs, grams: Ints, vocabulary: Vocabulary) -> Floats:
    from matchbound.matchers.records._grams import squared_lengths

    squares = np.zeros((len(starts) - 1, 2))
    squared_lengths(starts, grams, vocabulary.squares, vocabulary.fours, squares)
    lengths: Floats = np.sqrt(np.column_stack([squares, squares.sum(axis=1)]))
    return lengths
