"""Candidates as they are defined, in plain Python."""

import math
import re
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement

import numpy as np


def plain(text):
    words = re.sub(r"[\W_]+", " ", text.casefold()).strip()
    return f" {words} " if words else ""


@cache
def grams(text, sizes):
    letters = plain(text)
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


def limited(left, right, top, budget, kept, width, buckets):
    """The candidates of the search that visits at most `budget` texts by words, and by grams.

    Of the texts visited, the `kept` that have most in common with a text are compared with it.
    """
    found, everything = cosines(left, right), [*left, *(right or [])]
    grams_by_rank = by_rarity([grams_in_order(text) for text in everything])
    words_by_rank = by_rarity([plain(text).split() for text in everything])
    pairs = set()
    for is_turned in [False] if right is None else [False, True]:
        here, there = (right, left) if is_turned else (left, left if right is None else right)
        lists = {}
        for y, text in enumerate(there):
            for bucket in buckets_of(text, words_by_rank, width, buckets * len(there)):
                lists.setdefault(bucket, []).append(y)
        lengths = [length(text, grams_by_rank, len(everything)) for text in there]
        for x, text in enumerate(here):
            own = buckets_of(text, words_by_rank, width, buckets * len(there))
            visits = [
                *visits_by_words(own, lists, budget, len(there)),
                *visits_by_grams(text, there, grams_by_rank, budget, len(everything)),
            ]
            common = {}
            for product, visited in visits:
                for y in visited:
                    common[y] = common.get(y, np.float32(0)) + np.float32(product)
            if right is None:
                common.pop(x, None)
            share = {y: total / np.float32(lengths[y]) for y, total in common.items()}
            compared = sorted(share, key=lambda y, share=share: (-share[y], y))[:kept]
            keys = {y: (y, x) if is_turned else (x, y) for y in compared}
            if right is None:
                keys = {y: (min(x, y), max(x, y)) for y in compared}
            near = sorted((-found[keys[y]][2], y) for y in compared if keys[y] in found)
            pairs |= {keys[y] for _, y in near[:top]}
    return {pair: found[pair][:2] for pair in sorted(pairs)}


def by_rarity(rows):
    """How many texts contain each item, and its number in the order of first occurrence."""
    counts = Counter(item for row in rows for item in set(row))
    numbers = {item: k for k, item in enumerate(dict.fromkeys(i for row in rows for i in row))}
    return {item: (counts[item], numbers[item]) for item in numbers}


def grams_in_order(text):
    letters = plain(text)
    both = (
        letters[i : i + n] for i in range(len(letters)) for n in (3, 4) if i + n <= len(letters)
    )
    return list(both)


def buckets_of(text, by_rank, width, at_least):
    """The buckets of the text's rarest words and their pairs; a word of one text is left out."""
    words = [word for word in dict.fromkeys(plain(text).split()) if by_rank[word][0] > 1]
    rarest = sorted(words, key=lambda word: by_rank[word][0])[:width]
    numbers = sorted(by_rank[word][1] for word in rarest)
    return [hashed(*pair, at_least) for pair in combinations_with_replacement(numbers, 2)]


def hashed(a, b, at_least):
    """A number below the next power of two."""
    odd, most = 0x9E3779B97F4A7C15, 2**64
    key = ((a << 32 | b) * odd) % most
    return (((key ^ key >> 32) * odd) % most >> 20) % 2 ** (at_least - 1).bit_length()


def visits_by_words(own, lists, budget, texts):
    """The shortest lists first; of the first one as much as the budget allows."""
    rarest = sorted((len(lists[bucket]), bucket) for bucket in own if bucket in lists)
    for k, (size, bucket) in enumerate(rarest):
        if k > 0 and size > budget:
            return
        yield (math.log((1 + texts) / (1 + size)) + 1) ** 2, lists[bucket][:budget]
        budget -= size


def visits_by_grams(text, there, by_rank, budget, texts):
    """The rarest gram first; a text is visited as often as it contains the gram."""
    own, most = grams(text, (3, 4)), budget
    for gram in sorted(own, key=by_rank.get):
        visited = [y for y, other in enumerate(there) for _ in range(grams(other, (3, 4))[gram])]
        budget -= len(visited)
        if by_rank[gram][0] > most or budget < 0:
            return
        yield own[gram] * weight(gram, by_rank, texts) ** 2, visited


def weight(gram, by_rank, texts):
    return math.log((1 + texts) / (1 + by_rank[gram][0])) + 1


def length(text, by_rank, texts):
    own = grams(text, (3, 4))
    return math.sqrt(math.fsum((own[gram] * weight(gram, by_rank, texts)) ** 2 for gram in own))
