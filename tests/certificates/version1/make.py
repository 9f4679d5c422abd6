"""Make the certificates beside this file, with the matchbound of commit 27645bb.

    git worktree add ELSEWHERE 27645bb
    cd tests/certificates/version1 && PYTHONPATH=ELSEWHERE/src python make.py

Paths in certificates are relative, so that they hold no machine's. A certificate of labels brought
along bets, because nodes have several matches.
"""

import csv
import random
import shutil
from pathlib import Path

import matchbound as mb

NODES = 150


def main():
    for kind, options in {
        "drawn": {"one_to_one": True, "metrics": ("precision", "recall", "error-rate")},
        "anytime": {"bound": "anytime", "guesses": {"precision": 0.9}},
        "bands": {"bands": (0.5, 0.8), "delta": 0.1},
        "gap": {"gap": 60, "at_most_one_match": True, "one_to_one": True},
        "explored": {"one_to_one": True},
        "threshold": {"choose_threshold": {"precision": 0.6}, "candidates": (0.8, 0.5)},
    }.items():
        shutil.rmtree(kind, ignore_errors=True)
        several = kind == "anytime"
        truth = inputs(Path(kind), several=several, scored=kind in ("bands", "threshold"))
        audit = f"{kind}/audit"
        mb.draw(f"{kind}/people.csv", labels=60, train=20, seed="s", **options).save(audit)
        if kind in ("drawn", "bands"):
            mb.register(audit, holdout=f"{kind}/holdout.csv")
        nodes = [x for x, _, _ in mb.Draw.load(audit).sample]
        label(f"{audit}/labels.csv", nodes, truth)
        matchers = {"holdout": f"{kind}/holdout.csv", "complete": f"{kind}/complete.csv"}
        if kind == "explored":  # another matcher is looked at first, and this one then picked
            mb.certify(audit, holdout=f"{kind}/complete.csv", delta=0.2)
        certificate = mb.certify(audit, **matchers)
        certificate.save(f"{audit}/certificate.json")
    shutil.rmtree("brought", ignore_errors=True)
    truth = inputs(Path("brought"), several=True)
    nodes = random.Random(3).sample(sorted(truth), 60)
    label("brought/labels.csv", nodes, truth)
    rows("brought/trained.csv", ["x"], [[x] for x in nodes[:15]])
    certificate = mb.certify(
        population="brought/people.csv",
        labels="brought/labels.csv",
        trained_on="brought/trained.csv",
        holdout="brought/holdout.csv",
        complete="brought/complete.csv",
        assume_uniform=True,
        metrics=("precision", "recall", "error-rate"),
    )
    certificate.save("brought/certificate.json")


def inputs(folder, several=False, scored=False):
    """Population and two matchers; the true matches of each node."""
    rng = random.Random(1)
    folder.mkdir(parents=True)
    truth, matches = {}, {"holdout": [], "complete": []}
    for i in range(NODES):
        many = (0, 1, 1, 2, 3) if several else (0, 1, 1, 1)
        truth[f"a{i}"] = [f"b{i}-{j}" for j in range(rng.choice(many))]
        for y in truth[f"a{i}"]:
            found = y if rng.random() < 0.95 else f"{y}x"
            score = [round(0.5 + rng.random() / 2, 2)] if scored else []
            if rng.random() < 0.95:
                matches["holdout"].append([f"a{i}", found, *score])
                if rng.random() < 0.98:
                    matches["complete"].append([f"a{i}", found, *score])
    rows(folder / "people.csv", ["id"], [[x] for x in truth])
    for name, pairs in matches.items():
        rows(folder / f"{name}.csv", ["x", "y", *(["score"] if scored else [])], pairs)
    return truth


def label(path, nodes, truth):
    rows(path, ["x", "y"], [[x, y] for x in nodes for y in truth[x] or [""]])


def rows(path, header, lines):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *lines])


if __name__ == "__main__":
    main()
