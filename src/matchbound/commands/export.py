"""`matchbound export`: write what an auditor needs, without records, ids and the seed."""

import argparse

from matchbound.commands.terminal import say
from matchbound.errors import InputError

EXAMPLE = "matchbound export audit --redacted --out for-the-auditor"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that audit or draw wrote")
    parser.add_argument(
        "--redacted", action="store_true", help="no list of records, no label, no name, no seed"
    )
    parser.add_argument("--out", metavar="FOLDER", required=True, help="a folder that is not there")
    parser.add_argument(
        "--openings",
        nargs="+",
        type=int,
        metavar="ENTRY",
        help="instead: lines of the journal that open these entries, to the file OUT",
    )


def run(options: argparse.Namespace) -> int:
    from matchbound.reports.export import export, export_openings

    if options.openings and options.redacted:
        raise InputError(
            "openings must come without --redacted, got both: one writes lines that open entries, "
            "the other a folder that opens nothing. Run the command twice."
        )
    if options.openings:
        path = export_openings(options.audit, options.openings, options.out)
        say(f"{path} opens what these entries keep sealed. Give it to the auditor alone, who puts")
        say("it beside the ledger as journal.jsonl.")
        return 0
    say(export(options.audit, options.out, redacted=options.redacted))
    return 0
