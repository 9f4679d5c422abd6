"""`matchbound demo`: a whole audit on two noisy copies of a population, with a simple matcher."""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matchbound.audits import PARTS, Draw, draw, labels
from matchbound.certificates import certify
from matchbound.commands.options import add_force
from matchbound.errors import InputError
from matchbound.files import csv_text, is_file, refuse_existing, remove, write_whole

PEOPLE, FIELDS, VALUES = 4000, 6, 25
ERRORS = np.array([0.03, 0.05, 0.08, 0.12, 0.15, 0.2])  # how often a field is garbled in a copy
BLOCKS = [(0, 1), (2, 3), (4, 5), (0, 2)]  # pairs that agree on one of these are compared
EXAMPLE = "matchbound demo --out demo-audit"
Labels = Sequence[tuple[str, str | None]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", default="demo-audit", metavar="FOLDER", help="default: demo-audit")
    add_force(parser)


def run(options: argparse.Namespace) -> int:
    demo(Path(options.out), force=options.force)
    return 0


class World:
    """Left and right records, and the true matches, which only the demo has."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        people = rng.integers(VALUES, size=(PEOPLE, FIELDS))
        self.left = self._seen(rng, people)
        right = rng.permutation(PEOPLE)[: PEOPLE * 4 // 5]
        unmatched = rng.integers(VALUES, size=(PEOPLE // 5, FIELDS))
        self.right = self._seen(rng, np.concatenate([people[right], unmatched]))
        self.truth = {f"L{person}": f"R{row}" for row, person in enumerate(right)}

    @staticmethod
    def _seen(rng: np.random.Generator, people: NDArray[np.int64]) -> NDArray[np.int64]:
        """A noisy copy of people's fields."""
        garbled = rng.random(people.shape) < ERRORS / 2
        return np.where(garbled, rng.integers(VALUES, size=people.shape), people)

    def candidates(self) -> NDArray[np.int64]:
        """Pairs of rows that agree on a block."""
        pairs: set[tuple[int, int]] = set()
        for fields in BLOCKS:
            rows = defaultdict(list)
            for row, key in enumerate(map(tuple, self.right[:, fields])):
                rows[key].append(row)
            for left, key in enumerate(map(tuple, self.left[:, fields])):
                pairs.update((left, right) for right in rows[key])
        return np.array(sorted(pairs))


def match(world: World, verified: Labels) -> list[tuple[str, str]]:
    """Match each left record with its best candidate, if its score reaches a threshold.

    The fields' weights and the threshold are learnt from verified matches.
    """
    rows = world.candidates()
    agree = world.left[rows[:, 0]] == world.right[rows[:, 1]]
    true = {(int(x[1:]), int(y[1:])) for x, y in verified if y is not None}
    is_match = np.array([(left, right) in true for left, right in rows.tolist()])
    share = (agree[is_match].sum(axis=0) + 1) / (is_match.sum() + 2)
    scores = agree @ np.log(share * VALUES) + ~agree @ np.log1p(-share)
    order = np.lexsort((scores, rows[:, 0]))
    is_last = np.append(np.diff(rows[order, 0]) > 0, True)
    best = order[is_last]
    labelled = np.isin(rows[best, 0], [int(x[1:]) for x, _ in verified])
    right = is_match[best]
    threshold = max(
        np.quantile(scores[best], np.linspace(0, 1, 200)),
        key=lambda t: _f1(right[labelled], scores[best][labelled] >= t, len(true)),
    )
    return [(f"L{a}", f"R{b}") for a, b in rows[best][scores[best] >= threshold].tolist()]


def _f1(right: NDArray[np.bool_], kept: NDArray[np.bool_], true: int) -> float:
    return float(2 * (right & kept).sum() / max(kept.sum() + true, 1))


SEED = "demo"  # fixed, so that the demo's numbers are the same each time; its certificate says so


def demo(folder: Path, *, force: bool = False) -> None:
    """Draw and label D, and match; draw and label S, match again, and certify; print the truth."""
    names = ("people.csv", "holdout.csv", "complete.csv", "certificate.json")
    ours = [folder / name for name in (*PARTS, *names)]
    refuse_existing(ours, force)
    people = csv_text(["id"], [[f"L{row}"] for row in range(PEOPLE)])
    _refuse_audit(folder, people)
    for path in ours:
        remove(path)
    world = World(seed=2026)
    write_whole({folder / "people.csv": people}, force=force)

    print(draw(folder / "people.csv", train=300, seed=SEED, out=folder))
    _label(folder, world)
    holdout = match(world, labels(folder, "train"))
    write_whole({folder / "holdout.csv": csv_text(["x", "y"], holdout)}, force=force)

    print(
        draw(
            folder / "people.csv",
            labels=600,
            holdout=folder / "holdout.csv",
            one_to_one=True,
            seed=SEED,
            out=folder,
        )
    )
    _label(folder, world)
    complete = match(world, labels(folder, "all"))
    write_whole({folder / "complete.csv": csv_text(["x", "y"], complete)}, force=force)
    certificate = certify(
        folder,
        holdout=folder / "holdout.csv",
        complete=folder / "complete.csv",
        out=folder / "certificate.json",
    )
    print(certificate)
    right = sum(world.truth.get(x) == y for x, y in complete)
    print(
        f"The truth, which only this demo knows: precision {right / len(complete):.4f}, "
        f"recall {right / len(world.truth):.4f}."
    )
    print(f"Everything is in {folder}; check it with: matchbound verify {folder}")


def _refuse_audit(folder: Path, people: str) -> None:
    """Refuse a folder with an audit of something else, even if forced."""
    path = folder / "people.csv"
    is_demo = is_file(path) and path.read_bytes() == people.encode()
    if not is_demo and is_file(folder / "ledger.jsonl"):
        raise InputError(
            f"out must be a new folder or that of an earlier demo, got {str(folder)!r}, an audit. "
            "Choose another place."
        )


def _label(folder: Path, world: "World") -> None:
    """Verify the matches of all nodes drawn so far."""
    nodes = [node for node, _, _ in Draw.load(folder).sample]
    verified = [(x, world.truth.get(x)) for x in nodes]
    write_whole({folder / "labels.csv": csv_text(["x", "y"], verified)}, force=True)
