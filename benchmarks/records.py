"""`match` on records with known truth: how good it is, and certified (needs ../shared)."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.record_audits import RecordSet

SETS = ("dblp_acm", "febrl4", "chicago_childcare", "fake_1000", "restaurants")
METRICS = {
    "dblp_acm": ("precision", "recall"),
    "chicago_childcare": ("precision", "recall", "pairwise-precision", "pairwise-recall"),
}


def quality(draws=3, sizes=(50, 100, 200, 400)):
    print("precision / recall / F1 of pairs, those of labelled nodes left out")
    for name in SETS:
        data = RecordSet(name)
        one_to_one = (True, False) if data.is_link or name == "restaurants" else (False,)
        cases = [(size, data.draw(seed, size)) for size in sizes for seed in range(draws)]
        if name in ("chicago_childcare", "fake_1000"):
            cases.append(("rl_logreg's D", data.drawn()))
        for size, nodes in cases:
            for once in one_to_one:
                matches = data.matches(data.labels(nodes), one_to_one=once)
                values = data.without(nodes, matches.pairs())
                how = "one-to-one" if once else ""
                print(f"  {name:18} {size:>13} {how:10} {' / '.join(f'{v:.4f}' for v in values)}")


def certified(draws=100, labels=400, train=400):
    print(f"withhold, {labels} nodes to validate on and {train} to train on, {draws} draws")
    for name, metrics in METRICS.items():
        data = RecordSet(name)
        runs = [data.withhold(str(seed), labels, train, metrics=metrics) for seed in range(draws)]
        broken = sum(any(bound > true for bound, true in run.values()) for run in runs)
        print(f"  {name}: a bound above the truth in {broken} of {draws} draws, delta 0.05")
        for metric in metrics:
            bound, true = np.array([run[metric] for run in runs]).mean(axis=0)
            over = sum(run[metric][0] > run[metric][1] for run in runs)
            print(f"    {metric:20} bound {bound:.4f}, truth {true:.4f}, above it {over}")


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["quality", "certified"]
    for word in chosen:
        {"quality": quality, "certified": certified}[word]()
