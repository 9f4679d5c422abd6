"""What other tools say of a matcher, beside matchbound and the truth (needs ../shared).

In the development environment:

    pip install er-evaluation==2.3.0 goldenmatch==3.22.0
    python benchmarks/rivals.py

Prints the tables of docs/rivals.md: 500 seeded draws a column. Before that, the fast forms of the
tools' formulas are compared with the tools themselves in three draws of each setting. `again` is
about matchbound alone: the bound that was above the truth most often, in 20,000 draws.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import rival_tools
from support.rival_draws import LABELS, SETTINGS, Setting, bound_of, table
from support.rivals import audit_bound, load, splink_chart

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
        columns[title] = setting.column()
    print("", *table(columns), sep="\n")


def again(draws: int = 20_000) -> None:
    """Of one true match a record, the bound depends on the counts alone: compute each once."""
    matching, bounds, above = load("dblp_acm", "splink"), {}, 0
    counts = np.stack([matching.counts.h, matching.counts.t, matching.counts.ht], axis=1)
    for number in range(draws):
        records = np.random.default_rng([77, number]).permutation(matching.population)[:LABELS]
        key = tuple(sorted(map(tuple, counts[records].tolist())))
        if key not in bounds:
            bounds[key] = bound_of(matching, "recall", records.tolist())
        above += bounds[key] > matching.values["recall"] + 1e-9
    print(f"DBLP–ACM, Splink, recall: above the truth in {above} of {draws} draws")


if __name__ == "__main__":
    again() if sys.argv[1:] == ["again"] else main()
