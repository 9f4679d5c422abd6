"""`matchbound repair`: finish what a crash left unfinished in the ledger."""

import argparse

from matchbound.commands.terminal import say

EXAMPLE = "matchbound repair audit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that draw wrote")
    parser.add_argument(
        "--certificate", metavar="FILE", help="the certificate that was being issued, if elsewhere"
    )


def run(options: argparse.Namespace) -> int:
    from matchbound.audits.repair import repair

    say(repair(options.audit, options.certificate))
    return 0
