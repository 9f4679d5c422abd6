"""`matchbound repair`: finish what a crash left unfinished, or move a folder of version 1."""

import argparse

from matchbound.commands.terminal import say

EXAMPLE = "matchbound repair audit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that audit or draw wrote")
    parser.add_argument(
        "--certificate", metavar="FILE", help="the certificate that was being issued, if elsewhere"
    )
    parser.add_argument(
        "--to", type=int, choices=[2], help="move a folder of matchbound 0.1 to this version"
    )


def run(options: argparse.Namespace) -> int:
    if options.to is not None:
        from matchbound.certificates.version1.move import move

        say(move(options.audit, options.certificate))
        return 0
    from matchbound.audits.repair import repair

    say(repair(options.audit, options.certificate))
    return 0
