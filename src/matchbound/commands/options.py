"""The command line's verbs and options."""

import argparse
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

Verbs = Mapping[str, Callable[[argparse.Namespace], int]]


class MetricsHelp(str):
    """Help that names the metrics: {metrics} are all, {default} those certified by default.

    They are looked up when help is printed: parsing must not load the theorems, which takes long.
    """

    def __mod__(self, values: Any) -> str:
        from matchbound.theorems.metrics import METRICS

        *names, last = METRICS
        default = [name for name, metric in METRICS.items() if metric.is_default]
        text = self.format(metrics=f"{', '.join(names)} or {last}", default=" and ".join(default))
        return str(text % values)


def build_parser(verbs: Verbs) -> argparse.ArgumentParser:
    """Every verb and its options; `verbs` are the functions to call."""
    parser = argparse.ArgumentParser(
        prog="matchbound",
        description="Certify matching: bounds on precision and recall that hold with a stated "
        "probability, for any data and any matcher.",
        epilog="Exit status: 0 done and every --require met, 1 not certified or not verified, "
        "2 bad input.",
    )
    parser.add_argument(
        "--version", action="version", version=f"matchbound {version('matchbound')}"
    )
    added = parser.add_subparsers(required=True, metavar="VERB")

    for name, what, add_options in VERBS:
        verb = added.add_parser(name, help=what)
        add_options(verb)
        verb.set_defaults(run=verbs[name])
    return parser


def _add_plan(plan: argparse.ArgumentParser) -> None:
    plan.add_argument("--size", type=int, required=True, metavar="N", help="nodes in all")
    plan.add_argument(
        "--matched", type=float, required=True, metavar="SHARE", help="of nodes with a true match"
    )
    plan.add_argument(
        "--guess",
        action="append",
        metavar="METRIC=VALUE",
        help=MetricsHelp("the value you expect of {metrics}; repeatable"),
    )
    plan.add_argument(
        "--target", action="append", metavar="METRIC=VALUE", help="the bound wanted; repeatable"
    )
    plan.add_argument("--labels", type=int, metavar="N", help="tell what so many labels give")
    plan.add_argument(
        "--power", type=float, default=0.9, help="probability of reaching all targets (0.9)"
    )
    plan.add_argument(
        "--gap-rate",
        type=float,
        metavar="SHARE",
        help="of nodes at which the complete matcher differs; without it there is none",
    )
    plan.add_argument("--gap", type=int, metavar="G", help="nodes the matchers are compared on")
    plan.add_argument("--train", type=int, default=0, metavar="T", help="nodes to train on")
    plan.add_argument("--delta", type=float, help="probability of failure (default: 0.05)")
    plan.add_argument("--theorem", metavar="NAME", help="sharp (default) or paper")
    plan.add_argument(
        "--one-to-one", action="store_true", help="promise: a node has at most one true match"
    )
    plan.add_argument(
        "--at-most-one-match",
        action="store_true",
        help="promise: a matcher finds at most one match a node",
    )
    plan.add_argument("--plot", metavar="FILE", help="draw the curve as .svg or .html")
    plan.add_argument("--force", action="store_true", help="overwrite the plot")


