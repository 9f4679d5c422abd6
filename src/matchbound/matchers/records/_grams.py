"""Numbering the character 3- and 4-grams of many texts, compiled.

A character has a code of 16 bits, from 1 on in the order in which characters first occur, so that
the codes of four characters are a key of 64 bits, and the key of a 3-gram has zeros on top. A hash
table (`keys`, `numbers`) gives each key a number; an empty slot has the key 0.
"""

import numpy as np

from matchbound.compiled import compiled

CODES = 2**16 - 1  # of characters; should a table have more of them, the others share the last one
BITS, ODD = np.uint64(16), np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
THREE = np.uint64(2**48)  # a key from here on is a 4-gram's


@compiled
def slot_of(key, keys):  # type: ignore[no-untyped-def]
    """The slot that has the key, or the empty one where it belongs."""
    last = np.uint64(keys.size - 1)
    slot = ((key * ODD) >> HALF) & last
    while keys[slot] != key and keys[slot] != 0:
        slot = (slot + np.uint64(1)) & last
    return slot


@compiled
def number(key, keys, numbers, counts):  # type: ignore[no-untyped-def]
    """The number of a key; a new key gets the next."""
    slot = slot_of(key, keys)
    if keys[slot] == 0:
        keys[slot] = key
        numbers[slot] = counts[0]
        counts[0] += 1
    return numbers[slot]


@compiled
def encode(letters, codes, counts):  # type: ignore[no-untyped-def]
    """Replace characters by their codes, in place."""
    for i in range(letters.size):
        letter = letters[i]
        if codes[letter] == 0:
            counts[1] = min(counts[1] + 1, CODES)
            codes[letter] = counts[1]
        letters[i] = codes[letter]


@compiled
def number_grams(record, letters, cuts, keys, numbers, counts, grams):  # type: ignore[no-untyped-def]
    """Fill in the grams of the texts from `record` on, until the hash table is half full.

    Text r is letters[cuts[r]:cuts[r + 1]]. Returns the first text that is left, and how many grams
    are filled in.
    """
    size = 0
    while record < cuts.size - 1:
        start, end = cuts[record], cuts[record + 1]
        if 2 * (counts[0] + 2 * (end - start)) > keys.size:
            break
        for i in range(start, end - 2):
            key = np.uint64(letters[i]) << HALF
            key |= (np.uint64(letters[i + 1]) << BITS) | np.uint64(letters[i + 2])
            grams[size] = number(key, keys, numbers, counts)
            size += 1
            if i + 3 < end:
                key = (key << BITS) | np.uint64(letters[i + 3])
                grams[size] = number(key, keys, numbers, counts)
                size += 1
        record += 1
    return record, size


@compiled
def move(keys, numbers, new_keys, new_numbers):  # type: ignore[no-untyped-def]
    """Move a hash table into a larger one."""
    for old in range(keys.size):
        if keys[old] != 0:
            slot = slot_of(keys[old], new_keys)
            new_keys[slot], new_numbers[slot] = keys[old], numbers[old]


@compiled
def number_words(record, letters, cuts, keys, numbers, counts, words, sizes):  # type: ignore[no-untyped-def]
    """Fill in the words of the texts from `record` on, until the hash table is half full.

    A text begins and ends with a space, and the space has the code 1. Returns the first text that
    is left, and how many words are filled in.
    """
    size = 0
    while record < cuts.size - 1:
        start, end = cuts[record], cuts[record + 1]
        if 2 * (counts[0] + end - start) > keys.size:
            break
        key, first = np.uint64(0), size
        for i in range(start + 1, end):
            if letters[i] != 1:
                key = ((key ^ (key >> HALF)) + np.uint64(letters[i])) * ODD
            else:
                words[size] = number(key | np.uint64(1), keys, numbers, counts)
                size += 1
                key = np.uint64(0)
        sizes[record] = size - first
        record += 1
    return record, size


@compiled
def mark_fours(keys, numbers, fours):  # type: ignore[no-untyped-def]
    for slot in range(keys.size):
        if keys[slot] >= THREE:
            fours[numbers[slot]] = True


@compiled
def count_texts(starts, grams, last, counts):  # type: ignore[no-untyped-def]
    """Add to each gram's count the texts that contain it; `last`: the text counted last."""
    for record in range(starts.size - 1):
        for i in range(starts[record], starts[record + 1]):
            if last[grams[i]] != record:
                last[grams[i]] = record
                counts[grams[i]] += 1


@compiled
def sort_rows(starts, grams, ranks):  # type: ignore[no-untyped-def]
    """Replace grams by their ranks and sort those of each text, in place."""
    for i in range(grams.size):
        grams[i] = ranks[grams[i]]
    for record in range(starts.size - 1):
        grams[starts[record] : starts[record + 1]].sort()


@compiled
def run_end(grams, i, end):  # type: ignore[no-untyped-def]
    """Where the run of equal grams that begins at i ends."""
    stop = i + 1
    while stop < end and grams[stop] == grams[i]:
        stop += 1
    return stop


@compiled
def squared_lengths(starts, grams, squares, fours, lengths):  # type: ignore[no-untyped-def]
    """Fill in the squared lengths of each text's vectors of 3-grams and of 4-grams."""
    for record in range(starts.size - 1):
        i, end = starts[record], starts[record + 1]
        while i < end:
            stop = run_end(grams, i, end)
            lengths[record, np.int64(fours[grams[i]])] += squares[grams[i]] * (stop - i) ** 2
            i = stop


@compiled
def texts_by_gram(starts, grams, firsts, texts):  # type: ignore[no-untyped-def]
    """List the texts of each gram, as often as they contain it: `texts` from `firsts` on.

    Grams that `firsts` has no place for are left out. Called without room for texts, it only
    counts: the last of `firsts` is the room needed.
    """
    firsts[:] = 0
    for i in range(grams.size):
        if grams[i] + 2 < firsts.size:
            firsts[grams[i] + 2] += 1
    for gram in range(2, firsts.size):
        firsts[gram] += firsts[gram - 1]
    if texts.size == 0:
        return
    for record in range(starts.size - 1):
        for i in range(starts[record], starts[record + 1]):
            if grams[i] + 2 >= firsts.size:
                break
            texts[firsts[grams[i] + 1]] = record
            firsts[grams[i] + 1] += 1
