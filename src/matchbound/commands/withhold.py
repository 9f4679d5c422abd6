"""`matchbound withhold`: run a matcher without and with the validation labels, and certify it."""

import argparse
import math
from pathlib import Path
from typing import Any

from matchbound.commands.match import add_fields, add_right_id, fields
from matchbound.commands.options import add_clusters, add_force
from matchbound.commands.terminal import progress, say
from matchbound.errors import InputError

EXAMPLE = "matchbound withhold audit --command 'python match.py {labels} {out}'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "audit", metavar="AUDIT", help="the folder that audit or draw wrote, with labels.csv in it"
    )
    parser.add_argument(
        "--command", metavar="TEXT", help="a program: it reads {labels} and writes {out}, both CSV"
    )
    parser.add_argument(
        "--matcher", metavar="match", help="or matchbound's own, which labels train: match"
    )
    parser.add_argument(
        "--left",
        metavar="FILE",
        help="or a network for reconcile; with match, records (default: the population)",
    )
    parser.add_argument("--right", metavar="FILE", help="what it is matched with")
    parser.add_argument(
        "--method", metavar="NAME", help="witness (default), percolation, expand, soft"
    )
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="witnesses that a match needs; the least score of other matchers (of match: 0.5)",
    )
    add_clusters(parser)
    add_force(parser)
    group = parser.add_argument_group("of match; candidates, of networks too")
    group.add_argument("--one-to-one", action="store_true", help="match each record at most once")
    add_fields(group)
    add_right_id(group)
    moved = parser.add_argument_group("if the population was moved")
    moved.add_argument("--population", metavar="FILE", help="where it is now")


def run(options: argparse.Namespace) -> int:
    from matchbound.certificates.withheld import withhold
    from matchbound.files import check_writable, refuse_existing, refuse_input_as_out

    audit = Path(options.audit)
    out = audit / "certificate.json"
    refuse_existing([out], options.force)
    for name in ("holdout.csv", "complete.csv"):
        refuse_input_as_out(
            audit / name,
            [options.left, options.right, options.candidates, options.links, options.population],
        )
    matcher, threshold = _matcher(options)
    check_writable(out)
    certificate = withhold(
        matcher,
        audit,
        threshold=threshold,
        clusters=options.clusters,
        population=options.population,
        out=out,
        force=options.force,
        progress=progress,
    )
    say(certificate)
    return 0


def _matcher(options: argparse.Namespace) -> tuple[Any, float | None]:
    """The matcher to run, and the threshold of its matches."""
    from matchbound.matchers.program import command, network

    if options.matcher is not None:
        return _records(options)
    for name in ("one_to_one", "columns", "links", "right_id"):
        if getattr(options, name):
            raise InputError(
                f"{name} must come with matcher match, got {getattr(options, name)!r} alone. "
                "Give --matcher match too, or drop it."
            )
    networks = (options.left, options.right)
    if (options.command is None) != (None not in networks):
        raise InputError(
            "command must be given, or left and right, got "
            f"{'both' if options.command else 'neither'}. Say which matcher is to be run."
        )
    if options.command is None:
        is_soft = options.method == "soft"
        typed = {"method": options.method, "candidates": options.candidates}
        typed["threshold"] = None if is_soft else _whole(options.threshold)
        typed = {name: value for name, value in typed.items() if value is not None}
        return network(*networks, **typed), (options.threshold or 0.0) if is_soft else 0.0
    for name in ("method", "candidates"):
        if getattr(options, name) is not None:
            raise InputError(
                f"{name} must be left out with command, got {getattr(options, name)!r}. "
                "Drop one of them."
            )
    return command(options.command), options.threshold


def _records(options: argparse.Namespace) -> tuple[Any, float | None]:
    """`match` on the audit's records, or on those that are given."""
    from matchbound.audits.records import record_tables
    from matchbound.matchers.program import records

    if options.matcher != "match":
        raise InputError(f"matcher must be match, got {options.matcher!r}. Give --matcher match.")
    for name in ("command", "method"):
        if getattr(options, name) is not None:
            raise InputError(
                f"{name} must be left out with matcher match, got {getattr(options, name)!r}. "
                "Drop one of them."
            )
    left = options.population if options.left is None else options.left
    tables, threshold = record_tables(options.audit, left, options.right), options.threshold
    if threshold is None and not tables.has_scores_fixed:
        threshold = 0.5
    progress("reading the records and finding candidates")
    matcher = records(
        *(tables.left, tables.right),
        id=tables.id,
        right_id=options.right_id or tables.right_id,
        sources=tables.sources,
        columns=fields(options.columns),
        candidates=options.candidates,
        links=options.links,
        one_to_one=options.one_to_one,
        all_scores=threshold is None or threshold < 0.5,
    )
    return matcher, threshold


def _whole(number: float | None) -> int | float | None:
    """Return a whole number as an int: 2.0 witnesses are 2."""
    is_whole = number is not None and math.isfinite(number) and number == int(number)
    return int(number) if is_whole and number is not None else number
