"""`matchbound verify`: compute a certificate again."""

import argparse

from matchbound.commands.options import add_memory, by_metric
from matchbound.commands.terminal import progress, say

EXAMPLE = "matchbound verify audit --require precision=0.95"
CODES = {
    "verified": 0,
    "contradicted": 1,
    "requirement not met": 1,
    "consistent in itself": 3,
    "missing": 3,
}
"""The exit status by outcome; 2 is for what could not be checked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="AUDIT", help="an audit folder, or a certificate.json")
    parser.add_argument(
        "--require",
        action="append",
        metavar="METRIC=VALUE",
        help="exit with 1 unless this is certified",
    )
    parser.add_argument(
        "--inputs", metavar="FOLDER", help="look for inputs in this folder too, and in those in it"
    )
    parser.add_argument(
        "--untrusted", action="store_true", help="open no file outside AUDIT and --inputs"
    )
    parser.add_argument(
        "--seal", action="append", default=[], metavar="FILE", help="a seal that was kept elsewhere"
    )
    parser.add_argument("--signers", metavar="FILE", help="those who must have signed a seal")
    add_memory(parser)
    parser.epilog = (
        "Exit status: 0 verified with all inputs; 3 consistent in itself, inputs missing, or the "
        "folder's newest certificate is; "
        "1 contradicted, or --require not met; 2 could not check."
    )


def run(options: argparse.Namespace) -> int:
    """Verify a certificate, and say by the exit status which of four things came of it."""
    from matchbound.certificates.verification import verify

    verification = verify(
        options.target,
        require=by_metric(options.require, "require"),
        inputs=options.inputs,
        untrusted=options.untrusted,
        seals=options.seal,
        signers=options.signers,
        memory=options.memory,
        temp=options.temp,
        progress=progress,
    )
    say(verification)
    return CODES[verification.outcome]
