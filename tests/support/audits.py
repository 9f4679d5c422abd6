"""A small audit folder with everything in it, to break in tests."""

import csv
import io
import random
from unittest import mock

from matchbound.audits.draw import Draw
from matchbound.commands.main import main

NODES = 400


def write_csv(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    return path


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def make_inputs(folder, seed=1):
    """Population, holdout and complete matches; the truth: node i matches i, four in five do."""
    rng = random.Random(seed)
    folder.mkdir(exist_ok=True)
    nodes = [f"a{i}" for i in range(NODES)]
    truth = {x: f"b{i}" for i, x in enumerate(nodes) if i % 5}
    holdout, complete = [], []
    for i, x in enumerate(nodes):
        found = truth.get(x) if rng.random() < 0.95 else f"b{(i + 1) % NODES}"
        if found and rng.random() < 0.97:
            holdout.append((x, found))
            complete.append((x, found if rng.random() < 0.99 else f"b{(i + 2) % NODES}"))
    write_csv(folder / "people.csv", ["id"], [[x] for x in nodes])
    write_csv(folder / "holdout.csv", ["x", "y"], holdout)
    write_csv(folder / "complete.csv", ["x", "y"], complete)
    return truth


def make_audit(folder, *options, labels=120, train=60):
    """Inputs, a draw and its labels."""
    truth = make_inputs(folder)
    audit = folder / "audit"
    arguments = ["draw", folder / "people.csv", "--labels", labels, "--train", train]
    assert run_seeded("s", *arguments, "--out", audit, *options) == 0
    sample = Draw.load(audit).sample
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x, _, _ in sample])
    return audit


def run_seeded(seed, *arguments):
    """Run a draw whose seed matchbound makes, and makes the same each time."""
    with mock.patch("secrets.token_hex", return_value=seed):
        return run(*arguments)


def run(*arguments):
    return main([str(argument) for argument in arguments])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def certify(audit, *options):
    folder = audit.parent
    return run(
        "certify",
        audit,
        "--holdout",
        folder / "holdout.csv",
        "--complete",
        folder / "complete.csv",
        *options,
    )


def contents(folder):
    return {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
