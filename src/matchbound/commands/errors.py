"""`matchbound errors`: list a matcher's wrong and missed matches at the labelled records."""

import argparse

from matchbound.commands.options import (
    add_clusters,
    add_columns,
    add_engine,
    add_force,
    add_threshold,
    by_algorithm,
    columns,
    engine_of,
)
from matchbound.commands.terminal import progress, say

EXAMPLE = "matchbound errors audit --records people.csv --against others.csv --out errors.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audit", metavar="AUDIT", help="the folder that audit or draw wrote")
    parser.add_argument(
        "--holdout", action="append", metavar="H", help="matches (default: as last certified)"
    )
    parser.add_argument(
        "--complete", action="append", metavar="C", help="instead: those of a complete matcher"
    )
    add_threshold(parser)
    parser.add_argument("--records", metavar="LEFT", help="the population, with fields to show")
    parser.add_argument(
        "--against", metavar="RIGHT", help="the table it is matched with (with --dedupe: itself)"
    )
    parser.add_argument("--id", metavar="COLUMN", help="the column of ids in RIGHT (default: id)")
    parser.add_argument("--out", metavar="FILE", help="the whole list, as CSV")
    add_force(parser)
    group = parser.add_argument_group("the tables")
    group.add_argument("--labels", metavar="FILE", help="default: AUDIT/labels.csv")
    group.add_argument("--population", metavar="P", help="where it is now, if it was moved")
    add_clusters(group)
    add_columns(group)
    add_engine(parser, default="duckdb", help="what reads the tables (default: duckdb)")


def run(options: argparse.Namespace) -> int:
    from matchbound.certificates.list_errors import list_errors

    errors = list_errors(
        options.audit,
        holdout=by_algorithm(options.holdout),
        complete=by_algorithm(options.complete),
        threshold=options.threshold,
        columns=columns(options.columns),
        clusters=options.clusters,
        records=options.records,
        against=options.against,
        id=options.id,
        labels=options.labels,
        population=options.population,
        **engine_of(options),
        progress=progress,
        out=options.out,
        force=options.force,
    )
    say(errors)
    return 0
