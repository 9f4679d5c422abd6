"""`matchbound reconcile`: match the nodes of two networks."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.commands.options import add_engine, add_force, by_metric
from matchbound.commands.terminal import progress, say
from matchbound.errors import InputError

if TYPE_CHECKING:
    from matchbound.matchers import Matches

EXAMPLE = "matchbound reconcile left.csv right.csv --seeds known.csv --out matches.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "left", metavar="LEFT", help="edge list, CSV or Parquet: src, dst, or two columns"
    )
    parser.add_argument("right", metavar="RIGHT", help="the other network's")
    parser.add_argument(
        "--seeds", metavar="FILE", help="pairs known to match: x, y; or: hubs, bayes, convex"
    )
    parser.add_argument(
        "--method", metavar="NAME", help="witness (default), percolation, expand, soft"
    )
    parser.add_argument("--threshold", type=int, metavar="T", help="witnesses that a match needs")
    parser.add_argument("--repeat", type=int, metavar="K", help="of witness: how many sweeps")
    parser.add_argument("--marks", type=int, metavar="N", help="of expand: the most marks to give")
    parser.add_argument(
        "--candidates",
        metavar="PAIRS",
        help="x, y, score: the only pairs that may match, such as those with similar names",
    )
    parser.add_argument("--seed", metavar="TEXT", help="breaks ties (default: 0)")
    parser.add_argument("--out", required=True, metavar="FILE", help="CSV or Parquet to write")
    add_force(parser)
    guided = parser.add_argument_group("guided by labels")
    guided.add_argument(
        "--guided", metavar="AUDIT", help="let a draw's labels choose each round's threshold"
    )
    guided.add_argument(
        "--target", action="append", metavar="precision=VALUE", help="the precision to keep"
    )
    guided.add_argument("--labels", metavar="FILE", help="default: AUDIT/labels.csv")
    add_engine(parser, help="of witness: by SQL, for networks larger than memory")


def run(options: argparse.Namespace) -> int:
    from matchbound.files import refuse_existing, refuse_input_as_out
    from matchbound.matchers.matches import check_name

    out = Path(options.out)
    check_name(out)
    refuse_existing([out], options.force)
    if options.guided is not None:
        return _guide(options, out)
    if options.seeds is None:
        raise InputError("seeds must be given, got None. Give pairs that are known, or hubs.")
    for name in ("target", "labels"):
        if getattr(options, name) is not None:
            raise InputError(
                f"{name} must be left out without guided, got {getattr(options, name)!r}. "
                "Give --guided AUDIT too, or drop it."
            )
    refuse_input_as_out(out, [options.left, options.right, options.seeds, options.candidates])
    say(_matches(options, out))
    say(f"They are in {out}; scores are above 0, so certify with --threshold 0 takes them all.")
    return 0


def _matches(options: argparse.Namespace, out: Path) -> object:
    """Match in memory, or with an engine's SQL, and write the matches."""
    from matchbound.matchers.reconciliation import reconcile, write_reconciled
    from matchbound.matchers.witness_sql import Machine

    names = ("threshold", "repeat", "marks", "seed", "candidates")
    typed = {name: getattr(options, name) for name in names}
    typed["method"] = options.method or "witness"
    inputs = (options.left, options.right, options.seeds)
    if options.engine is None:
        if typed["method"] == "soft":
            inputs = (*_measured(options), options.seeds)
        matches = reconcile(*inputs, **typed, memory=options.memory, temp=options.temp)
        matches.save(out, force=options.force)
        check = _self_check(matches, *inputs[:2]) if options.seeds in ("bayes", "convex") else ""
        return "\n".join(filter(None, [str(matches), matches.doubt, check]))
    machine = Machine(options.engine, options.memory, options.temp, progress)
    return write_reconciled(*inputs, out=out, machine=machine, force=options.force, **typed)


def _self_check(matches: "Matches", left: object, right: object) -> str:
    """How well the guessed seeds agree, in words."""
    from matchbound.matchers.agreement import guess_check
    from matchbound.matchers.edges import graph
    from matchbound.matchers.seeds import read_seeds

    guessed = [(x, y) for x, y, _, round, *_ in matches if round == 0]
    graphs = graph(left), graph(right)
    return guess_check(*graphs, read_seeds(guessed, *graphs)[0])


def _measured(options: argparse.Namespace) -> tuple[object, object]:
    """Read the networks, and tell how much memory soft will take."""
    from matchbound.matchers import graph, soft_memory
    from matchbound.matchers.soft import PER_CANDIDATE

    graphs = graph(options.left, "left"), graph(options.right, "right")
    more = "" if options.candidates is None else f", and {PER_CANDIDATE} bytes a candidate"
    progress(f"soft takes at most {soft_memory(*graphs) / 1e6:,.0f} MB beside the networks{more}")
    return graphs


def _guide(options: argparse.Namespace, out: Path) -> int:
    from matchbound.certificates.guided import guide
    from matchbound.files import refuse_existing, refuse_input_as_out

    own = ("seeds", "method", "threshold", "repeat", "marks", "seed", "candidates")
    for name in (*own, "engine", "memory", "temp"):
        if getattr(options, name) is not None:
            raise InputError(
                f"{name} must be left out with guided, got {getattr(options, name)!r}: it is fixed "
                "by the draw. Drop it."
            )
    target = by_metric(options.target, "target")
    if set(target) != {"precision"}:
        raise InputError(f"target must be a precision, got {target}. Give precision=0.95.")
    written = Path(options.guided) / "certificate.json"
    refuse_existing([written], options.force)
    refuse_input_as_out(out, [options.left, options.right, options.labels])
    matches, certificate = guide(
        options.left,
        options.right,
        options.guided,
        target=target["precision"],
        out=out,
        labels=options.labels,
        certificate=written,
        force=options.force,
    )
    say(matches)
    say(certificate)
    return 0
