"""Random small tables of every form, loaded and counted by an engine."""

import itertools
from collections import Counter
from contextlib import suppress
from fractions import Fraction

import pyarrow as pa

from matchbound import AssumptionError, Choices, Tally
from matchbound.audits.draw import join_orders
from matchbound.tables.forms import Clusters, Pairs
from matchbound.tables.inputs import open_source
from matchbound.tables.population import read_population
from matchbound.tables.predictions import read_matches
from matchbound.tables.sides import Matching
from matchbound.tables.truth import read_labels
from matchbound.tallies.counts import count
from matchbound.tallies.loaded import Loaded
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.possible import possible
from support.oracles import tally_by_sets

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
    within=None,
    **more,
):
    """Count a case as the package does; `within` are the nodes of the part that is certified."""
    sample = join_orders(trained, validated)
    sure = [x for x, _, _ in sample if labelled is None or x in labelled]
    labels = pairs_of(truth, sure) + [(x, None) for x in sure if not truth[x]]
    population = open_source(con, "population", pa.table({"id": xs}))
    part = None if within is None else open_source(con, "within", pa.table({"id": within}))
    size = read_population(con, population, None, kind, within=part)
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
        **{"in_part": within is not None} | more,
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


def groups(rng, runs):
    """`runs` populations, in groups that are loaded alike: two tables, or one with itself."""
    forms = [None, *FORMS]
    for form in forms:
        cases = [
            random_case(rng) if form is None else one_table(rng, form)
            for _ in range(-(-runs // len(forms)))
        ]
        how = {"how": TWO_TABLES} if form is None else {"how": ONE_TABLE, "clusters": form}
        yield cases, how


def joined(cases):
    """Many populations as one: every id begins with its population's number."""
    whole = [], {}, {}, {}, [], []
    for i, case in enumerate(cases):
        for part, given in zip(whole, case, strict=True):
            if isinstance(part, list):
                part += [f"{i}-{x}" for x in given]
            else:
                part |= {f"{i}-{x}": {f"{i}-{y}" for y in found} for x, found in given.items()}
    return whole


def parted(tally, trained, validated, size):
    """The tallies of the populations that were joined, all of whose nodes are labelled."""
    parts = [([], []) for _ in range(size)]
    for place, nodes, labels in ((0, trained, tally.train), (1, validated, tally.validation)):
        for x, label in zip(nodes, labels, strict=True):
            parts[int(x[: x.index("-")])][place].append(label)
    return [Tally(len(d) + len(s), tuple(d), tuple(s), (), ()) for d, s in parts]


def metrics_by_sets(nodes, truth, found, dedupe):
    """Metrics of a matcher, from sets of pairs and of cluster members; None where undefined."""
    true, linked = ({(x, y) for x in nodes for y in each[x]} for each in (truth, found))
    right = true & linked
    whole = [({x} | found[x], {x} | truth[x]) for x in nodes] if dedupe else []
    return {
        "precision": _mean([(found[x] & truth[x], found[x]) for x in nodes if found[x]]),
        "recall": _mean([(found[x] & truth[x], truth[x]) for x in nodes if truth[x]]),
        "error-rate": Fraction(sum(found[x] != truth[x] for x in nodes), len(nodes)),
        "pairwise-precision": Fraction(len(right), len(linked)) if linked else None,
        "pairwise-recall": Fraction(len(right), len(true)) if true else None,
        "pairwise-f1": _harmonic(len(right), len(linked), len(true)),
        "b3-precision": _mean([(cluster & entity, cluster) for cluster, entity in whole]),
        "b3-recall": _mean([(cluster & entity, entity) for cluster, entity in whole]),
    }


def _mean(shares):
    each = [Fraction(len(part), len(whole)) for part, whole in shares]
    return sum(each, Fraction(0)) / len(each) if each else None


def _harmonic(right, linked, true):
    """Of precision and recall; 0 if nothing is right, none if there is nothing at all."""
    if not right:
        return Fraction(0) if linked or true else None
    precision, recall = Fraction(right, linked), Fraction(right, true)
    return 2 * precision * recall / (precision + recall)


def drawn_within(rng, case):
    """The same case with its draws in a part of the nodes, and the part."""
    nodes, *tables, trained, validated = case
    part = [x for x in nodes if rng.random() < 0.6] or nodes[:1]
    trained, validated = ([x for x in some if x in part] for some in (trained, validated))
    return (nodes, *tables, trained, validated or part[:1]), part


def check_all_metrics(con, cases, given, parts=None):
    """Count the cases as drawn, and once more with everything labelled; return what was compared.

    The counts are those of sets, and so are both ends of what the labels leave possible, and the
    guarantees. `parts` are the nodes of each case that are certified, if not all are.
    """
    whole, dedupe = joined(cases), given["how"].dedupe
    nodes, *tables, trained, validated = whole
    certified = nodes
    if parts is not None:
        certified = [f"{i}-{x}" for i, part in enumerate(parts) for x in part]
        given = given | {"within": certified}
    by_sets = tally_by_sets(certified, *tables, trained, validated, dedupe=dedupe)
    assert by_sql(con, *whole, **given) == by_sets
    others = list(dict.fromkeys(x for x in (*validated, *certified) if x not in {*trained}))
    tally = by_sql(con, nodes, *tables, trained, others, **given)
    assert tally == tally_by_sets(certified, *tables, trained, others, dedupe=dedupe)
    compared = Counter()
    every = parted(tally, trained, others, len(cases))
    for i, (case, each) in enumerate(zip(cases, every, strict=True)):
        compared.update(_compare(each, case if parts is None else (parts[i], *case[1:]), dedupe))
    return compared


def _compare(tally, case, dedupe):
    """The metrics of a fully labelled tally that are those of sets."""
    nodes, truth, _, complete, _, _ = case
    limit = max(1, *(len(truth[x]) for x in nodes))
    for name, value in metrics_by_sets(nodes, truth, complete, dedupe).items():
        if value is None:
            continue
        choices = Choices(0.3, (name,), most_true_matches=limit)
        low, high = possible(METRICS[name], tally, choices.design(name))
        assert low == high == value, name
        with suppress(AssumptionError):  # one matcher finds nothing
            (found,) = guarantees({"all": tally}, choices, complete=True)
            assert abs(Fraction(found.value) - value) < Fraction(1, 10**6), name
            yield name
