"""Searching the texts nearest to each text, compiled.

Threads take blocks of texts in turns, and no sum depends on the number of threads.
"""

import numpy as np

from matchbound.compiled import compiled
from matchbound.matchers._soft import insert, place_of
from matchbound.matchers.records._grams import run_end

BLOCK = 64  # texts that a thread takes at a time


@compiled
def add_products(x, texts, index, squares, budget, own):  # type: ignore[no-untyped-def]
    """Sum up the products of x with every text that shares a gram; return how many there are.

    Grams are visited from the rarest on, until a list of texts would exceed the budget.
    """
    starts, grams, _ = texts
    firsts, listed = index
    products, touched = own[:2]
    size = np.uint64(0)
    i, end = starts[x], starts[x + 1]
    while i < end:
        stop = run_end(grams, i, end)
        first, last = firsts[grams[i]], firsts[grams[i] + 1]
        budget -= last - first
        if budget < 0:
            break
        product = np.float32(squares[grams[i]] * (stop - i))
        for k in range(first, last):
            y = np.uint32(listed[np.uint64(k)])
            touched[size] = y
            size += np.uint64(products[y] == 0)
            products[y] += product
        i = stop
    return size


@compiled
def keep_highest(value, item, values, items, size):  # type: ignore[no-untyped-def]
    """Insert an item among the highest, if it belongs there; return how many there are now."""
    if size == values.size and value < values[size - 1]:
        return size
    place = place_of(value, item, values, items, 0, size)
    if place == values.size:
        return size
    last = min(size, values.size - 1)
    insert(value, values, place, last)
    insert(item, items, place, last)
    return last + 1


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
def find_nearest(turn, turns, texts, others, index, vocabulary, same, budget, found, own):  # type: ignore[no-untyped-def]
    """Fill in, for each text, the nearest of the others, the nearest first.

    The highest sums of products, divided by lengths, are kept first, then the highest cosines.
    """
    squares, fours = vocabulary
    columns, sizes = found
    products, touched, values, kept, cosines = own
    both = others[2][:, 2]
    for block in range(turn * BLOCK, sizes.size, turns * BLOCK):
        for x in range(block, min(block + BLOCK, sizes.size)):
            size = 0
            for i in range(add_products(x, texts, index, squares, budget, own)):
                y = touched[i]
                if not (same and x == y):
                    size = keep_highest(products[y] / both[y], y, values, kept, size)
                products[y] = 0
            count = 0
            for k in range(size):
                y = kept[k]
                threes, four = dot_products(x, y, texts, others, squares, fours)
                count = keep_highest((threes + four) / both[y], y, cosines, columns[x], count)
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
