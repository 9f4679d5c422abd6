"""Searching the texts nearest to each text, compiled.

Threads take blocks of texts in turns, and no sum depends on the number of threads.
"""

from math import log

import numpy as np

from matchbound.compiled import compiled
from matchbound.matchers._soft import insert
from matchbound.matchers.records._grams import run_end
from matchbound.matchers.records._word_pairs import bucket_of

BLOCK = 64  # texts that a thread takes at a time


@compiled
def add(product, first, last, listed, size, own):  # type: ignore[no-untyped-def]
    """Add a product to the sum of each text listed; return how many texts have a sum now."""
    products, touched = own[:2]
    for k in range(first, last):
        y = np.uint32(listed[np.uint64(k)])
        touched[size] = y
        size += np.uint64(products[y] == 0)
        products[y] += product
    return size


@compiled
def add_by_grams(x, size, texts, index, squares, budget, own):  # type: ignore[no-untyped-def]
    """Add the products of x with the texts that share a gram, from the rarest gram on.

    Ends where a list of texts would exceed the budget.
    """
    starts, grams, _ = texts
    firsts, listed = index
    i, end = starts[x], starts[x + 1]
    while i < end and grams[i] + 2 < firsts.size:
        stop = run_end(grams, i, end)
        first, last = firsts[grams[i]], firsts[grams[i] + 1]
        budget -= last - first
        if budget < 0:
            break
        size = add(np.float32(squares[grams[i]] * (stop - i)), first, last, listed, size, own)
        i = stop
    return size


@compiled
def add_by_words(words, index, texts, budget, lists, own):  # type: ignore[no-untyped-def]
    """Add a product for each text that shares a word or a pair of words, from the rarest on.

    Ends where a list would exceed the budget; of the first list as much as the budget allows.
    """
    firsts, listed = index
    count, size = 0, np.uint64(0)
    for i in range(words.size):
        for j in range(i, words.size):
            if words[j] < 0:
                break
            bucket = bucket_of(words[i], words[j], firsts.size - 2)
            length = firsts[bucket + 1] - firsts[bucket]
            if length > 0:
                lists[count] = (length << np.int64(32)) | bucket
                count += 1
    lists[:count].sort()
    for k in range(count):
        length, bucket = lists[k] >> np.int64(32), lists[k] & np.int64(2**32 - 1)
        if length > budget and k > 0:
            break
        product = np.float32((log((1 + texts) / (1 + length)) + 1) ** 2)
        first = firsts[bucket]
        size = add(product, first, first + min(length, budget), listed, size, own)
        budget -= length
    return size


@compiled
def keep_highest(value, item, values, items, size):  # type: ignore[no-untyped-def]
    """Insert an item among the highest, if it belongs there; return how many there are now."""
    if size == values.size and value < values[size - 1]:
        return size
    return insert(value, item, values, items, 0, size)


@compiled
def dot_products(x, y, texts, others, squares, fours):  # type: ignore[no-untyped-def]
    """The products of two texts' vectors: of 3-grams and of 4-grams."""
    i, i_end = texts[0][x], texts[0][x + 1]
    j, j_end = others[0][y], others[0][y + 1]
    grams, rivals = texts[1], others[1]
    threes = four = 0.0
    while i < i_end and j < j_end:
        if grams[i] < rivals[j]:
            i += 1
        elif grams[i] > rivals[j]:
            j += 1
        else:
            gram = grams[i]
            i_stop, j_stop = run_end(grams, i, i_end), run_end(rivals, j, j_end)
            product = squares[gram] * ((i_stop - i) * (j_stop - j))
            if fours[gram]:
                four += product
            else:
                threes += product
            i, j = i_stop, j_stop
    return threes, four


@compiled
def find_nearest(turn, turns, texts, others, by_gram, by_words, vocabulary, budget, found, own):  # type: ignore[no-untyped-def]
    """Fill in, for each text, the nearest of the others, the nearest first.

    The highest sums of products, divided by lengths, are kept first, then the highest cosines.
    """
    squares, fours = vocabulary
    same, columns, sizes = found
    products, touched, values, kept, cosines, lists = own
    words, by_pair = by_words
    lengths = others[2][:, 2].astype(np.float32)
    for block in range(turn * BLOCK, sizes.size, turns * BLOCK):
        for x in range(block, min(block + BLOCK, sizes.size)):
            met = add_by_words(words[x], by_pair, lengths.size, budget, lists, own)
            met = add_by_grams(x, met, texts, by_gram, squares, budget, own)
            size = 0
            for i in range(met):
                y = touched[i]
                if not (same and x == y):
                    size = keep_highest(products[y] / lengths[y], y, values, kept, size)
                products[y] = 0
            count = 0
            for k in range(size):
                y = kept[k]
                threes, four = dot_products(x, y, texts, others, squares, fours)
                both = (threes + four) / others[2][y, 2]
                if both > 0:
                    count = keep_highest(both, y, cosines, columns[x], count)
            sizes[x] = count


@compiled
def cosines(turn, turns, x, y, texts, others, vocabulary, cosine3, cosine4):  # type: ignore[no-untyped-def]
    """Fill in the cosines of the 3-grams and of the 4-grams of each pair."""
    squares, fours = vocabulary
    for block in range(turn * BLOCK, x.size, turns * BLOCK):
        for k in range(block, min(block + BLOCK, x.size)):
            threes, four = dot_products(x[k], y[k], texts, others, squares, fours)
            lengths, other = texts[2][x[k]], others[2][y[k]]
            if threes > 0:
                cosine3[k] = threes / (lengths[0] * other[0])
            if four > 0:
                cosine4[k] = four / (lengths[1] * other[1])