def _add_draw(draw: argparse.ArgumentParser) -> None:
    draw.add_argument("population", help="CSV or Parquet file with one row a node")
    draw.add_argument("--labels", type=int, metavar="N", help="nodes to validate on")
    draw.add_argument("--train", type=int, metavar="T", help="nodes to train on (default: 0)")
    draw.add_argument(
        "--trained-on", metavar="LABELS", help="labels that were there before, instead of --train"
    )
    draw.add_argument(
        "--seed", metavar="TEXT", help="to repeat a draw; what it certifies meets no --require"
    )
    draw.add_argument("--id", metavar="COLUMN", help="the column of ids (default: id)")
    draw.add_argument("--out", required=True, metavar="AUDIT", help="the audit folder to write")
    draw.add_argument(
        "--dry-run",
        action="store_true",
        help="check and print everything; make no seed and no file",
    )
    draw.add_argument(
        "--extend", action="store_true", help="let the anytime draw in AUDIT grow to N labels"
    )
    record = draw.add_argument_group("a holdout matcher to put on record")
    _add_holdout(record)
    kinds = draw.add_argument_group("other kinds of draws")
    kinds.add_argument(
        "--anytime", action="store_true", help="labels may be looked at, and stopped, at any time"
    )
    kinds.add_argument(
        "--until",
        action="append",
        metavar="METRIC=K",
        help="recall: until K nodes have a true match; precision: until K have a match of H",
    )
    kinds.add_argument("--among", metavar="H", help="draw only from nodes that H matches")
    kinds.add_argument(
        "--gap", type=int, metavar="G", help="nodes to compare the matchers on, if not on all"
    )
    kinds.add_argument("--rounds", type=int, metavar="R", help="of a guided matcher")
    kinds.add_argument("--options", metavar="T,…", help="thresholds to choose among in each round")
    _add_matching(draw)
    _add_choices(draw)
    _add_common(draw)


def _add_register(register: argparse.ArgumentParser) -> None:
    register.add_argument("audit", help="the folder that draw wrote")
    _add_holdout(register)


def _add_label(label: argparse.ArgumentParser) -> None:
    label.add_argument("audit", help="the folder that draw wrote")
    label.add_argument(
        "--records", required=True, metavar="LEFT", help="the population, with the fields to show"
    )
    label.add_argument(
        "--against", metavar="RIGHT", help="the table it is matched with (with --dedupe: itself)"
    )
    label.add_argument("--candidates", metavar="PAIRS", help="pairs to be looked at, or clusters")
    label.add_argument("--id", metavar="COLUMN", help="the column of ids in RIGHT (default: id)")
    label.add_argument("--population", metavar="FILE", help="if neither LEFT nor where it was")
    label.add_argument("--holdout", metavar="H", help="for live bounds of an anytime draw")
    _add_reading(label)
    label.add_argument(
        "--target", action="append", metavar="METRIC=VALUE", help="bound at which one may stop"
    )
    label.add_argument(
        "--twice", type=int, default=0, metavar="N", help="give the first N nodes to two people"
    )
    label.add_argument(
        "--listen", default="127.0.0.1", metavar="ADDRESS", help="(default: this machine alone)"
    )
    label.add_argument("--port", type=int, default=0, metavar="P", help="(default: any free one)")
    label.add_argument(
        "--no-browser", dest="browser", action="store_false", help="only print the address"
    )


def _add_certify(certify: argparse.ArgumentParser) -> None:
    certify.add_argument("audit", nargs="?", help="the folder that draw wrote")
    _add_holdout(certify)
    certify.add_argument(
        "--complete",
        metavar="C",
        action="append",
        help="matches of the matcher to certify, "
        "developed with anything; without it the holdout matcher is certified",
    )
    certify.add_argument("--labels", metavar="FILE", help="default: AUDIT/labels.csv")
    certify.add_argument(
        "--require",
        action="append",
        metavar="METRIC=VALUE",
        help="exit with 1 unless this is certified",
    )
    certify.add_argument(
        "--unlabelled",
        choices=("refuse", "worst"),
        default="refuse",
        help="drawn nodes without a label (default: refuse)",
    )
    certify.add_argument(
        "--gap-from",
        metavar="census|sample",
        help="where the matchers are compared (default: as drawn)",
    )
    certify.add_argument("--json", action="store_true", help="print the certificate as JSON")
    certify.add_argument("--out", metavar="FILE", help="default: AUDIT/certificate.json")
    brought = certify.add_argument_group("labels without a draw")
    brought.add_argument("--population", metavar="P", help="(with AUDIT: where it is now)")
    brought.add_argument("--id", metavar="COLUMN", help="the population's column of ids")
    brought.add_argument("--trained-on", metavar="D", help="labelled nodes the holdout trained on")
    brought.add_argument(
        "--assume-uniform",
        action="store_true",
        help="the labelled nodes are a uniform random sample",
    )
    _add_matching(brought)
    _add_choices(brought)
    _add_common(certify)


