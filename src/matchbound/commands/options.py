"""Options that several verbs share, and parsers of values: `precision=0.9`, `name=FILE`."""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from matchbound.errors import InputError


class MetricsHelp(str):
    """A help text with the metrics' names: {metrics} are all, {default} those of certificates.

    They are looked up when help is printed: parsing must not load the theorems, which takes long.
    """

    def __mod__(self, values: Any) -> str:
        from matchbound.theorems.metrics import METRICS

        *names, last = METRICS
        default = [name for name, metric in METRICS.items() if metric.is_default]
        text = self.format(metrics=f"{', '.join(names)} or {last}", default=" and ".join(default))
        return str(text % values)


def add_choices(parser: argparse.ArgumentParser, *, on_first_screen: bool = False) -> None:
    """Add the choices that a draw fixes; without a draw, `certify` takes them.

    On the first screen of help: the metrics.
    """
    group = parser.add_argument_group("choices, fixed before labels are seen")
    group.add_argument("--delta", type=float, help="probability of failure (default: 0.05)")
    (parser if on_first_screen else group).add_argument(
        "--metric",
        action="append",
        metavar="METRIC",
        help=MetricsHelp("{metrics}; repeatable (default: {default})"),
    )
    group.add_argument("--theorem", metavar="NAME", help="sharp (default) or paper")
    group.add_argument("--bound", metavar="NAME", help="auto (default), or the name of a bound")
    add_promises(group)
    group.add_argument(
        "--every-node-matched",
        action="store_true",
        help="promise: a record has at least one true match; for recall",
    )
    group.add_argument("--bands", metavar="SCORES", help="lower ends of bands, such as 0.5,0.9")
    group.add_argument(
        "--algorithm",
        action="append",
        metavar="NAME",
        help="one of several to certify together, given as --holdout NAME=H; repeatable",
    )
    group.add_argument(
        "--choose-threshold",
        action="append",
        metavar="precision=VALUE",
        help="choose the loosest threshold with this precision",
    )
    group.add_argument(
        "--candidates",
        metavar="SCORES",
        help="for the threshold (default: 0.99,0.95,0.9,0.8,…,0.5)",
    )
    group.add_argument(
        "--allowance",
        type=float,
        metavar="A",
        help="for the gap at a chosen threshold (default: a tenth of 1 - precision)",
    )
    group.add_argument(
        "--future",
        action="store_true",
        help="guarantees about records to come; the certificate says what that assumes",
    )
    _add_expectations(group)


def _add_expectations(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--guess",
        action="append",
        metavar="METRIC=VALUE",
        help="the value you expect, for planning the bets; repeatable",
    )
    group.add_argument(
        "--matched",
        type=float,
        metavar="SHARE",
        help="the share of records that you expect to have a true match",
    )


def add_promises(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--one-to-one", action="store_true", help="promise: a record has at most one true match"
    )
    parser.add_argument(
        "--at-most-one-match",
        action="store_true",
        help="promise: a matcher finds at most one match a record",
    )
    parser.add_argument(
        "--most-true-matches",
        type=int,
        metavar="K",
        help="promise: a record has at most K true matches; for pairwise recall and F1",
    )
    parser.add_argument(
        "--among-records-with-at-most",
        type=int,
        metavar="K",
        help="pairwise recall and F1 are then about records with at most K true matches",
    )


def add_holdout(parser: argparse._ActionsContainer, default: str = "") -> None:
    parser.add_argument(
        "--holdout",
        action="append",
        metavar="H",
        help=f"matches of a matcher developed without validation labels{default}",
    )


def add_threshold(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--threshold", type=float, metavar="SCORE", help="a pair is a match from this score on"
    )


def add_clusters(
    group: argparse._ActionsContainer, parser: argparse._ActionsContainer | None = None
) -> None:
    """Add the options that say what is deployed: the clusters that pairs link, or the pairs."""
    (parser or group).add_argument(
        "--clusters",
        action=Deployed,
        const=True,
        help="what you deploy are the clusters that pairs link",
    )
    group.add_argument(
        "--pairs",
        dest="clusters",
        action=Deployed,
        const=False,
        help="what you deploy are the pairs themselves",
    )


class Deployed(argparse.Action):
    """Set what is deployed, clusters or pairs; refuse both."""

    def __init__(self, option_strings: Sequence[str], dest: str, const: bool, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, const=const, help=help)

    def __call__(self, _: object, options: argparse.Namespace, *words: object) -> None:
        if getattr(options, self.dest) not in (None, self.const):
            raise InputError(
                "clusters and pairs must not both be given, got both. Say which of them you deploy."
            )
        setattr(options, self.dest, self.const)


