"""`matchbound plan`: how many labels are needed, or what a number of labels gives."""

import argparse

from matchbound.commands.options import MetricsHelp, add_promises, by_metric
from matchbound.commands.terminal import progress, say

EXAMPLE = (
    "matchbound plan --size 100000 --matched 0.7 --guess precision=0.97 --target precision=0.95"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=int, required=True, metavar="N", help="records in all")
    parser.add_argument(
        "--matched",
        type=float,
        required=True,
        metavar="SHARE",
        help="the share of records with a true match",
    )
    parser.add_argument(
        "--guess",
        action="append",
        metavar="METRIC=VALUE",
        help=MetricsHelp("the value you expect of {metrics}; repeatable"),
    )
    parser.add_argument(
        "--target", action="append", metavar="METRIC=VALUE", help="the bound wanted; repeatable"
    )
    parser.add_argument("--labels", type=int, metavar="N", help="show what N labels give")
    parser.add_argument("--train", type=int, default=0, metavar="T", help="records to train on")
    parser.add_argument("--plot", metavar="FILE", help="draw the curve as .svg or .html")
    parser.add_argument("--force", action="store_true", help="overwrite the plot")
    _add_choices(parser)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the draw and the certificate planned for")
    group.add_argument(
        "--power", type=float, default=0.9, help="probability of reaching all targets (0.9)"
    )
    group.add_argument("--delta", type=float, help="probability of failure (default: 0.05)")
    group.add_argument("--theorem", metavar="NAME", help="sharp (default) or paper")
    group.add_argument(
        "--gap-rate",
        type=float,
        metavar="SHARE",
        help="the share of records at which the complete matcher differs; else there is none",
    )
    group.add_argument("--dedupe", action="store_true", help="one table is matched with itself")
    group.add_argument(
        "--gap", type=int, metavar="G", help="records that the matchers are compared on"
    )
    add_promises(group)


def run(options: argparse.Namespace) -> int:
    """Print a plan; return 1 if no number of labels reaches the targets."""
    from matchbound.files import refuse_existing
    from matchbound.plans.chart import check_plot
    from matchbound.plans.plan import plan

    if options.plot is not None:
        refuse_existing([check_plot(options.plot)], options.force)
    progress("planning")
    typed = {name: getattr(options, name) for name in ("delta", "theorem", "gap")}
    planned = plan(
        size=options.size,
        matched=options.matched,
        guesses=by_metric(options.guess, "guess"),
        targets=by_metric(options.target, "target"),
        labels=options.labels,
        power=options.power,
        gap_rate=options.gap_rate,
        train=options.train,
        dedupe=options.dedupe,
        one_to_one=options.one_to_one,
        at_most_one_match=options.at_most_one_match,
        most_true_matches=options.most_true_matches,
        among_records_with_at_most=options.among_records_with_at_most,
        **{name: value for name, value in typed.items() if value is not None},
    )
    say(planned)
    if options.plot is not None:
        planned.save_plot(options.plot, force=options.force)
    return 0 if options.labels is not None or planned.needed is not None else 1
