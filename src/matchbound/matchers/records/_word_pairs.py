"""Listing texts by their words and pairs of words, compiled.

A pair's bucket is a hash of the two words; a word alone counts as a pair of equals.
"""

import numpy as np

from matchbound.compiled import compiled

ODD, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


@compiled
def bucket_of(a, b, buckets):  # type: ignore[no-untyped-def]
    """The bucket of two words, the lower first; there is a power of 2 of buckets."""
    key = ((np.uint64(a) << HALF) | np.uint64(b)) * ODD
    return np.int64(((key ^ (key >> HALF)) * ODD >> np.uint64(20)) & np.uint64(buckets - 1))


@compiled
def choose_words(starts, words, counts, chosen):  # type: ignore[no-untyped-def]
    """Fill in each text's rarest words that another text has too, in rising order."""
    width = chosen.shape[1]
    for record in range(starts.size - 1):
        row, size = chosen[record], 0
        for i in range(starts[record], starts[record + 1]):
            word, place = words[i], size
            if counts[word] < 2:
                continue
            while place > 0 and counts[row[place - 1]] > counts[word]:
                place -= 1
            equal = place
            while equal > 0 and counts[row[equal - 1]] == counts[word] and row[equal - 1] != word:
                equal -= 1
            if place == width or (equal > 0 and row[equal - 1] == word):
                continue
            size = min(size + 1, width)
            for k in range(size - 1, place, -1):
                row[k] = row[k - 1]
            row[place] = word
        row[:size].sort()


@compiled
def texts_by_pair(chosen, firsts, texts):  # type: ignore[no-untyped-def]
    """List the texts of each bucket: `texts` from `firsts` on.

    Called without room for texts, it only counts: the last of `firsts` is the room needed.
    """
    buckets, width = firsts.size - 2, chosen.shape[1]
    if texts.size == 0:
        for record in range(chosen.shape[0]):
            for i in range(width):
                for j in range(i, width):
                    if chosen[record, j] < 0:
                        break
                    firsts[bucket_of(chosen[record, i], chosen[record, j], buckets) + 2] += 1
        for bucket in range(2, firsts.size):
            firsts[bucket] += firsts[bucket - 1]
        return
    for record in range(chosen.shape[0]):
        for i in range(width):
            for j in range(i, width):
                if chosen[record, j] < 0:
                    break
                bucket = bucket_of(chosen[record, i], chosen[record, j], buckets)
                texts[firsts[bucket + 1]] = record
                firsts[bucket + 1] += 1
