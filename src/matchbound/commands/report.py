"""`matchbound report`: write a certificate as a page."""

import argparse

from matchbound.commands.options import add_force, by_metric
from matchbound.commands.terminal import say

EXAMPLE = "matchbound report audit --target precision=0.95"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target_file", metavar="AUDIT", help="an audit folder, or a certificate.json"
    )
    parser.add_argument("-o", "--out", metavar="FILE", help="default: AUDIT/report.html")
    parser.add_argument(
        "--target",
        action="append",
        metavar="METRIC=VALUE",
        help="what is wanted, drawn beside the bounds; repeatable",
    )
    add_force(parser)


def run(options: argparse.Namespace) -> int:
    from matchbound.reports.report import write_report

    targets = by_metric(options.target, "target")
    out = write_report(options.target_file, options.out, targets=targets, force=options.force)
    say(f"The report is in {out}.")
    return 0