def _add_patch(patch: argparse.ArgumentParser) -> None:
    patch.add_argument("audit", help="the folder that draw wrote, with labels.csv in it")
    patch.add_argument(
        "--holdout", required=True, metavar="H", help="matches of the holdout matcher"
    )
    _add_reading(patch)
    patch.add_argument("--labels", metavar="FILE", help="default: AUDIT/labels.csv")
    patch.add_argument("--population", metavar="P", help="where it is now, if it was moved")
    patch.add_argument("--out", required=True, metavar="FILE", help="CSV or Parquet to write")
    patch.add_argument("--force", action="store_true", help="overwrite what is there")


def _add_verify(verify: argparse.ArgumentParser) -> None:
    verify.add_argument("target", help="an audit folder, or a certificate.json")
    _add_memory(verify)


def _add_figures(figures: argparse.ArgumentParser) -> None:
    figures.add_argument("--out", required=True, metavar="FOLDER", help="the folder to write to")
    figures.add_argument("--force", action="store_true", help="overwrite what is there")


def _add_report(report: argparse.ArgumentParser) -> None:
    report.add_argument("target_file", metavar="AUDIT", help="or a certificate.json")
    report.add_argument("-o", "--out", metavar="FILE", help="default: AUDIT/report.html")
    report.add_argument(
        "--target",
        action="append",
        metavar="METRIC=VALUE",
        help="what is wanted, drawn beside the bounds; repeatable",
    )
    report.add_argument("--force", action="store_true", help="overwrite an existing file")


def _add_reconcile(reconcile: argparse.ArgumentParser) -> None:
    reconcile.add_argument("left", help="edge list, CSV or Parquet: src, dst, or two columns")
    reconcile.add_argument("right", help="the other network's")
    reconcile.add_argument("--seeds", metavar="FILE", help="pairs known to match: x, y; or: hubs")
    reconcile.add_argument(
        "--guided", metavar="AUDIT", help="let a draw's labels choose each round's threshold"
    )
    reconcile.add_argument(
        "--target", action="append", metavar="precision=VALUE", help="of guided: to be kept"
    )
    reconcile.add_argument("--labels", metavar="FILE", help="of guided (default: AUDIT/labels.csv)")
    reconcile.add_argument(
        "--method", metavar="NAME", help="witness (default), percolation, expand"
    )
    reconcile.add_argument(
        "--threshold", type=int, metavar="T", help="witnesses that a match needs"
    )
    reconcile.add_argument("--repeat", type=int, metavar="K", help="of witness: how many sweeps")
    reconcile.add_argument("--marks", type=int, metavar="N", help="of expand: at most so many")
    reconcile.add_argument("--seed", metavar="TEXT", help="breaks ties (default: 0)")
    reconcile.add_argument(
        "--engine",
        choices=("duckdb", "spark"),
        help="of witness: by SQL, for networks larger than memory",
    )
    _add_memory(reconcile)
    reconcile.add_argument("--out", required=True, metavar="FILE", help="CSV or Parquet to write")
    reconcile.add_argument("--force", action="store_true", help="overwrite what is there")


def _add_withhold(withhold: argparse.ArgumentParser) -> None:
    withhold.add_argument("audit", help="the folder that draw wrote, with labels.csv in it")
    withhold.add_argument(
        "--command", metavar="TEXT", help="a program: it reads {labels} and writes {out}, both CSV"
    )
    withhold.add_argument("--left", metavar="FILE", help="or a network, to be reconciled with")
    withhold.add_argument("--right", metavar="FILE", help="this one, labels being the seeds")
    withhold.add_argument("--method", metavar="NAME", help="witness (default), percolation, expand")
    withhold.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="witnesses that a match needs; of a program's matches, the least score",
    )
    withhold.add_argument("--force", action="store_true", help="overwrite what is there")


def _add_demo(demo: argparse.ArgumentParser) -> None:
    demo.add_argument("--out", default="demo-audit", metavar="FOLDER")
    demo.add_argument("--force", action="store_true", help="overwrite what is there")


