"""`matchbound register`: put a holdout matcher on record before validation labels exist."""

import argparse

from matchbound.commands.options import (
    add_clusters,
    add_columns,
    add_holdout,
    add_threshold,
    by_algorithm,
    columns,
)
from matchbound.commands.terminal import say

EXAMPLE = "matchbound register audit --holdout matches.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that draw wrote")
    add_holdout(parser)
    add_threshold(parser)
    add_clusters(parser)
    add_columns(parser)


def run(options: argparse.Namespace) -> int:
    from matchbound.audits.registry import register

    labelled = register(
        options.audit,
        holdout=by_algorithm(options.holdout),
        threshold=options.threshold,
        columns=columns(options.columns),
        clusters=options.clusters,
    )
    late = f"{labelled} validation nodes have labels already, so no certificate can say that it was"
    when = f"{late} on record before them" if labelled else "no label is in yet"
    say(f"The holdout matcher is on record; {when}.")
    return 0
