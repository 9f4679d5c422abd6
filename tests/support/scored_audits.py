"""Audits of matchers that give scores."""

import random

from matchbound.audits.draw import Draw
from support.audits import NODES, run, run_seeded, write_csv


def make_scored(folder, seed=1):
    """As the other audits, with scores: the higher, the more often right."""
    rng = random.Random(seed)
    folder.mkdir(exist_ok=True)
    nodes = [f"a{i}" for i in range(NODES)]
    truth = {x: f"b{i}" for i, x in enumerate(nodes) if i % 5}
    tables = {"holdout": [], "complete": []}
    for i, x in enumerate(nodes):
        score = round(rng.uniform(0.3, 1), 3)
        right = rng.random() < 0.4 + 0.6 * score
        found = truth.get(x, f"b{(i + 3) % NODES}") if right else f"b{(i + 1) % NODES}"
        tables["holdout"].append((x, found, score))
        if rng.random() < 0.99:
            tables["complete"].append((x, found, min(1, score + 0.01 * (rng.random() < 0.1))))
    write_csv(folder / "people.csv", ["id"], [[x] for x in nodes])
    for name, rows in tables.items():
        write_csv(folder / f"{name}.csv", ["x", "y", "score"], rows)
    return truth, tables


def audit_of(folder, *options, labels=120, train=40):
    """Inputs with scores, a draw and its labels."""
    truth, tables = make_scored(folder)
    audit = folder / "audit"
    given = ["--labels", labels] if labels else []
    draw = ["draw", folder / "people.csv", *given, "--train", train]
    assert run_seeded("s", *draw, "--out", audit, *options) == 0
    label(audit, truth)
    return audit, truth, tables


def label(audit, truth, count=None):
    sample = [x for x, _, _ in Draw.load(audit).sample][:count]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in sample])


def certify(audit, *options, complete=True):
    folder = audit.parent
    both = ["--complete", folder / "complete.csv"] if complete else []
    return run("certify", audit, "--holdout", folder / "holdout.csv", *both, *options)