def _add_choices(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--delta", type=float, help="probability of failure (default: 0.05)")
    parser.add_argument(
        "--metric",
        action="append",
        metavar="METRIC",
        help=MetricsHelp("{metrics}; repeatable (default: {default})"),
    )
    parser.add_argument("--theorem", metavar="NAME", help="sharp (default) or paper")
    parser.add_argument("--bound", metavar="NAME", help="auto (default), or the name of a bound")
    parser.add_argument(
        "--one-to-one", action="store_true", help="promise: a node has at most one true match"
    )
    parser.add_argument(
        "--at-most-one-match",
        action="store_true",
        help="promise: a matcher finds at most one match a node",
    )
    parser.add_argument("--bands", metavar="SCORES", help="lower ends of bands, such as 0.5,0.9")
    parser.add_argument(
        "--algorithm",
        action="append",
        metavar="NAME",
        help="one of several matchers to certify together; repeatable",
    )
    parser.add_argument(
        "--choose-threshold",
        action="append",
        metavar="precision=VALUE",
        help="choose the loosest threshold with this precision",
    )
    parser.add_argument(
        "--candidates",
        metavar="SCORES",
        help="for the threshold (default: 0.99,0.95,0.9,0.8,…,0.5)",
    )
    parser.add_argument(
        "--allowance",
        type=float,
        metavar="A",
        help="for the gap at a chosen threshold (default: a tenth of 1 - precision)",
    )
    parser.add_argument(
        "--future", action="store_true", help="guarantees about nodes to come: see the assumption"
    )
    parser.add_argument(
        "--guess",
        action="append",
        metavar="METRIC=VALUE",
        help="the value you expect, for planning the bets; repeatable",
    )
    parser.add_argument(
        "--matched", type=float, metavar="SHARE", help="of nodes expected to have a true match"
    )


def _add_holdout(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--holdout",
        action="append",
        metavar="H",
        help="matches of the matcher developed without the validation labels; "
        "name=FILE for several algorithms",
    )
    _add_reading(parser)


def _add_reading(parser: argparse._ActionsContainer) -> None:
    """How a matcher's table is to be read."""
    parser.add_argument(
        "--threshold", type=float, metavar="SCORE", help="a pair is a match from this score on"
    )
    parser.add_argument(
        "--columns", metavar="ROLE=NAME,…", help="columns of the matchers' tables: x, y, score, …"
    )


def _add_matching(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--dedupe", action="store_true", help="the population is matched with itself"
    )
    parser.add_argument("--link", action="store_true", help="it is matched with another table")
    parser.add_argument(
        "--source", metavar="NAME", help="the population's source, where matches carry sources"
    )


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine", choices=("duckdb", "spark"), default="duckdb", help="(default: duckdb)"
    )
    _add_memory(parser)
    parser.add_argument("--force", action="store_true", help="overwrite existing files")


def _add_memory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--memory", metavar="SIZE", help="spill to disk beyond this, such as 8GB")
    parser.add_argument("--temp", metavar="FOLDER", help="where to spill to")


VERBS: list[tuple[str, str, Callable[[argparse.ArgumentParser], None]]] = [
    ("plan", "how many labels are needed, or what they give", _add_plan),
    ("draw", "draw the nodes to label", _add_draw),
    ("register", "put a holdout matcher on record", _add_register),
    ("label", "verify the drawn nodes' matches on a page", _add_label),
    ("certify", "bound a matcher's precision and recall", _add_certify),
    ("patch", "write the holdout matcher's matches with the labels over them", _add_patch),
    ("verify", "compute a certificate again", _add_verify),
    ("figures", "draw the paper's figures", _add_figures),
    ("report", "write a certificate as a page", _add_report),
    ("reconcile", "match the nodes of two networks", _add_reconcile),
    (
        "withhold",
        "run a matcher without and with the validation labels, and certify it",
        _add_withhold,
    ),
    ("demo", "the whole chain on data made for it", _add_demo),
]
