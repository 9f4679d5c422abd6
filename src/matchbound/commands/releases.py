"""`matchbound releases`: list what each release certifies, and what room is left."""

import argparse

from matchbound.commands.options import by_metric
from matchbound.commands.terminal import say

EXAMPLE = "matchbound releases audit --target precision=0.95"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that audit or draw wrote")
    parser.add_argument(
        "--target",
        action="append",
        metavar="METRIC=VALUE",
        help="say which releases have it, and how far one may move; repeatable",
    )


def run(options: argparse.Namespace) -> int:
    from matchbound.certificates.releases import releases

    say(releases(options.audit, targets=by_metric(options.target, "target")))
    return 0
