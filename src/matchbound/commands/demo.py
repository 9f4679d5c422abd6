"""`matchbound demo`: a whole audit on two tables of made-up people, with a simple matcher."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matchbound.audits import PARTS, Draw, draw, labels
from matchbound.certificates import certify
from matchbound.commands.options import add_force
from matchbound.errors import InputError
from matchbound.examples import Matcher, Tables, learned, records_text, two_tables
from matchbound.files import csv_text, is_file, refuse_existing, remove, write_whole

EXAMPLE = "matchbound demo --out demo-audit"
Labels = Sequence[tuple[str, str | None]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", default="demo-audit", metavar="FOLDER", help="default: demo-audit")
    add_force(parser)


def run(options: argparse.Namespace) -> int:
    demo(Path(options.out), force=options.force)
    return 0


def match(matcher: Matcher, verified: Labels) -> list[tuple[str, str]]:
    """Match each record with its best candidate, if its score reaches a threshold.

    The fields' weights and the threshold are learnt from verified matches.
    """
    true = {(x, y) for x, y in verified if y is not None}
    scores = matcher.scores(learned(matcher, true))
    by_score = sorted(zip(scores.tolist(), matcher.pairs, strict=True))
    best = {x: (score, y) for score, (x, y) in by_score}
    labelled = {x for x, _ in verified} & best.keys()
    right = np.array([(x, best[x][1]) in true for x in labelled])
    reached = np.array([best[x][0] for x in labelled])
    threshold = max(
        np.quantile([score for score, _ in best.values()], np.linspace(0, 1, 200)),
        key=lambda least: _f1(right, reached >= least, len(true)),
    )
    return [(x, y) for x, (score, y) in sorted(best.items()) if score >= threshold]


def _f1(right: NDArray[np.bool_], kept: NDArray[np.bool_], true: int) -> float:
    return float(2 * (right & kept).sum() / max(kept.sum() + true, 1))


SEED = "demo"  # fixed, so that the demo's numbers are the same each time; its certificate says so


def demo(folder: Path, *, force: bool = False) -> None:
    """Draw and label D, and match; draw and label S, match again, and certify; print the truth."""
    names = ("people.csv", "others.csv", "holdout.csv", "complete.csv", "certificate.json")
    ours = [folder / name for name in (*PARTS, *names)]
    refuse_existing(ours, force)
    tables = two_tables(seed=2026, count=4000)
    matcher, people = Matcher(tables), records_text(tables.left)
    _refuse_audit(folder, people)
    for path in ours:
        remove(path)
    others = records_text(tables.right)
    write_whole({folder / "people.csv": people, folder / "others.csv": others}, force=force)

    print(draw(folder / "people.csv", train=300, seed=SEED, out=folder))
    _label(folder, tables)
    holdout = match(matcher, labels(folder, "train"))
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
    _label(folder, tables)
    complete = match(matcher, labels(folder, "all"))
    write_whole({folder / "complete.csv": csv_text(["x", "y"], complete)}, force=force)
    certificate = certify(
        folder,
        holdout=folder / "holdout.csv",
        complete=folder / "complete.csv",
        out=folder / "certificate.json",
    )
    print(certificate)
    right = sum(tables.truth.get(x) == (y,) for x, y in complete)
    true = sum(x in tables.truth for x in tables.left)
    print(
        f"The truth, which only this demo knows: precision {right / len(complete):.4f}, "
        f"recall {right / true:.4f}."
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


def _label(folder: Path, tables: Tables) -> None:
    """Verify the matches of all nodes drawn so far."""
    nodes = [node for node, _, _ in Draw.load(folder).sample]
    verified = [(x, y) for x in nodes for y in tables.truth.get(x, (None,))]
    write_whole({folder / "labels.csv": csv_text(["x", "y"], verified)}, force=True)
