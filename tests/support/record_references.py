"""What `match` computes for a pair of records, in plain Python, as docs/match.md defines it.

A record is a dict of texts by field; None is missing. Cosines and candidates are defined in
`candidate_references`.
"""

import math
import re
from datetime import date

NAN = math.nan


def cleaned(text):
    """Lower case, single spaces, none around; None if nothing is left."""
    words = "" if text is None else " ".join(re.split(r"\s+", text.lower())).strip()
    return words or None


def longest_common(a, b):
    """The length of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for c in a:
        before = row[:]
        for j, d in enumerate(b):
            row[j + 1] = before[j] + 1 if c == d else max(row[j], before[j + 1])
    return row[-1]


def ratio(a, b):
    """Twice the letters in common, in order, by all letters."""
    return 2 * longest_common(a, b) / (len(a) + len(b)) if a or b else 1.0


def jaro(a, b):
    """The mean of three shares: matched letters of a, of b, and those of them in order."""
    reach = max(max(len(a), len(b)) // 2 - 1, 0)
    taken, of_a = set(), []
    for i, c in enumerate(a):
        for j in range(max(i - reach, 0), min(i + reach + 1, len(b))):
            if j not in taken and b[j] == c:
                taken.add(j)
                of_a.append(c)
                break
    if not of_a:
        return 0.0
    of_b = [b[j] for j in sorted(taken)]
    moved = sum(c != d for c, d in zip(of_a, of_b, strict=True)) // 2
    m = len(of_a)
    return (m / len(a) + m / len(b) + (m - moved) / m) / 3


def winkler(a, b):
    """Jaro's, raised by a tenth of what is missing for each of up to four equal first letters."""
    similarity, prefix = jaro(a, b), 0
    while prefix < min(4, len(a), len(b)) and a[prefix] == b[prefix]:
        prefix += 1
    return similarity + 0.1 * prefix * (1 - similarity) if similarity > 0.7 else similarity


def token_set(a, b):
    """The best ratio of: the common tokens, and those with either text's other tokens after them.

    Of the last two only the other tokens are compared; what is common is common.
    """
    a, b = set(a.split()), set(b.split())
    both, of_a, of_b = (" ".join(sorted(tokens)) for tokens in (a & b, a - b, b - a))
    if both and not (of_a and of_b):
        return 1.0
    space = len(both) + bool(both)
    same = 2 * (space + longest_common(of_a, of_b)) / (2 * space + len(of_a) + len(of_b))
    if not both:
        return same
    with_one = [2 * len(both) / (len(both) + space + len(own)) for own in (of_a, of_b)]
    return max(same, *with_one)


def number(text):
    bare = re.sub("^[$€£¥] ?|,", "", text)
    return float(bare) if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", bare) else None


def day(text):
    """Days since 1970 of yyyy-mm-dd or yyyymmdd."""
    found = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text)
    found = found or re.fullmatch(r"((?:1[6-9]|20)\d\d)(0[1-9]|1[0-2])(\d\d)", text)
    return (date(*map(int, found.groups())) - date(1970, 1, 1)).days if found else None


def kind(texts, parse):
    """Whether at least 9 of 10 different texts are of a kind."""
    different = {text for text in texts if text is not None}
    return bool(different) and sum(parse(t) is not None for t in different) >= 0.9 * len(different)


def field_features(name, a, b, *, numbers, days):
    """The features of one field of a pair by name."""
    if a is None or b is None:
        texts = [NAN] * 4
    else:
        texts = [float(a == b), winkler(a, b), ratio(a, b), token_set(a, b)]
    features = dict(zip(("equal", "winkler", "ratio", "token set"), texts, strict=True))
    values = [[None if t is None else parse(t) for t in (a, b)] for parse in (number, day)]
    if numbers:
        features |= {"difference": NAN, "relative difference": NAN}
        if None not in values[0]:
            apart, largest = abs(values[0][0] - values[0][1]), max(map(abs, values[0]))
            relative = apart / max(largest, 1e-9)
            features |= {"difference": apart, "relative difference": relative}
    if days:
        apart = NAN if None in values[1] else abs(values[1][0] - values[1][1])
        features["days apart"] = float(apart)
    return {f"{name}: {key}": value for key, value in features.items()}


def features(left, right, pairs, cosines):
    """The features of each pair by name; `right` is None in deduplication."""
    others = left if right is None else right
    fields = list(left[0])
    tables = [[{f: cleaned(row[f]) for f in fields} for row in rows] for rows in (left, others)]
    texts = {f: [row[f] for rows in tables for row in rows] for f in fields}
    days = {f: kind(texts[f], day) for f in fields}
    numbers = {f: not days[f] and kind(texts[f], number) for f in fields}
    used = [f for f in fields if any(text is not None for text in texts[f])]
    mean = [(three + four) / 2 for three, four in cosines]
    rows = []
    for k, (x, y) in enumerate(pairs):
        a, b = tables[0][x], tables[1][y]
        row = {}
        for f in used:
            row |= field_features(f, a[f], b[f], numbers=numbers[f], days=days[f])
        digits = [
            {token for f in fields if r[f] for token in re.findall(r"\w*\d\w*", r[f])}
            for r in (a, b)
        ]
        row |= {"cosine3": cosines[k][0], "cosine4": cosines[k][1]}
        row |= {"digits shared": len(digits[0] & digits[1])}
        row |= {"digits of one": len(digits[0] ^ digits[1])}
        rows.append(row | _rivals(k, pairs, mean, right is None))
    return rows


def _rivals(k, pairs, mean, is_dedupe):
    ranks, gaps = [], []
    for side, node in enumerate(pairs[k]):
        own = [
            mean[i]
            for i, pair in enumerate(pairs)
            if (node in pair if is_dedupe else pair[side] == node)
        ]
        ranks.append(1 + sum(value > mean[k] for value in own))
        gaps.append(max(own) - mean[k])
    if is_dedupe:
        ranks, gaps = sorted(ranks), sorted(gaps)
    names = ("rank of x", "rank of y", "x behind best", "y behind best")
    return dict(zip(names, [*ranks, *gaps], strict=True))


def one_to_one(scores, pairs, cosines, is_dedupe):
    """Scores of a one-to-one matching: the best first, then what loses to them is lowered."""
    order = sorted(range(len(pairs)), key=lambda k: (-scores[k], -sum(cosines[k]), pairs[k]))
    taken, kept = {}, set()

    def ends(k):
        x, y = pairs[k]
        return [("x", x), ("x" if is_dedupe else "y", y)]

    for k in order:
        if scores[k] > 0 and not any(end in taken for end in ends(k)):
            kept.add(k)
            taken |= dict.fromkeys(ends(k), scores[k])
    return [
        s if k in kept else s * (1 - max(taken.get(end, 0) for end in ends(k)))
        for k, s in enumerate(scores)
    ]


def training(pairs, labels, is_dedupe):
    """The pairs of labelled nodes and whether each is a match; `labels` are sets by node."""
    rows = []
    for k, (x, y) in enumerate(pairs):
        if x in labels:
            rows.append((k, y in labels[x]))
        elif is_dedupe and y in labels:
            rows.append((k, x in labels[y]))
    return rows


def with_chains(pairs, scores):
    """The pairs of one table, and those of two records that both match a third."""
    near = {}
    for (x, y), score in zip(pairs, scores, strict=True):
        if score >= 0.5:
            near.setdefault(x, set()).add(y)
            near.setdefault(y, set()).add(x)
    new = {(a, b) for around in near.values() for a in around for b in around if a < b}
    return sorted({*pairs, *new})
