"""`matchbound seal`: write the ledger's head to a file that others keep."""

import argparse

from matchbound.commands.terminal import say

EXAMPLE = "matchbound seal audit --key ~/.ssh/id_ed25519"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that audit or draw wrote")
    parser.add_argument("--out", metavar="FILE", help="(default: entry-N.seal in the folder)")
    parser.add_argument("--key", metavar="FILE", help="an SSH key to sign it with")
    parser.add_argument("--force", action="store_true", help="write over FILE")


def run(options: argparse.Namespace) -> int:
    from matchbound.audits.seal import seal

    path = seal(options.audit, out=options.out, key=options.key, force=options.force)
    say(f"Sealed: {path}.")
    say("Send it to others, or publish it: with it they can tell if the ledger up to here was")
    say("changed since (`matchbound verify AUDIT --seal FILE`). Nothing was sent anywhere.")
    return 0
