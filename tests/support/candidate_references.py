"""Candidates as they are defined, in plain Python."""

import math
import re
from collections import Counter


def grams(text, sizes):
    words = re.sub(r"[\W_]+", " ", text.casefold()).strip()
    letters = f" {words} " if words else ""
    return Counter(letters[i : i + n] for n in sizes for i in range(len(letters) - n + 1))


def cosine(a, b, weights):
    """Of two counters of grams; 0 if they have none in common."""
    dot = sum(a[gram] * b[gram] * weights[gram] ** 2 for gram in a if gram in b)
    if not dot:
        return 0.0
    lengths = (math.fsum((c[gram] * weights[gram]) ** 2 for gram in c) for c in (a, b))
    return dot / math.sqrt(math.prod(lengths))


def cosines(left, right):
    """For each pair that shares a gram: its cosine by 3-grams, by 4-grams and by both together.

    Positions; without a right table x < y.
    """
    everything = [*left, *(right or [])]
    counts = Counter(gram for text in everything for gram in grams(text, (3, 4)))
    weights = {
        gram: math.log((1 + len(everything)) / (1 + count)) + 1 for gram, count in counts.items()
    }
    found = {}
    for x, a in enumerate(left):
        for y, b in enumerate(left if right is None else right):
            if right is None and x >= y:
                continue
            values = tuple(
                cosine(grams(a, sizes), grams(b, sizes), weights) for sizes in ((3,), (4,), (3, 4))
            )
            if values[2]:
                found[x, y] = values
    return found


def nearest(left, right, top):
    """The candidates and their two cosines; a node that has several equals takes the earlier."""
    found = cosines(left, right)
    lists = {}
    for (x, y), (_, _, both) in found.items():
        lists.setdefault(("x", x), []).append((-both, y, (x, y)))
        lists.setdefault(("x" if right is None else "y", y), []).append((-both, x, (x, y)))
    pairs = {pair for near in lists.values() for *_, pair in sorted(near)[:top]}
    return {pair: found[pair][:2] for pair in sorted(pairs)}
