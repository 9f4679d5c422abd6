"""Rare words and pairs of them, by which texts meet where there are too many to compare."""

from collections.abc import Sequence

import numpy as np

from matchbound.matchers.records.letters import Ints, Longs, Numbering

WORDS = 10  # of a text that are listed, with their pairs: its rarest
BUCKETS = 64  # for each text, rounded up to a power of 2: about one for each pair of words


def rare_words(*sides: Sequence[str]) -> list[Ints]:
    """Each text's rarest words, in rising order, then -1; words of one text alone are left out."""
    from matchbound.matchers.records._word_pairs import choose_words

    numbering = Numbering()
    rows = [numbering.words(side) for side in sides]
    counts = numbering.counts(rows)
    chosen = [np.full((len(side), WORDS), -1, np.int32) for side in sides]
    for (starts, words), choice in zip(rows, chosen, strict=True):
        choose_words(starts, words, counts, choice)
    return chosen


def by_pair(words: Ints) -> tuple[Longs, Ints]:
    """Where the list of each bucket of words and pairs begins, and the texts that have these."""
    from matchbound.matchers.records._word_pairs import texts_by_pair

    buckets = 2 ** (BUCKETS * max(len(words), 1) - 1).bit_length() if words.size else 1
    firsts = np.zeros(buckets + 2, np.int64)
    texts_by_pair(words, firsts, np.empty(0, np.int32))
    listed = np.empty(firsts[-1], np.int32)
    texts_by_pair(words, firsts, listed)
    return firsts, listed
