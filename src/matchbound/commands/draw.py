"""`matchbound draw`: draw the records to label, and write the audit folder."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.commands.options import (
    add_choices,
    add_engine,
    add_force,
    add_holdout,
    add_sides,
    add_threshold,
    by_algorithm,
    chosen,
    columns,
    engine_of,
    pairs,
)
from matchbound.commands.terminal import progress, say
from matchbound.errors import InputError

if TYPE_CHECKING:
    from matchbound.audits.wishes import Wishes

EXAMPLE = "matchbound draw people.csv --labels 600 --holdout matches.csv --out audit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "population", metavar="POPULATION", help="CSV, Parquet or another table, a row a record"
    )
    parser.add_argument("--labels", type=int, metavar="N", help="records to test the matcher on")
    parser.add_argument(
        "--train", type=int, metavar="T", help="records to train it on (default: 0)"
    )
    parser.add_argument("--id", metavar="COLUMN", help="the column of ids (default: id)")
    add_holdout(parser)
    add_threshold(parser)
    parser.add_argument("--out", required=True, metavar="AUDIT", help="the audit folder to write")
    add_force(parser)
    _add_kinds(parser)
    add_sides(parser, on_first_screen=True)
    add_choices(parser, on_first_screen=True)
    add_engine(parser, default="duckdb", help="what reads the tables (default: duckdb)")


def _add_kinds(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("other kinds of draws")
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="check and print everything; make no seed and no file",
    )
    group.add_argument(
        "--trained-on", metavar="LABELS", help="labels that were there before, instead of --train"
    )
    group.add_argument(
        "--seed", metavar="TEXT", help="to repeat a draw; what it certifies meets no --require"
    )
    group.add_argument(
        "--anytime", action="store_true", help="labels may be looked at, and stopped, at any time"
    )
    group.add_argument(
        "--extend", action="store_true", help="let the anytime draw in AUDIT grow to N labels"
    )
    group.add_argument(
        "--until",
        action="append",
        metavar="METRIC=K",
        help="recall: until K records have a true match; precision: until K have a match of H",
    )
    group.add_argument(
        "--within",
        metavar="IDS",
        help="certify a part of the population: the records in this table",
    )
    group.add_argument(
        "--cohort",
        metavar="NAME",
        help="draw from the records that are new since the draw in AUDIT; its δ is added",
    )
    group.add_argument("--among", metavar="H", help="draw only from records that H matches")
    group.add_argument(
        "--weigh",
        metavar="METRIC",
        help="draw by weight, as is best for pairwise-precision or pairwise-f1 of H",
    )
    group.add_argument(
        "--gap", type=int, metavar="G", help="records to compare the matchers on, if not on all"
    )
    group.add_argument("--rounds", type=int, metavar="R", help="of a guided matcher")
    group.add_argument("--options", metavar="T,…", help="thresholds to choose among in each round")


def run(options: argparse.Namespace) -> int:
    from matchbound.audits.sample import dry_run, make_draw

    out = Path(options.out)
    if options.extend:
        return _extend(options, out)
    where = engine_of(options)
    wishes = _wishes(options)
    if options.cohort is not None:
        return _draw_cohort(options, wishes)
    if options.dry_run:
        for line in dry_run(wishes, out=out, force=options.force, progress=progress, **where):
            say(line)
        _say_how_to_label(out)
        say("Dry run: no seed was made, and nothing was written.")
        return 0
    say(make_draw(wishes, out=out, force=options.force, progress=progress, say=say, **where))
    _say_how_to_label(out)
    return 0


def _draw_cohort(options: argparse.Namespace, wishes: "Wishes") -> int:
    from matchbound.audits.cohort import cohort_folder, draw_cohort
    from matchbound.engines import Resources

    if options.dry_run:
        raise InputError("dry_run must be left out with cohort, got both. Drop one of them.")
    resources = Resources(**engine_of(options), progress=progress)
    given = options.out, options.cohort, wishes, resources
    say(draw_cohort(*given, say, options.force))
    _say_how_to_label(cohort_folder(Path(options.out), options.cohort))
    return 0


def _wishes(options: argparse.Namespace) -> "Wishes":
    from matchbound.audits.wishes import Wishes
    from matchbound.tables import Matching, Reading

    holdout, among = by_algorithm(options.holdout), options.among
    if among is not None and holdout is not None:
        raise InputError(
            f"holdout must be left out with among, got {holdout!r}: that is the matcher. Drop it."
        )
    return Wishes(
        options.population,
        chosen(options) | _of_the_draw(options),
        options.labels,
        options.train or 0,
        options.seed,
        options.id,
        holdout if among is None else among,
        Reading(columns(options.columns) or {}, options.threshold, options.clusters),
        options.anytime,
        options.trained_on,
        Matching(options.dedupe, options.link, options.source),
        options.within,
    )


def _of_the_draw(options: argparse.Namespace) -> dict[str, Any]:
    """The typed choices that only a draw can make."""
    values = {
        "gap": options.gap,
        "until": _until(options.until),
        "among": True if options.among is not None else None,
        "weigh": options.weigh,
        "rounds": options.rounds,
        "options": _whole_numbers(options.options),
    }
    return {name: value for name, value in values.items() if value is not None}


def _until(texts: list[str] | None) -> dict[str, int] | None:
    """Parse `recall=200`."""
    if not texts:
        return None
    for i, (metric, count) in enumerate(pairs(texts, "until")):
        if not count.isdecimal() or i:
            raise InputError(
                f"until must be one metric and a number of nodes, got {metric}={count}. "
                "Give for example recall=200."
            )
    return {metric: int(count)}


def _whole_numbers(text: str | None) -> tuple[int, ...] | None:
    """Parse `2,3,4`."""
    if text is None:
        return None
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise InputError(
            f"options must be whole numbers with commas between them, got {text!r}. "
            "Give for example 2,3,4."
        )
    return tuple(int(part) for part in text.split(","))


def _say_how_to_label(out: Path) -> None:
    say(f"Verify their matches and write them to {out / 'labels.csv'} as columns x, y;")
    say("one row a true match, an empty y where a node has none. The ids are in sample.csv.")


def _extend(options: argparse.Namespace, out: Path) -> int:
    """Replace a draw by a larger one; everything but the number of labels stays."""
    from matchbound.audits.draw import Draw
    from matchbound.audits.folder import written_in
    from matchbound.audits.sample import redraw
    from matchbound.audits.wishes import Wishes
    from matchbound.engines import Resources

    before = written_in(out) or Draw.load(out).written
    allowed = ("extend", "population", "labels", "out", "engine", "memory", "temp", "force")
    refused = [name for name, value in vars(options).items() if value and name not in allowed]
    if refused:
        raise InputError(
            f"{refused[0]} must be left out with extend, got {getattr(options, refused[0])!r}: "
            "everything but labels is as it was drawn. Drop it."
        )
    if before.choices.weigh:
        raise InputError(
            "extend must continue an anytime draw, got one by weight, whose number of nodes is "
            "fixed. Draw afresh into another folder."
        )
    within = None if before.within is None else before.within.found(out)
    trained_on = None if before.trained_on is None else before.trained_on.now(out)
    wishes = Wishes.again(before, options.population, options.labels, within, trained_on)
    resources = Resources(options.engine, options.memory, options.temp, progress)
    larger = redraw(before, wishes, resources)
    larger.extend(out)
    say(larger)
    return 0
