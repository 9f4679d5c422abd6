"""`matchbound figures`: draw the paper's figures."""

import argparse

from matchbound.commands.options import add_force
from matchbound.commands.terminal import say

EXAMPLE = "matchbound figures --out figures"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, metavar="FOLDER", help="the folder to write to")
    add_force(parser)


def run(options: argparse.Namespace) -> int:
    from matchbound.reports.figures import figures

    for path in figures(options.out, force=options.force):
        say(path)
    return 0
