"""The matchers as they are defined, in plain Python: graphs are dicts of sets of ids.

Candidates are a dict from pairs to scores, or None for all pairs.
"""

import hashlib
import math
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

BITS = 2**64 - 1


def graph_of(nodes, edges):
    neighbours = {node: set() for node in nodes}
    for a, b in edges:
        if a != b:
            neighbours[a].add(b)
            neighbours[b].add(a)
    return neighbours


def lots(seed):
    """Where a pair stands among its equals: FNV-1a of each id, joined with the seed's SHA-256."""
    key = int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "big")
    return lambda x, y: mix(mix((fnv(x) + key) & BITS) + 0x9E3779B97F4A7C15 * fnv(y) & BITS)


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & BITS
    return mix(value)


def mix(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & BITS
    value = (value ^ value >> 27) * 0x94D049BB133111EB & BITS
    return value ^ value >> 31


def best_rival(pair, counts, matched):
    """The highest count of another pair of free nodes, one of them in this pair."""
    rivals = (
        count
        for other, count in counts.items()
        if (other[0] == pair[0]) != (other[1] == pair[1]) and is_free(other, matched)
    )
    return max(rivals, default=0)


def is_free(pair, matched):
    return all(pair[0] != x and pair[1] != y for x, y in matched)


def pairs_of(left, right, pair, candidates):
    """The pairs of the two nodes' neighbours that are candidates."""
    pairs = product(left[pair[0]], right[pair[1]])
    return [pair for pair in pairs if candidates is None or pair in candidates]


def witness(left, right, seeds, threshold, repeat, candidates=None):
    matched, found = set(seeds), []
    highest = min(max(map(len, graph.values())) for graph in (left, right))
    degrees = [2**power for power in range(20) if 2**power <= highest]
    for round, degree in enumerate(sorted(degrees, reverse=True) * repeat, start=1):
        counts = Counter(
            pair
            for known in matched
            for pair in pairs_of(left, right, known, candidates)
            if len(left[pair[0]]) >= degree and len(right[pair[1]]) >= degree
        )
        counts = {pair: n for pair, n in counts.items() if is_free(pair, matched)}
        rivals = {pair: best_rival(pair, counts, ()) for pair in counts}
        new = [pair for pair, n in counts.items() if n >= threshold and n > rivals[pair]]
        found += [(*pair, round, counts[pair], counts[pair] - rivals[pair]) for pair in new]
        matched |= set(new)
    return found


def percolation(left, right, seeds, threshold, seed, candidates=None):
    lot = lots(seed)
    queue = [(pair, 0) for pair in sorted(seeds, key=lambda pair: lot(*pair))]
    matched, marks, found = set(seeds), Counter(), []
    for spreading, round in queue:  # which grows
        marked = pairs_of(left, right, spreading, candidates)
        marks.update(marked)
        ripe = [pair for pair in marked if marks[pair] >= threshold]
        for pair in sorted(ripe, key=lambda pair: lot(*pair)):
            if is_free(pair, matched):
                margin = marks[pair] - best_rival(pair, marks, matched)
                found.append((*pair, round + 1, marks[pair], margin))
                matched.add(pair)
                queue.append((pair, round + 1))
    return found


def expand(left, right, seeds, threshold, seed, most, candidates=None):
    lot = lots(seed)

    def degrees(graph):
        return sorted(map(len, graph.values()), reverse=True)

    def unlikely(pair):
        return -marks[pair], abs(len(left[pair[0]]) - len(right[pair[1]])), lot(*pair)

    budget = most - sum(a * b for a, b in zip(degrees(left), degrees(right), strict=False))
    matched, used, marks, found = set(seeds), set(), Counter(), []
    spreading, round = list(seeds), 0
    while spreading:
        round += 1
        for i, j in spreading:
            marks.update(pairs_of(left, right, (i, j), candidates))
            used.add((i, j))
        while True:
            free = [pair for pair in marks if is_free(pair, matched)]
            enough = [pair for pair in free if marks[pair] >= threshold]
            if not enough:
                break
            best = min(enough, key=unlikely)
            margin = marks[best] - best_rival(best, marks, matched)
            found.append((*best, round, marks[best], margin))
            matched.add(best)
            if best not in used:
                marks.update(pairs_of(left, right, best, candidates))
        spreading = []
        for i, j in sorted((pair for pair in free if pair not in used), key=unlikely):
            budget -= len(left[i]) * len(right[j])
            if budget < 0:
                break
            spreading.append((i, j))
    return found


def hubs(left, right, most):
    def hubs_of(graph):
        ranked = sorted(map(len, graph.values()), reverse=True)
        least = ranked[most] if len(ranked) > most else 0
        return [node for node in graph if len(graph[node]) > least]

    def profile(graph, node):
        return sorted((len(graph[other]) for other in graph[node]), reverse=True)

    def alike(x, y):
        a, b = profile(left, x), profile(right, y)
        length = max(len(a), len(b))
        a, b = a + [0] * (length - len(a)), b + [0] * (length - len(b))
        return Fraction(sum(map(min, a, b)), sum(map(max, a, b)))

    def likest(score):
        scores = {pair: score(*pair) for pair in product(hubs_of(left), hubs_of(right))}
        return {
            pair: value for pair, value in scores.items() if value > best_rival(pair, scores, [])
        }

    chosen = likest(alike)

    def agree(x, y):
        nearby = [(u in left[x]) + (v in right[y]) for u, v in chosen]
        return Fraction(nearby.count(2), max(nearby.count(2) + nearby.count(1), 1))

    return {pair: chosen[pair] for pair in likest(agree) if pair in chosen}


def soft(left, right, seeds, width, candidates=None, rounds=30, passes=10):
    """Rows of x, y, round, witnesses, margin, and the share of each."""
    seeded = dict(seeds)
    x_order, y_order = (
        sorted(graph, key=lambda node, graph=graph: (-len(graph[node]), fnv(node)))
        for graph in (left, right)
    )
    rank = {y: place for place, y in enumerate(y_order)}
    x_free = [x for x in x_order if x not in seeded]
    y_free = [y for y in y_order if y not in seeded.values()]
    shares = {x: {seeded[x]: 1.0} if x in seeded else {} for x in x_order}
    potential = dict.fromkeys(y_free, 0.0)

    def largest(values):
        kept = sorted(values, key=lambda y: (-values[y], rank[y]))[:width]
        return {y: values[y] for y in kept}

    for round in range(rounds):
        beta = 1.5 + (4.0 - 1.5) * round / (rounds - 1)
        gains = {}
        for x in x_free:
            support = dict.fromkeys(y_free, 0.0)
            for u in (u for u in x_order if u in left[x]):
                for v, share in shares[u].items():
                    for y in right[v] & support.keys():
                        support[y] += share
            if candidates is not None:
                support = {
                    y: value + candidates[x, y]
                    for y, value in support.items()
                    if (x, y) in candidates
                }
            gain = {y: beta * value for y, value in support.items() if value > 0}
            kept = largest({y: value + potential[y] for y, value in gain.items()})
            gains[x] = {y: gain[y] for y in kept}
        fitted, potential = fit(gains, potential, passes)
        moved = 0.0
        for x in x_free:
            mean = {y: share / 2 for y, share in shares[x].items()}
            for y, new in fitted[x].items():
                old = shares[x].get(y, 0)
                mean[y] = (new + old) / 2
                moved = max(moved, abs(new - old) / 2)
            mean = {y: rounded(share) for y, share in mean.items()}
            shares[x] = largest({y: share for y, share in mean.items() if share >= 0.01})
        potential = {y: rounded(value) for y, value in potential.items()}
        if moved < 0.01:
            break

    pairs = [(x, y) for x in x_free for y in sorted(shares[x], key=rank.get)]
    matched = list(seeds)
    for pair in sorted(pairs, key=lambda pair: -shares[pair[0]][pair[1]]):
        if is_free(pair, matched):
            matched.append(pair)
    counts = Counter(pair for known in matched for pair in pairs_of(left, right, known, candidates))
    return [
        ((x, y, 1, counts[x, y], counts[x, y] - best_rival((x, y), counts, seeds)), shares[x][y])
        for x, y in matched[len(seeds) :]
    ]


def fit(gains, potential, passes=10):
    """Sinkhorn's passes: the shares e^(gain + f + g), and the potentials g of the columns."""
    for _ in range(passes):
        rows = {x: -log_sum(gain + potential[y] for y, gain in gains[x].items()) for x in gains}
        potential = {
            y: -log_sum(gains[x][y] + rows[x] for x in gains if y in gains[x]) for y in potential
        }
    shares = {
        x: {y: math.exp(gain + rows[x] + potential[y]) for y, gain in gains[x].items()}
        for x in gains
    }
    return shares, potential


def rounded(value):
    """The nearest multiple of 2⁻²⁰, a half to the even one."""
    return round(value * 2**20) / 2**20


def log_sum(values):
    """log(1 + Σ e^value)"""
    values = list(values)
    highest = max([0.0, *values])
    total = math.exp(-highest)
    for value in values:
        total += math.exp(value - highest)
    return highest + math.log(total)


def path(a, b, steps=100, turns=200, close=1e-6):
    """The convex–concave path between two symmetric matrices, by lists and all permutations."""
    nodes = range(len(a))

    def times(x, y):
        return [[sum(x[i][k] * y[k][j] for k in nodes) for j in nodes] for i in nodes]

    def plus(*terms):
        return [[sum(c * x[i][j] for c, x in terms) for j in nodes] for i in nodes]

    def dot(x, y):
        return sum(x[i][j] * y[i][j] for i in nodes for j in nodes)

    def laplacian(x):
        return [[(i == j) * sum(x[i]) - x[i][j] for j in nodes] for i in nodes]

    def least(cost):
        best = min(permutations(nodes), key=lambda p: sum(cost[i][p[i]] for i in nodes))
        return best, [[float(best[i] == j) for j in nodes] for i in nodes]

    a, b = (plus((1 / math.sqrt(dot(x, x)), x)) for x in (a, b))
    x, y = laplacian(a), laplacian(b)
    gaps = [[(sum(a[i]) - sum(b[j])) ** 2 for j in nodes] for i in nodes]
    shares = [[1 / len(a)] * len(a) for _ in nodes]
    for concave in (step / steps for step in range(steps + 1)):
        for _ in range(turns):
            rest = plus((1, times(a, shares)), (-1, times(shares, b)))
            convex_slope = plus((2, times(a, rest)), (-2, times(rest, b)))
            concave_slope = plus((-1, gaps), (-4, times(times(x, shares), y)))
            slope = plus((1 - concave, convex_slope), (concave, concave_slope))
            towards = plus((1, least(slope)[1]), (-1, shares))
            gain = -dot(slope, towards)
            if gain <= close * abs(dot(slope, shares)):
                break
            rest = plus((1, times(a, towards)), (-1, times(towards, b)))
            curve = dot(times(times(x, towards), y), towards)
            bend = (1 - concave) * dot(rest, rest) - 2 * concave * curve
            length = 1.0 if 2 * bend <= gain else gain / (2 * bend)
            shares = plus((1, shares), (length, towards))
    return least(plus((-1, shares)))[0]


def convex(left, right, assign, turns=30):
    """Pairs and shares; `assign` gives the columns of a best assignment of least cost."""
    x, y = (
        sorted(graph, key=lambda node, graph=graph: (-len(graph[node]), fnv(node)))
        for graph in (left, right)
    )
    nodes = range(max(len(x), len(y)))
    a, b = (
        [[float(max(i, j) < len(ids) and ids[j] in graph[ids[i]]) for j in nodes] for i in nodes]
        for graph, ids in ((left, x), (right, y))
    )

    def times(p, q):
        return [[sum(p[i][k] * q[k][j] for k in nodes) for j in nodes] for i in nodes]

    def minus(p, q):
        return [[p[i][j] - q[i][j] for j in nodes] for i in nodes]

    shares = [[1 / len(nodes) for _ in nodes] for _ in nodes]
    for _ in range(turns):
        rest = minus(times(a, shares), times(shares, b))
        slope = minus(times(a, rest), times(rest, b))
        columns = assign([[round(value, 9) for value in row] for row in slope])
        best = [[float(columns[i] == j) for j in nodes] for i in nodes]
        change = minus(minus(times(a, best), times(best, b)), rest)
        gain = -sum(rest[i][j] * change[i][j] for i in nodes for j in nodes)
        bend = sum(value**2 for row in change for value in row)
        if gain <= 0 or bend == 0:
            break
        step = min(1.0, gain / bend)
        shares = [
            [p + step * (q - p) for p, q in zip(*rows, strict=True)]
            for rows in zip(shares, best, strict=True)
        ]
    shares = [[round(share, 9) for share in row] for row in shares]
    found = {}
    for i, j in enumerate(assign([[-share for share in row] for row in shares])):
        rivals = [shares[i][k] for k in nodes if k != j] + [shares[k][j] for k in nodes if k != i]
        if i < len(x) and j < len(y) and shares[i][j] > max(rivals, default=0):
            found[x[i], y[j]] = shares[i][j]
    return found


def bayes(left, right, assign, turns=6, first=16):
    """Pairs and posteriors; `assign` gives the columns of a best assignment of least cost."""
    orders = [
        sorted(graph, key=lambda node, graph=graph: (-len(graph[node]), fnv(node)))
        for graph in (left, right)
    ]

    def distance(graph, a, b):
        if b in graph[a]:
            return 1
        return 2 if a != b and graph[a] & graph[b] else 3

    def learned(anchors):
        """p of two distances with 20 pairs as if independent."""
        pairs = [(p, q) for p in anchors for q in anchors if p != q]
        seen = Counter((distance(left, a, c), distance(right, b, d)) for (a, b), (c, d) in pairs)
        x, y = (
            [
                (sum(n for key, n in seen.items() if key[side] == k) + 1) / (len(pairs) + 3)
                for k in (1, 2, 3)
            ]
            for side in (0, 1)
        )
        return {
            (k, m): (seen[k, m] + 20 * x[k - 1] * y[m - 1]) / (len(pairs) + 20)
            for k in (1, 2, 3)
            for m in (1, 2, 3)
        }

    def log_odds(u, v, p, anchors):
        rows = {k: sum(p[k, m] for m in (1, 2, 3)) for k in (1, 2, 3)}
        columns = {m: sum(p[k, m] for k in (1, 2, 3)) for m in (1, 2, 3)}
        s = min(max(p[1, 1] / math.sqrt(rows[1] * columns[1]), 0.3), 0.95) if anchors else 0.8
        odds = -2 * (math.sqrt(len(left[u])) - math.sqrt(len(right[v]))) ** 2 / (1 - s**2)
        for a, b in anchors:
            k, m = distance(left, u, a), distance(right, v, b)
            odds += math.log(p[k, m] / (rows[k] * columns[m]))
        return round(odds, 9)

    nodes = min(map(len, orders))
    size, anchors, posterior = min(first, nodes), [], {}
    while True:
        for _ in range(turns):
            x, y = orders[0][:size], orders[1][:size]
            used = anchors if len(anchors) > 1 else []
            p = learned(used) if used else dict.fromkeys(product((1, 2, 3), repeat=2), 1 / 9)
            odds = [[log_odds(u, v, p, used) for v in y] for u in x]
            columns = list(zip(*odds, strict=True))
            pairs = []
            for i, j in enumerate(assign([[-value for value in row] for row in odds])):
                row = sum(math.exp(value - max(odds[i])) for value in odds[i])
                column = sum(math.exp(value - max(columns[j])) for value in columns[j])
                share = min(
                    math.exp(odds[i][j] - max(odds[i])) / row,
                    math.exp(odds[i][j] - max(columns[j])) / column,
                )
                pairs.append((round(share, 9), i, (x[i], y[j])))
            sure = sum(share >= 0.5 for share, _, _ in pairs)
            least = size // 2 if size < nodes else 0
            kept = sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[: max(sure, least)]
            before, kept = anchors, sorted(kept, key=lambda pair: pair[1])
            anchors = [pair for _, _, pair in kept]
            posterior = {pair: share for share, _, pair in kept}
            if anchors == before:
                break
        if size == nodes:
            return posterior
        size = min(2 * size, nodes)
