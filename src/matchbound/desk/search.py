"""Typo-tolerant search over records.

Each field has a list of its distinct words, and of the rows that contain each. A query's word is
compared with all of them, which takes milliseconds: a sketch of their letters rules out most. A
word adds its surprise to a record's score: log(1 + records / records with a word at least as
similar). So rare words count more, and less similar ones count less.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from unicodedata import category, combining, normalize

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from matchbound.desk import _search
from matchbound.errors import InputError

Floats = NDArray[np.float32]

WORDS = 32  # of a query that are searched; the rest is ignored
COMMON = 10_000  # rows: a level of likeness that more rows have, and an eighth of all, is ignored
CHARACTERS = 0x32000  # code points that are folded; those above are private, or tags
PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})


class Search:
    """An index over records that finds the most similar to a text, in spite of typos."""

    def __init__(self, columns: Mapping[str, "pa.ChunkedArray"]) -> None:
        self._fields = {name: _Field(column) for name, column in columns.items()}
        self._rows = max((len(field.counts) for field in self._fields.values()), default=0)

    def find(self, text: str, field: str | None = None, limit: int = 20) -> list[int]:
        """The numbers of the best rows, best first; equally good rows in their own order."""
        letters, cuts = _spelt(text)
        if len(cuts) == 1 or limit < 1:
            return []
        fields = self._chosen(field)
        scores = self._scores(letters, cuts, fields)
        # A row that alone has the whole text as a field comes first: this adds, for each word,
        # more than any other row can get for it.
        scores += (len(cuts) - 1) * self._whole(letters, fields)
        return _best(scores, limit)

    def _chosen(self, field: str | None) -> "Sequence[_Field]":
        if field is None:
            return list(self._fields.values())
        if field not in self._fields:
            names = ", ".join(self._fields)
            raise InputError(f"field must be one of {names}; got {field!r}. Choose one.")
        return [self._fields[field]]

    def _scores(
        self, letters: NDArray[Any], cuts: NDArray[Any], fields: "Sequence[_Field]"
    ) -> Floats:
        """Each row's highest score over all ways to join neighbouring words of the query."""
        scores = [np.zeros(self._rows, np.float32)]
        for end in range(1, len(cuts)):
            best = scores[-1].copy()
            for start in range(max(0, end - _search.RUN), end):
                if _search.joins(cuts, start, end):
                    word = letters[cuts[start] : cuts[end]]
                    got = self._worths(word, end > start + 1, fields)
                    np.maximum(best, np.add(got, scores[start - end], out=got), out=best)
            scores = [*scores[-_search.RUN + 1 :], best]
        return scores[-1]

    def _worths(self, word: NDArray[Any], joined: bool, fields: "Sequence[_Field]") -> Floats:
        """The score that each row gets for the word."""
        likes = [field.like(word, joined) for field in fields]
        holders = np.zeros(_search.FAR)
        for field, (words, levels) in zip(fields, likes, strict=True):
            held = field.starts[words + 1] - field.starts[words]
            holders += np.bincount(levels, held, minlength=_search.FAR)
        worth = self._level_worths(holders.cumsum())
        got = np.zeros(self._rows, np.float32)
        for field, (words, levels) in zip(fields, likes, strict=True):
            _search.spread(words, levels, worth, field.starts, field.rows, field.burden, got)
        return got

    def _level_worths(self, holders: NDArray[Any]) -> Floats:
        """The score of each level of likeness; 0 for levels so common that they only cost time."""
        worth: Floats = self._surprise(np.maximum(holders, 1)).astype(np.float32)
        common = holders > max(COMMON, self._rows / 8)
        common[_search.EXACT] = False
        worth[common] = 0
        return worth

    def _whole(self, letters: NDArray[Any], fields: "Sequence[_Field]") -> Floats:
        """The score that each row gets for a field that is the whole text."""
        got = np.zeros(self._rows, np.float32)
        for field in fields:
            same = np.flatnonzero(field.wholes == _search.letters_key(letters))
            got[same] = np.maximum(got[same], self._surprise(max(len(same), 1)))
        return got

    def _surprise(self, holders: Any) -> Any:
        """The score of a word that `holders` rows have; above 0 even if all have it."""
        return np.log1p(self._rows / holders)


