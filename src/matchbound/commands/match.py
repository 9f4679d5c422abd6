"""`matchbound match`: match the records of two tables, or of one with itself, by labels."""

import argparse
from pathlib import Path

from matchbound.commands.options import add_force
from matchbound.commands.terminal import say
from matchbound.errors import InputError

EXAMPLE = "matchbound match left.csv right.csv --labels known.csv --out matches.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("left", metavar="LEFT", help="a table of records, CSV or Parquet")
    parser.add_argument(
        "right", metavar="RIGHT", nargs="?", help="another; without it LEFT is matched with itself"
    )
    parser.add_argument(
        "--labels",
        metavar="FILE",
        help="records of LEFT with all their matches: x, y; an empty y for none",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="CSV or Parquet to write")
    parser.add_argument("--one-to-one", action="store_true", help="match each record at most once")
    parser.add_argument(
        "--all-scores", action="store_true", help="write the candidates below ½ too"
    )
    add_fields(parser)
    add_force(parser)
    alone = parser.add_argument_group("links without labels")
    alone.add_argument("--alpha", type=float, metavar="A", help="weight of links (default: 0.5)")
    tables = parser.add_argument_group("the tables")
    tables.add_argument("--id", metavar="NAME", help="the column of ids (default: id)")
    add_right_id(tables)


def add_right_id(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--right-id", metavar="NAME", help="RIGHT's column of ids, if it is another"
    )


def add_fields(parser: argparse._ActionsContainer) -> None:
    """Add the options that say what is compared."""
    parser.add_argument(
        "--columns",
        metavar="NAME,…",
        help="fields to compare, LEFT=RIGHT if names differ (default: all shared)",
    )
    parser.add_argument(
        "--candidates", metavar="FILE", help="pairs x, y to choose from (default: the nearest)"
    )
    parser.add_argument(
        "--links", metavar="FILE", help="records that occur together: record, group; or x, y"
    )


def fields(text: str | None) -> dict[str, str] | None:
    """Parse `title,authors=writers`."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    columns = {left: right if equals else left for left, equals, right in pairs}
    if len(columns) < len(pairs) or not all(columns) or not all(columns.values()):
        raise InputError(
            f"columns must be names with commas between them, each once, got {text!r}. "
            "Give for example title,authors=writers."
        )
    return columns


def run(options: argparse.Namespace) -> int:
    from matchbound.files import refuse_existing, refuse_input_as_out
    from matchbound.matchers.matches import check_name
    from matchbound.matchers.records.match import match

    out = Path(options.out)
    check_name(out)
    refuse_existing([out], options.force)
    inputs = [options.left, options.right, options.labels, options.candidates, options.links]
    refuse_input_as_out(out, [path for path in inputs if path is not None])
    matches = match(
        options.left,
        options.right,
        labels=options.labels,
        id=options.id,
        right_id=options.right_id,
        columns=fields(options.columns),
        candidates=options.candidates,
        links=options.links,
        alpha=options.alpha,
        one_to_one=options.one_to_one,
        all_scores=options.all_scores,
    )
    matches.save(out, force=options.force)
    say(matches)
    say(f"They are in {out}; certify with --threshold 0.5 takes the matches.")
    return 0