def add_columns(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--columns", metavar="ROLE=NAME,…", help="columns of the matchers' tables: x, y, score, …"
    )


def add_sides(parser: argparse.ArgumentParser, *, on_first_screen: bool = False) -> None:
    """Add options for what the population is matched with, and for a matcher's tables.

    On the first screen of help: whether it is matched with itself, and whether clusters are
    deployed.
    """
    group = parser.add_argument_group("the population and the matchers' tables")
    (parser if on_first_screen else group).add_argument(
        "--dedupe", action="store_true", help="the population is matched with itself"
    )
    add_clusters(group, parser if on_first_screen else group)
    group.add_argument("--link", action="store_true", help="it is matched with another table")
    group.add_argument(
        "--source", metavar="NAME", help="the population's source, where matches carry sources"
    )
    add_columns(group)


def add_engine(parser: argparse.ArgumentParser, **settings: Any) -> None:
    group = parser.add_argument_group("large tables")
    group.add_argument("--engine", choices=("duckdb", "spark"), **settings)
    add_memory(group)


def add_memory(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--memory", metavar="SIZE", help="spill to disk beyond this, such as 8GB")
    parser.add_argument("--temp", metavar="FOLDER", help="where to spill to")


class EngineOptions(TypedDict):
    """What to compute with, as typed."""

    engine: str
    memory: str | None
    temp: str | None


def engine_of(options: argparse.Namespace) -> EngineOptions:
    return {"engine": options.engine, "memory": options.memory, "temp": options.temp}


def add_force(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--force", action="store_true", help="overwrite existing files")


def chosen(options: argparse.Namespace) -> dict[str, Any]:
    """The typed choices, by the names of `Choices`; others keep their defaults."""
    values = {
        "delta": options.delta,
        "metrics": options.metric,
        "theorem": options.theorem,
        "bound": options.bound,
        "one_to_one": options.one_to_one or None,
        "most_true_matches": options.most_true_matches,
        "among_records_with_at_most": options.among_records_with_at_most,
        "guesses": by_metric(options.guess, "guess") or None,
        "matched": options.matched,
        "bands": numbers(options.bands, "bands"),
        "algorithms": options.algorithm,
        "choose_threshold": by_metric(options.choose_threshold, "choose-threshold") or None,
        "candidates": numbers(options.candidates, "candidates"),
        "allowance": options.allowance,
        "at_most_one_match": options.at_most_one_match or None,
        "every_node_matched": options.every_node_matched or None,
        "future": options.future or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def numbers(text: str | None, argument: str) -> tuple[float, ...] | None:
    """Parse `0.5,0.9`."""
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"{argument} must be scores with commas between them, got {text!r}. "
            "Give for example 0.5,0.9."
        ) from None


def by_algorithm(texts: Sequence[str] | None) -> Any:
    """Parse a file, or `name=FILE` for each algorithm."""
    if not texts:
        return None
    from matchbound.files import is_there

    if len(texts) == 1 and ("=" not in texts[0] or is_there(Path(texts[0]))):
        return texts[0]
    files = dict(pairs(texts, "holdout and complete"))
    if len(files) < len(texts):
        raise InputError(
            f"holdout and complete must name each algorithm once, got {', '.join(texts)}. "
            "Give name=FILE for each."
        )
    return files


def pairs(texts: Sequence[str] | None, argument: str) -> list[tuple[str, str]]:
    """Parse texts `name=value`."""
    pairs = []
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise InputError(
                f"{argument} must be given as name=value, got {text!r}. Put an equals sign between."
            )
        pairs.append((name, value))
    return pairs


def by_metric(texts: Sequence[str] | None, argument: str) -> dict[str, float]:
    """Parse texts `precision=0.9`, each metric at most once."""
    values: dict[str, float] = {}
    for text in texts or ():
        metric, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 1 or metric in values:
            raise InputError(
                f"{argument} must be a metric and a number from 0 to 1, once each, got {text!r}. "
                "Give for example precision=0.9."
            )
        values[metric] = value
    return values


def columns(text: str | None) -> dict[str, str]:
    """Parse `x=left_id,y=right_id`."""
    if not text:
        return {}
    from matchbound.tables.forms import COLUMN_ROLES

    columns: dict[str, str] = {}
    for part in text.split(","):
        role, _, name = part.partition("=")
        if role not in COLUMN_ROLES or not name:
            raise InputError(
                f"columns must be given as role=name, with roles {', '.join(COLUMN_ROLES)}, "
                f"got {part!r}. Give for example x=left_id,y=right_id."
            )
        is_more = role == "ignore" and role in columns
        columns[role] = f"{columns[role]},{name}" if is_more else name
    return columns
