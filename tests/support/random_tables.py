"""Random small tables of every form, loaded and counted by an engine."""

import itertools

import pyarrow as pa

from matchbound.audits.draw import join_orders
from matchbound.tables.forms import Clusters, Pairs
from matchbound.tables.predictions import read_ids, read_matches
from matchbound.tables.sides import Matching
from matchbound.tables.sources import open_source
from matchbound.tables.truth import read_labels
from matchbound.tallies.counts import count
from matchbound.tallies.loaded import Loaded

PLAIN = Pairs("x", "y")
TWO_TABLES, ONE_TABLE = Matching(), Matching(dedupe=True)
ROLES = ("holdout", "complete", "labels")
FORMS = [some for k in range(4) for some in itertools.combinations(ROLES, k)]


def table(pairs):
    xs, ys = zip(*pairs, strict=True) if pairs else ((), ())
    return pa.table({"x": pa.array(xs, pa.string()), "y": pa.array(ys, pa.string())})


def random_case(rng):
    xs, ys = [f"x{i}" for i in range(rng.randint(1, 12))], [f"y{i}" for i in range(6)]

    def matcher(chance):
        return {x: {y for y in ys if rng.random() < chance} for x in xs}

    truth, holdout = matcher(rng.choice([0.0, 0.1, 0.3])), matcher(rng.choice([0.1, 0.4]))
    complete = {x: set(found) for x, found in holdout.items()}
    for x in xs:
        for y in ys:
            if rng.random() < 0.2:
                complete[x] ^= {y}
    trained = rng.sample(xs, rng.randint(0, len(xs)))
    validated = rng.sample(xs, rng.randint(1, len(xs)))
    return xs, truth, holdout, complete, trained, validated


def pairs_of(matches, nodes=None):
    return [(x, y) for x in (matches if nodes is None else nodes) for y in sorted(matches[x])]


def load(con, name, matches, clusters, nodes, how, kind="string", also=()):
    """A matcher as pairs, or as the clusters that it is."""
    if clusters:
        together = {x: min({x, *matches[x]}) for x in nodes}
        given = pa.table({"id": list(together), "cluster": list(together.values())})
        source, form = open_source(con, name, given), Clusters("id", "cluster")
    else:
        source, form = open_source(con, name, table([*pairs_of(matches), *also])), PLAIN
    kinds = (kind, kind if how.dedupe else "string")
    read_matches(con, source, name, form, how, None, kinds)


def by_sql(
    con,
    xs,
    truth,
    holdout,
    complete,
    trained,
    validated,
    kind="string",
    also=(),
    *,
    how=TWO_TABLES,
    clusters=(),
    labelled=None,
    read=lambda tally: tally,
    **more,
):
    sample = join_orders(trained, validated)
    sure = [x for x, _, _ in sample if labelled is None or x in labelled]
    labels = pairs_of(truth, sure) + [(x, None) for x in sure if not truth[x]]
    population = open_source(con, "population", pa.table({"id": xs}))
    size = read_ids(con, population, "population", "id", kind)
    load(con, "holdout", holdout, "holdout" in clusters, xs, how, kind)
    if complete is not None:
        load(con, "complete", complete, "complete" in clusters, xs, how, kind, also)
    if "labels" in clusters:
        together = {x: min({x, *truth[x]}) for x in xs}
        given = pa.table({"id": list(together), "cluster": list(together.values())})
        read_labels(con, open_source(con, "labels", given), Clusters("id", "cluster"), how)
    else:
        read_labels(con, open_source(con, "labels", table(labels)), PLAIN, how)
    loaded = Loaded(
        size,
        sample,
        kinds=(kind, kind if how.dedupe else "string"),
        clusters=frozenset(clusters),
        complete=complete is not None,
        dedupe=how.dedupe,
        **more,
    )
    return count(con, loaded, "refuse" if labelled is None else "worst", read)


def equivalence(rng, nodes):
    cluster = {x: rng.randrange(rng.choice([2, 4, 9])) for x in nodes}
    return {x: {y for y in nodes if y != x and cluster[y] == cluster[x]} for x in nodes}


def symmetric(rng, nodes, chance, start=None):
    """Pairs at random, or those of `start` with some changed."""
    found = {x: set(start[x] if start else ()) for x in nodes}
    for x, y in itertools.combinations(nodes, 2):
        if rng.random() < chance:
            found[x] ^= {y}
            found[y] ^= {x}
    return found


def one_table(rng, clusters):
    nodes = [str(i) for i in range(rng.randint(2, 14))]

    def relation(name, start=None):
        if name in clusters:
            return equivalence(rng, nodes)
        if start is not None:
            return symmetric(rng, nodes, 0.2, start)
        return symmetric(rng, nodes, rng.choice([0.1, 0.3]))

    truth = relation("labels")
    holdout = relation("holdout", truth if rng.random() < 0.7 else None)
    complete = relation("complete", holdout if rng.random() < 0.7 else None)
    trained = rng.sample(nodes, rng.randint(0, len(nodes) // 2))
    validated = rng.sample(nodes, rng.randint(1, len(nodes)))
    return nodes, truth, holdout, complete, trained, validated
