"""Texts as vectors of the character 3- and 4-grams that they contain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

CHUNK = 4096  # texts that are read at a time
SLOTS = 2**16  # of the hash table at first: a power of 2, because the low bits select the slot
CHARACTERS = 0x110000  # of Unicode
BETWEEN = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """The text in lower case with one space for all that is no letter or digit, and around it."""
    words = BETWEEN.sub(" ", text.casefold()).strip()
    return f" {words} " if words else ""


@dataclass(frozen=True)
class Texts:
    """The grams of each text: `grams` from `starts` on, the rarest first, repeats side by side."""

    starts: Longs
    grams: Ints
    lengths: Floats
    """The lengths of each text's vectors: of 3-grams, of 4-grams, of both together."""

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True)
class Vocabulary:
    """What is known of each gram. A gram's number is its rank: 0 is the rarest."""

    squares: Floats
    """The squares of the inverse document frequencies, idf = ln((1 + n) / (1 + texts)) + 1."""
    fours: NDArray[np.bool_]
    """Whether it is a 4-gram."""


class Numbering:
    """A number for each gram that occurs, in the order in which they first occur."""

    def __init__(self) -> None:
        self._codes = np.zeros(CHARACTERS, np.uint16)
        self._keys, self._numbers = np.zeros(SLOTS, np.uint64), np.zeros(SLOTS, np.int32)
        self._counts = np.zeros(2, np.int64)

    def __len__(self) -> int:
        return int(self._counts[0])

    def read(self, texts: Sequence[str]) -> tuple[Longs, Ints]:
        """Where each text's grams begin, and the grams."""
        parts = [self._chunk(texts[i : i + CHUNK]) for i in range(0, len(texts), CHUNK)]
        sizes = [np.zeros(1, np.int64), *(sizes for sizes, _ in parts)]
        grams = np.concatenate([np.zeros(0, np.int32), *(grams for _, grams in parts)])
        return np.cumsum(np.concatenate(sizes)), grams

    def fours(self) -> NDArray[np.bool_]:
        from matchbound.matchers.records._grams import mark_fours

        fours = np.zeros(len(self), np.bool_)
        mark_fours(self._keys, self._numbers, fours)
        return fours

    def _chunk(self, texts: Sequence[str]) -> tuple[Longs, Ints]:
        from matchbound.matchers.records import _grams

        words = [plain(text) for text in texts]
        sizes = np.array([len(word) for word in words], np.int64)
        letters = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32).copy()
        _grams.encode(letters, self._codes, self._counts)
        grams = np.maximum(sizes - 2, 0) + np.maximum(sizes - 3, 0)
        room = np.empty(int(grams.sum()), np.int32)
        cuts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        record = filled = 0
        while record < len(texts):
            table = self._keys, self._numbers, self._counts
            record, size = _grams.number_grams(record, letters, cuts, *table, room[filled:])
            filled += size
            if record < len(texts):
                self._double()
        return grams, room

    def _double(self) -> None:
        from matchbound.matchers.records._grams import move

        old = self._keys, self._numbers
        slots = 2 * self._keys.size
        self._keys, self._numbers = np.zeros(slots, np.uint64), np.zeros(slots, np.int32)
        move(*old, self._keys, self._numbers)


def vectors(*sides: Sequence[str]) -> tuple[Vocabulary, list[Texts]]:
    """The TF-IDF vectors of each side's texts; a gram's frequency is counted over all sides."""
    from matchbound.matchers.records import _grams

    numbering = Numbering()
    rows = [numbering.read(side) for side in sides]
    counts = np.zeros(len(numbering), np.int64)
    for starts, grams in rows:
        _grams.count_texts(starts, grams, np.full(len(numbering), -1, np.int32), counts)
    order = np.argsort(counts, kind="stable")
    idf = np.log((1 + sum(map(len, sides))) / (1 + counts[order])) + 1
    vocabulary = Vocabulary(idf**2, numbering.fours()[order])
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order))
    return vocabulary, [_texts(starts, grams, ranks, vocabulary) for starts, grams in rows]


def _texts(starts: Longs, grams: Ints, ranks: Ints, vocabulary: Vocabulary) -> Texts:
    from matchbound.matchers.records import _grams

    _grams.sort_rows(starts, grams, ranks)
    squares = np.zeros((len(starts) - 1, 2))
    _grams.squared_lengths(starts, grams, vocabulary.squares, vocabulary.fours, squares)
    lengths = np.sqrt(np.column_stack([squares, squares.sum(axis=1)]))
    return Texts(starts, grams, lengths)
