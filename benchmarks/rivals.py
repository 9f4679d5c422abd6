"""What other tools say of a matcher, beside matchbound and the truth (needs ../shared).

In the development environment:

    pip install er-evaluation==2.3.0 goldenmatch==3.22.0
    python benchmarks/rivals.py

Prints the tables of docs/rivals.md: 500 seeded draws a column. Before that, the fast forms of the
tools' formulas are compared with the tools themselves in three draws of each setting. `again`
prints the other numbers of that page: limits that were near to 5%, and why some are far from it.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import hypergeom

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from matchbound import Choices
from matchbound.theorems.guarantees import guarantees
from support import rival_tools
from support.rival_draws import LABELS, SETTINGS, STRATUM, Setting, bound_of, table
from support.rivals import ONE_SIDED, audit_bound, load, splink_chart, wilson_lower

CHECKED = 3


def check(setting: Setting) -> None:
    """Compare draws with the tools themselves; fail where they differ."""
    m = setting.matching
    for number in range(CHECKED):
        rng = np.random.default_rng(number)
        records = rng.permutation(m.population)[:LABELS]
        places = setting.sampled_entities(records, rng)
        theirs = rival_tools.er_evaluation_itself(m.entities, m.clusters, places, setting.weights)
        for metric, ours in setting.by_entity.estimates(places, setting.weights):
            rival_tools.assert_same_estimate(ours, theirs[metric])
        if m.candidates is not None:
            audit = setting.audit(rng)
            theirs = rival_tools.goldenmatch_bound(*audit)
            np.testing.assert_allclose(audit_bound(*audit), theirs, rtol=1e-9)
        if setting.matcher == "splink":
            for _, labelled in setting.labelled_for_splink(records, rng):
                theirs = rival_tools.splink_itself(setting.name, m, labelled)
                np.testing.assert_allclose(splink_chart(m, labelled), theirs, rtol=1e-9)


def main() -> None:
    columns = {}
    for (name, matcher), title in SETTINGS.items():
        if matcher == "goldenmatch":
            matching, estimate, truth = rival_tools.goldenmatch_run(name)
            print(f"{title}, without labels: {estimate:.3f}; the truth of that {truth:.3f}")
        else:
            matching = load(name, matcher)
        setting = Setting(name, matcher, matching)
        check(setting)
        print(f"{title}: the tools give the same in {CHECKED} draws", flush=True)
        if matching.candidates is not None:
            print(f"{title}: goldenmatch's stratum C warns in {100 * setting.warned:.1f}% of draws")
            known = matching.is_right(matching.candidates).sum() / len(matching.truth)
            print(f"{title}: {100 * known:.0f}% of the true pairs are candidates")
        columns[title] = setting.column()
    print("", *table(columns), sep="\n")


def again(draws: int = 20_000) -> None:
    """matchbound's by more draws, with other seeds; Wilson's and goldenmatch's exactly; reasons."""
    matching, bounds, above = load("dblp_acm", "splink"), {}, 0
    counts = np.stack([matching.counts.h, matching.counts.t, matching.counts.ht], axis=1)
    for number in range(draws):
        records = np.random.default_rng([77, number]).permutation(matching.population)[:LABELS]
        key = tuple(sorted(map(tuple, counts[records].tolist())))
        if key not in bounds:  # with one true match a record, their order does not matter
            bounds[key] = bound_of(matching, "recall", records.tolist())
        above += bounds[key] > matching.values["recall"] + 1e-9
    print(f"DBLP–ACM, Splink, matchbound's recall: {100 * above / draws:.1f}% of {draws} draws")
    matching, *_ = rival_tools.goldenmatch_run("chicago_childcare")
    chances = dict(chances_of(matching, matching.links, LABELS))
    truth = matching.values["precision"]
    exact = sum(p for k, p in chances.items() if wilson_lower(k, LABELS) > truth)
    print(f"Chicago, goldenmatch, Wilson's limit: {100 * exact:.1f}%, exactly")
    matching = load("febrl4", "splink")
    below = matching.candidates[
        ~np.isin(matching.keys(matching.candidates), matching.keys(matching.links))
    ]
    exact = sum(
        p * q
        for k, p in chances_of(matching, matching.links, STRATUM)
        for m, q in chances_of(matching, below, STRATUM)
        if p * q > 0
        and audit_bound(len(matching.links), len(below), (k, STRATUM), (m, STRATUM))[1]
        > matching.values["recall"]
    )
    print(f"FEBRL 4, Splink, goldenmatch's bound: {100 * exact:.1f}%, exactly")
    why_limits_are_false("chicago_childcare", "dedupe", "precision")
    why_limits_are_false("febrl4", "splink", "recall")
    for name, most in (("chicago_childcare", 17), ("restaurants", 1)):
        with_a_promise(name, most)


def why_limits_are_false(name, matcher, metric, draws=5_000) -> None:
    """Of er-evaluation's: samples without an error, or small deviations of high estimates."""
    setting = Setting(name, matcher, load(name, matcher))
    rows = []
    for number in range(draws):
        rng = np.random.default_rng([5, number])
        records = rng.permutation(setting.matching.population)[:LABELS]
        places = setting.sampled_entities(records, rng)
        rows.append(dict(setting.by_entity.estimates(places, setting.weights))[metric])
    value, deviation = np.nan_to_num(np.array(rows)).T
    false = value - ONE_SIDED * deviation > setting.by_entity.values[metric] + 1e-9
    print(
        f"{SETTINGS[name, matcher]}, er-evaluation's {metric}: {100 * false.mean():.1f}% of {draws}"
        f" draws; deviation 0 in {100 * (deviation[false] < 1e-6).mean():.0f}% of these; "
        f"correlation of estimate and deviation {np.corrcoef(value, deviation)[0, 1]:.2f}"
    )


def with_a_promise(name, most, draws=500) -> None:
    """matchbound's recall if the greatest number of true matches is promised."""
    matching, bounds = load(name, "dedupe"), []
    for number in range(draws):
        records = np.random.default_rng([9, number]).permutation(matching.population)[:LABELS]
        tally = matching.counts.tally([], records.tolist())
        choices = Choices(metrics=("pairwise-recall",), most_true_matches=most)
        bounds += [g.value for g in guarantees({"all": tally}, choices, complete=False)]
    above = np.mean(np.array(bounds) > matching.values["recall"] + 1e-9)
    print(f"{name}, at most {most} promised: {np.mean(bounds):.3f} ({100 * above:.1f}%)")


def chances_of(matching, pairs, size):
    """Each possible number of true pairs in a sample of this size, and its probability."""
    right = int(matching.is_right(pairs).sum())
    for k in range(size + 1):
        yield k, float(hypergeom.pmf(k, len(pairs), right, size))


if __name__ == "__main__":
    again() if sys.argv[1:] == ["again"] else main()