class _Field:
    """The distinct words of a column; rows[starts[w]:starts[w + 1]] are the rows with word w.

    `counts` are the rows' numbers of words, and `wholes` the hashes of their whole texts.
    """

    def __init__(self, column: Any) -> None:
        self.counts, self.wholes = (
            np.zeros(len(column), np.uint16),
            np.zeros(len(column), np.uint64),
        )
        tokens, self.ends, self.letters = self._read(column)
        self.starts = np.zeros(len(self.ends) + 2, np.int64)
        self.starts[2:] = np.bincount(tokens, minlength=len(self.ends)).cumsum()
        self.rows = _search.rows_by_word(tokens, self.counts, self.starts)
        self.marks = _search.sketches(self.ends, self.letters)
        usual = self.counts[self.counts > 0].mean() if len(tokens) else 1
        self.burden = np.log(np.maximum(self.counts / np.float32(usual), 1))

    def _read(self, column: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        vocabulary, sizes = _empty_vocabulary(), np.zeros(3, np.int64)
        first = 0
        for text, offsets in _buffers(column):
            vocabulary = _search.add_rows(
                text, offsets, _folds(), first, self.counts, self.wholes, vocabulary, sizes
            )
            first += len(offsets) - 1
        _, _, ends, _, letters, tokens = vocabulary
        return tokens[: sizes[2]], ends[: sizes[0]].copy(), letters[: sizes[1]].copy()

    def like(self, word: NDArray[Any], joined: bool) -> Any:
        return _search.like(word, joined, self.marks, self.ends, self.letters)


def _empty_vocabulary() -> tuple[NDArray[Any], ...]:
    """Slots; each word's key, its end in the letters, and the row it was last seen in; letters;
    tokens.
    """
    slots = np.full(2 * _search.ROOM, -1, np.int32)
    types = (np.uint64, np.int64, np.int64, np.uint32, np.uint32)
    return slots, *(np.empty(_search.ROOM, dtype) for dtype in types)


def _buffers(column: Any) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield each chunk's UTF-8, and where its rows begin and end."""
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        texts = chunk.cast(pa.large_string()).fill_null("")
        _, offsets, text = texts.buffers()
        if len(texts):
            ends = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
            yield _read_only(np.frombuffer(text or b"", np.uint8)), _read_only(ends)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Make all buffers read-only: numba would compile once for these and once for others."""
    array.flags.writeable = False
    return array


def _spelt(text: str) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The letters of a query, and the ends of its words."""
    data = np.frombuffer(text.encode(errors="replace"), np.uint8)
    letters = np.empty(_search.LETTERS, np.uint32)
    cuts = np.zeros(_search.LETTERS + 1, np.int64)
    words = _search.spell(data, 0, len(data), _folds(), letters, cuts)
    cuts = cuts[: min(words, WORDS) + 1]
    return letters[: cuts[-1]], cuts


def _best(scores: Floats, limit: int) -> list[int]:
    rows = np.flatnonzero(scores > scores.max(initial=0) / 2)  # mostly enough, and few to sort
    if len(rows) < limit:
        rows = np.flatnonzero(scores > 0)
    if len(rows) > limit:
        least = np.partition(scores[rows], -limit)[-limit]
        rows = rows[scores[rows] >= least]
    order = np.argsort(-scores[rows], kind="stable")[:limit]
    return [int(row) for row in rows[order]]


@cache
def _folds() -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The letters that each character c is folded to: folded[begins[c]:begins[c + 1]]."""
    folds = [_fold(chr(code)) for code in range(CHARACTERS)]
    begins = np.zeros(CHARACTERS + 1, np.int64)
    begins[1:] = np.cumsum([len(fold) for fold in folds])
    return begins, np.array([ord(c) for fold in folds for c in fold], np.uint32)


def _fold(character: str) -> str:
    text = normalize("NFKD", normalize("NFKD", character).casefold()).translate(PLAIN)
    return "".join(map(_part, text))


def _part(c: str) -> str:
    """Drop accents, replace punctuation by a space, and put spaces around signs such as 字, which
    are written without spaces, so that each is a word.
    """
    kind = category(c)
    if combining(c) or kind == "Cf" or "\ufe00" <= c <= "\ufe0f":
        return ""
    if kind == "So" or (kind[0] == "L" and ("\u2e80" <= c <= "\u9fff" or c >= "\U00020000")):
        return f" {c} "
    return c if kind[0] in "LMN" else " "
