"""Random graphs with links of three thresholds, closed by an engine and by networkx."""

import random
from itertools import combinations, pairwise

import networkx
import pyarrow as pa

from matchbound.tables import close_pairs, pairs_linked

LEVELS = range(3)  # the strictest threshold first
APART = 10_000  # the ids of a graph and of the next one
word = "é{}".format
KINDS = {"whole": (int, int), "text": (word, word), "mixed": (int, str)}


def chain(rng, n):
    return [(i, i + 1) for i in range(n - 1)]


def shuffled_chain(rng, n):
    nodes = rng.sample(range(n), n)
    return list(pairwise(nodes))


def star(rng, n):
    centre = rng.randrange(n)
    return [(centre, i) for i in range(n) if i != centre]


def clique(rng, n):
    return list(combinations(range(min(n, 9)), 2))


def sparse(rng, n):
    return [tuple(rng.sample(range(n), 2)) for _ in range(rng.randint(1, n))]


def dense(rng, n):
    """With repeats, and pairs both ways round."""
    return [tuple(rng.sample(range(n), 2)) for _ in range(4 * n)]


SHAPES = (chain, shuffled_chain, star, clique, sparse, dense)


def random_graphs(rng, count):
    """Lists of (a, b, level): a graph at a threshold has the links of its level and below."""
    for i in range(count):
        links = SHAPES[i % len(SHAPES)](rng, rng.randint(2, 40))
        flipped = [link if rng.random() < 0.5 else link[::-1] for link in links]
        yield [(i * APART + a, i * APART + b, rng.choice(LEVELS)) for a, b in flipped]


def by_networkx(links, level, dedupe, kinds):
    """The components, as sets of (side, id); ids are text if those of one side are."""
    name_x, name_y = kinds if kinds[0] is kinds[1] else (str, str)
    graph = networkx.Graph()
    for a, b, least in links:
        if least <= level:
            graph.add_edge(("x", name_x(a)), ("x" if dedupe else "y", name_y(b)))
    return {frozenset(nodes) for nodes in networkx.connected_components(graph)}


def pairs_in(components, dedupe):
    if dedupe:
        return sum(len(nodes) * (len(nodes) - 1) // 2 for nodes in components)
    xs = [sum(side == "x" for side, _ in nodes) for nodes in components]
    return sum(x * (len(nodes) - x) for x, nodes in zip(xs, components, strict=True))


def clusters_in(con, table, dedupe):
    """The clusters of a table that `close_pairs` kept, as sets of (side, id)."""
    found = {}
    rows = con.rows(f"select x, cluster, is_x, is_y from {table}")
    for x, cluster, is_x, is_y in rows:
        assert (is_x, is_y) == (True, True) if dedupe else is_x is not is_y
        found.setdefault(cluster, set()).add(("x" if is_x else "y", x))
    assert len(rows) == sum(map(len, found.values()))
    return set(map(frozenset, found.values()))


def keep_pairs(con, table, links, kinds):
    types = [pa.int64() if kind is int else pa.string() for kind in kinds]
    columns = (
        pa.array([name(link[side]) for link in links], types[side])
        for side, name in enumerate(kinds)
    )
    pairs = pa.table(dict(zip("xy", columns, strict=True)))
    con.keep(table, f"select * from {con.open(pairs).scan}")


def check_thresholds(con, count, ids, dedupe, *, seed=26, only_new=False, levels=LEVELS):
    """Close graphs at all thresholds, each from the clusters before; return the clusters' numbers.

    `only_new`: a threshold's table has only the pairs that the stricter ones have not, and the
    clusters replace those before.
    """
    graphs = random_graphs(random.Random(seed), count)
    links, kinds = [link for graph in graphs for link in graph], KINDS[ids]
    before, sizes = None, []
    for level in levels:
        table, pairs = ("closed", "since") if only_new else (f"closed_{level}",) * 2
        new = [link for link in links if link[2] == level or (link[2] < level and not only_new)]
        keep_pairs(con, pairs, new, kinds)
        close_pairs(con, table, pairs, dedupe=dedupe, before=before)
        expected = by_networkx(links, level, dedupe, kinds)
        assert clusters_in(con, table, dedupe) == expected
        assert pairs_linked(con, table, dedupe) == pairs_in(expected, dedupe)
        before = table
        sizes.append(len(expected))
    return sizes
