"""`matchbound patch`: write the holdout matcher's matches with the labels over them."""

import argparse

from matchbound.commands.options import add_clusters, add_columns, add_force, add_threshold, columns
from matchbound.commands.terminal import progress, say

EXAMPLE = "matchbound patch audit --holdout matches.csv --out patched.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "audit", metavar="AUDIT", help="the folder that audit or draw wrote, with labels.csv in it"
    )
    parser.add_argument(
        "--holdout", required=True, metavar="H", help="matches of the holdout matcher"
    )
    add_threshold(parser)
    add_clusters(parser)
    add_columns(parser)
    parser.add_argument("--labels", metavar="FILE", help="default: AUDIT/labels.csv")
    parser.add_argument("--population", metavar="P", help="where it is now, if it was moved")
    parser.add_argument("--out", required=True, metavar="FILE", help="CSV or Parquet to write")
    add_force(parser)


def run(options: argparse.Namespace) -> int:
    from matchbound.certificates.patch import patch

    written = patch(
        options.audit,
        holdout=options.holdout,
        out=options.out,
        labels=options.labels,
        threshold=options.threshold,
        columns=columns(options.columns),
        clusters=options.clusters,
        population=options.population,
        force=options.force,
        progress=progress,
    )
    say(written)
    return 0
