"""Texts as numbers: of the character 3- and 4-grams, or of the words, that they contain."""

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

CHUNK = 4096  # texts that are read at a time
SLOTS = 2**16  # of the hash table at first: a power of 2, because the low bits select the slot
CHARACTERS = 0x110000  # of Unicode
BETWEEN = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """The text in lower case with one space for all that is no letter or digit, and around it."""
    words = BETWEEN.sub(" ", text.casefold()).strip()
    return f" {words} " if words else ""


class Numbering:
    """A number for each gram, or each word, that occurs, in the order in which they first occur."""

    def __init__(self) -> None:
        self._codes = np.zeros(CHARACTERS, np.uint16)
        self._keys, self._numbers = np.zeros(SLOTS, np.uint64), np.zeros(SLOTS, np.int32)
        self._counts = np.zeros(2, np.int64)

    def __len__(self) -> int:
        return int(self._counts[0])

    def grams(self, texts: Sequence[str]) -> tuple[Longs, Ints]:
        """Where each text's grams begin, and the grams."""
        return _joined([self._grams(texts[i : i + CHUNK]) for i in range(0, len(texts), CHUNK)])

    def words(self, texts: Sequence[str]) -> tuple[Longs, Ints]:
        """Where each text's words begin, and the words."""
        return _joined([self._words(texts[i : i + CHUNK]) for i in range(0, len(texts), CHUNK)])

    def counts(self, rows: Sequence[tuple[Longs, Ints]]) -> Longs:
        """How many texts contain each number."""
        from matchbound.matchers.records._grams import count_texts

        counts = np.zeros(len(self), np.int64)
        for starts, numbers in rows:
            count_texts(starts, numbers, np.full(len(self), -1, np.int32), counts)
        return counts

    def fours(self) -> NDArray[np.bool_]:
        """Whether each number is a 4-gram's."""
        from matchbound.matchers.records._grams import mark_fours

        fours = np.zeros(len(self), np.bool_)
        mark_fours(self._keys, self._numbers, fours)
        return fours

    def _grams(self, texts: Sequence[str]) -> tuple[Longs, Ints]:
        from matchbound.matchers.records._grams import number_grams

        letters, cuts = self._letters(texts)
        sizes = np.maximum(np.diff(cuts) - 2, 0) + np.maximum(np.diff(cuts) - 3, 0)
        room = np.empty(int(sizes.sum()), np.int32)
        self._fill(number_grams, letters, cuts, room)
        return sizes, room

    def _words(self, texts: Sequence[str]) -> tuple[Longs, Ints]:
        from matchbound.matchers.records._grams import number_words

        letters, cuts = self._letters(texts)
        sizes, room = np.zeros(len(texts), np.int64), np.empty(len(letters) // 2 + 1, np.int32)
        filled = self._fill(number_words, letters, cuts, room, sizes)
        return sizes, room[:filled].copy()

    def _letters(self, texts: Sequence[str]) -> tuple[NDArray[np.uint32], Longs]:
        """The codes of the texts' characters, and where each text begins."""
        from matchbound.matchers.records._grams import encode

        words = [plain(text) for text in texts]
        letters = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32).copy()
        encode(letters, self._codes, self._counts)
        return letters, _starts([np.array([len(word) for word in words], np.int64)])

    def _fill(
        self,
        kernel: Callable[..., tuple[int, int]],
        letters: NDArray[np.uint32],
        cuts: Longs,
        room: Ints,
        *sizes: Longs,
    ) -> int:
        """Run a kernel over all texts, with a larger table each time that it stops."""
        record = filled = 0
        while record < len(cuts) - 1:
            table = self._keys, self._numbers, self._counts
            record, size = kernel(record, letters, cuts, *table, room[filled:], *sizes)
            filled += size
            if record < len(cuts) - 1:
                self._double()
        return filled

    def _double(self) -> None:
        from matchbound.matchers.records._grams import move

        old = self._keys, self._numbers
        slots = 2 * self._keys.size
        self._keys, self._numbers = np.zeros(slots, np.uint64), np.zeros(slots, np.int32)
        move(*old, self._keys, self._numbers)


def _joined(parts: Sequence[tuple[Longs, Ints]]) -> tuple[Longs, Ints]:
    numbers = [np.zeros(0, np.int32), *(numbers for _, numbers in parts)]
    return _starts([sizes for sizes, _ in parts]), np.concatenate(numbers)


def _starts(sizes: Sequence[Longs]) -> Longs:
    return np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes]))
