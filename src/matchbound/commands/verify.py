"""`matchbound verify`: compute a certificate again."""

import argparse

from matchbound.commands.options import add_memory
from matchbound.commands.terminal import progress, say

EXAMPLE = "matchbound verify audit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="AUDIT", help="an audit folder, or a certificate.json")
    add_memory(parser)


def run(options: argparse.Namespace) -> int:
    """Verify a certificate; return 1 if it does not hold."""
    from matchbound.certificates.verification import verify

    verification = verify(
        options.target, memory=options.memory, temp=options.temp, progress=progress
    )
    say(verification)
    return 0 if verification.holds else 1
