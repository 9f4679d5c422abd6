"""`matchbound example`: write small tables to try matchbound on."""

import argparse
import shlex
from pathlib import Path

from matchbound.commands.options import add_force
from matchbound.commands.terminal import say
from matchbound.errors import InputError

EXAMPLE = "matchbound example people"
HELP = {
    "people": "two tables of customers, what two versions of a matcher found, and labels",
    "customers": "one table with duplicates, and what a matcher found",
    "networks": "two views of one network",
}
NEXT = {
    "people": "audit matches.csv --records crm.csv --against billing.csv --labels 300 "
    "--threshold 0.9 --pairs",
    "customers": "audit duplicates.csv --records customers.csv --labels 300 --threshold 0.9 "
    "--clusters",
    "networks": "draw members.csv --train 150 --link",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="; ".join(map(": ".join, HELP.items())))
    parser.add_argument(
        "--out", metavar="FOLDER", help="where to write the tables (default: this folder)"
    )
    parser.add_argument(
        "--answer",
        metavar="AUDIT",
        help="write no table, but AUDIT/labels.csv, from the truth that the example knows: it "
        "stands in for a person, who would use `matchbound label`",
    )
    add_force(parser)


def run(options: argparse.Namespace) -> int:
    if options.name not in HELP:
        raise InputError(
            f"name must be one of {', '.join(HELP)}, got {options.name!r}. Choose one."
        )
    if options.answer is None:
        _write(options.name, options.out or ".", options.force)
    elif options.out is not None:
        raise InputError(
            f"out must come without answer, got {options.out!r}: labels are written to the audit. "
            "Drop one of them."
        )
    else:
        _answer(options.name, options.answer, options.force)
    return 0


def _write(name: str, out: str, force: bool) -> None:
    from matchbound.examples import write_example

    paths = write_example(name, Path(out), force=force)
    say(f"Written: {', '.join(map(str, paths))}.")
    say("The people in them are made up, and nothing is real.")
    place = "" if out == "." else f"cd {shlex.quote(out)}; "
    say(f"Next: {place}matchbound {NEXT[name]} --out audit")


def _answer(name: str, audit: str, force: bool) -> None:
    from matchbound.examples import answer

    draw = answer(name, Path(audit), force=force)
    place = Path(audit) / "labels.csv"
    say(f"{len(draw.sample)} records are labelled in {place}, from the example's truth.")
    folder = shlex.quote(audit)
    say(f"This stands in for a person, who would run: matchbound label {folder}")
    if draw.labels:
        say(f"Next: matchbound certify {folder}")
