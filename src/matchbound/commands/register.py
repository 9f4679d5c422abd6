"""`matchbound register`: put a holdout matcher on record before validation labels exist."""

import argparse

from matchbound.commands.options import (
    add_clusters,
    add_columns,
    add_engine,
    add_holdout,
    add_threshold,
    by_algorithm,
    columns,
    engine_of,
)
from matchbound.commands.terminal import progress, say
from matchbound.errors import InputError

EXAMPLE = "matchbound register audit --holdout matches.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that audit or draw wrote")
    add_holdout(parser)
    add_threshold(parser)
    add_clusters(parser)
    add_columns(parser)
    parser.add_argument("--population", metavar="P", help="where it is now, if it was moved")
    add_engine(parser, default="duckdb", help="what reads the tables (default: duckdb)")
    parser.add_argument(
        "--withdraw", action="store_true", help="take the last matcher off the record instead"
    )


def run(options: argparse.Namespace) -> int:
    from matchbound.audits.registry import register, withdraw

    if options.withdraw:
        given = [
            name
            for name in ("holdout", "threshold", "columns", "clusters")
            if vars(options)[name] is not None
        ]
        for name in given:
            raise InputError(
                f"withdraw must come without {name}, got both: the last matcher on record is "
                "withdrawn. Drop one of them."
            )
        withdraw(options.audit)
        say("The holdout matcher that was registered last is withdrawn: it is not on record now.")
        return 0
    labelled = register(
        options.audit,
        holdout=by_algorithm(options.holdout),
        threshold=options.threshold,
        columns=columns(options.columns),
        clusters=options.clusters,
        population=options.population,
        **engine_of(options),
        progress=progress,
        say=say,
    )
    late = f"{labelled} validation nodes have labels already, so no certificate can say that it was"
    when = f"{late} on record before them" if labelled else "no label is in yet"
    say(f"The holdout matcher is on record; {when}.")
    return 0
