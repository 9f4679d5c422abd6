"""`matchbound label`: verify the drawn records' matches on a local page."""

import argparse

from matchbound.commands.options import add_clusters, add_columns, add_threshold, by_metric, columns
from matchbound.commands.terminal import say

EXAMPLE = "matchbound label audit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that audit or draw wrote")
    parser.add_argument(
        "--records", metavar="LEFT", help="the population, with fields to show (default: as before)"
    )
    parser.add_argument(
        "--against", metavar="RIGHT", help="the table it is matched with (default: as before)"
    )
    parser.add_argument("--candidates", metavar="PAIRS", help="pairs to be looked at, or clusters")
    parser.add_argument("--guidelines", metavar="FILE", help="rules to label by (Markdown)")
    parser.add_argument("--id", metavar="COLUMN", help="the column of ids in RIGHT (default: id)")
    parser.add_argument(
        "--twice", type=int, default=0, metavar="N", help="give the first N records to two people"
    )
    parser.add_argument(
        "--no-browser", dest="browser", action="store_false", help="only print the address"
    )
    _add_live(parser)
    _add_serving(parser)


def _add_live(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("live bounds of an anytime draw")
    group.add_argument("--holdout", metavar="H", help="matches of the matcher on record")
    group.add_argument("--population", metavar="FILE", help="if neither LEFT nor where it was")
    add_threshold(group)
    add_clusters(group)
    add_columns(group)
    group.add_argument(
        "--target", action="append", metavar="METRIC=VALUE", help="bound at which one may stop"
    )


def _add_serving(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the page's address")
    group.add_argument(
        "--listen", default="127.0.0.1", metavar="ADDRESS", help="(default: this machine alone)"
    )
    group.add_argument("--port", type=int, default=0, metavar="P", help="(default: any free one)")
    group.add_argument(
        "--labellers",
        metavar="NAMES",
        help="such as ana,ben: an address for each; with --listen, nobody else comes in",
    )
    group.add_argument("--tls-cert", metavar="FILE", help="certificate (PEM), for https")
    group.add_argument("--tls-key", metavar="FILE", help="its key (PEM, without a passphrase)")


def run(options: argparse.Namespace) -> int:
    from matchbound.desk.door import Door
    from matchbound.desk.inputs import Inputs
    from matchbound.desk.server import label

    inputs = Inputs(
        options.records,
        options.against,
        options.candidates,
        options.holdout,
        options.threshold,
        columns(options.columns),
        options.clusters,
        options.population,
        options.id,
        by_metric(options.target, "target"),
        guidelines=options.guidelines,
    )
    names = options.labellers
    door = Door(
        options.listen,
        options.port,
        () if names is None else tuple(names.split(",")),
        options.tls_cert,
        options.tls_key,
    )
    summary = label(
        options.audit,
        inputs,
        twice=options.twice,
        door=door,
        browser=options.browser,
        say=say,
    )
    say(summary)
    return 0
