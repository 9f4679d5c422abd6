"""`matchbound forget`: erase a person's ids from an audit folder."""

import argparse

from matchbound.commands.terminal import say

EXAMPLE = "matchbound forget audit --id A1017 --reason 'a request of 3 May'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that audit or draw wrote")
    parser.add_argument(
        "--id",
        nargs="+",
        action="extend",
        required=True,
        metavar="ID",
        help="ids to erase, as sample.csv and labels.csv write them",
    )
    parser.add_argument(
        "--reason", metavar="TEXT", default="", help="for the ledger, which keeps it: name nobody"
    )


def run(options: argparse.Namespace) -> int:
    from matchbound.audits.forget import forget

    say(forget(options.audit, options.id, reason=options.reason))
    return 0
