"""The command line: parse, call one function, print."""

import argparse
import io
import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from matchbound.errors import EngineError, InputError, MatchboundError
from matchbound.forms import COLUMN_ROLES

METRICS = "precision, recall or error-rate"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done and every requirement met, 1 not so, 2 bad input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except MatchboundError as error:
        print(f"matchbound: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _say(text: object) -> None:
    """Print, whether or not anyone is still reading."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        with suppress(OSError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise EngineError(f"cannot print the result: {error.strerror}.") from None


def _draw(options: argparse.Namespace) -> int:
    from matchbound.files import refuse_existing
    from matchbound.sampling import draw

    out = Path(options.out)
    if options.extend:
        return _extend(options, out)
    refuse_existing([out / name for name in ("draw.json", "sample.csv")], options.force)
    if out.exists() and not out.is_dir():
        raise InputError(f"out must be a folder, got {str(out)!r}, a file. Choose another place.")
    holdout, among = _named(options.holdout), options.among
    if among is not None and holdout is not None:
        raise InputError(
            f"holdout must be left out with among, got {holdout!r}: that is the matcher. Drop it."
        )
    drawn = draw(
        options.population,
        labels=options.labels,
        train=options.train or 0,
        seed=options.seed,
        id=options.id,
        holdout=holdout if among is None else among,
        threshold=options.threshold,
        columns=_columns(options.columns),
        anytime=options.anytime,
        allowance=options.allowance,
        dedupe=options.dedupe,
        link=options.link,
        source=options.source,
        memory=options.memory,
        progress=_progress,
        **_choices(options),
        **_of_the_draw(options),
    )
    drawn.save(out, force=options.force)
    _say(drawn)
    _say(f"Verify their matches and write them to {out / 'labels.csv'} as columns x, y;")
    _say("one row a true match, an empty y where a node has none. The ids are in sample.csv.")
    return 0


def _extend(options: argparse.Namespace, out: Path) -> int:
    """A larger draw in the place of a smaller one; everything but the number of labels stays."""
    from matchbound.draws import Draw
    from matchbound.sampling import draw

    before = Draw.load(out)
    own = ("extend", "population", "labels", "out", "memory", "run", "force")
    other = [name for name, value in vars(options).items() if value and name not in own]
    if other:
        raise InputError(
            f"{other[0]} must be left out with extend, got {getattr(options, other[0])!r}: "
            "everything but labels is as it was drawn. Drop it."
        )
    drawn = draw(
        options.population,
        labels=options.labels,
        train=before.train,
        seed=before.seed,
        id=before.population["id"],
        memory=options.memory,
        progress=_progress,
        **before.matching.as_dict(),
        **before.choices.as_dict(),
    )
    drawn.extend(out)
    _say(drawn)
    return 0


def _of_the_draw(options: argparse.Namespace) -> dict[str, Any]:
    """The choices that only a draw can make."""
    until: dict[str, int] = {}
    for metric, count in _pairs(options.until, "until"):
        if not count.isdecimal() or until:
            raise InputError(
                f"until must be one metric and a number of nodes, got {metric}={count}. "
                "Give for example recall=200."
            )
        until[metric] = int(count)
    given: dict[str, Any] = {
        "gap": options.gap,
        "until": until or None,
        "among": True if options.among is not None else None,
        "rounds": options.rounds,
        "options": _whole_numbers(options.options),
    }
    return {name: value for name, value in given.items() if value is not None}


def _register(options: argparse.Namespace) -> int:
    from matchbound.registering import register

    labelled = register(
        options.audit,
        holdout=_named(options.holdout),
        threshold=options.threshold,
        columns=_columns(options.columns),
    )
    when = f"{labelled} validation nodes have labels already" if labelled else "no label is in yet"
    _say(f"The holdout matcher is on record; {when}.")
    return 0


def _certify(options: argparse.Namespace) -> int:
    from matchbound.certifying import certify
    from matchbound.files import check_writable, refuse_existing
    from matchbound.words import is_picked

    out = Path(options.out or Path(options.audit or ".") / "certificate.json")
    refuse_existing([out], options.force)
    if options.audit is None or Path(options.audit).is_dir():
        check_writable(out)
    holdout, complete = _named(options.holdout), _named(options.complete)
    inputs = [options.labels, options.population, options.trained_on, *_parts_of(options.audit)]
    for matches in (holdout, complete):
        inputs += matches.values() if isinstance(matches, dict) else [matches]
    _refuse_input_as_out(out, inputs)
    required = _by_metric(options.require, "require")
    _check_required(required, options)
    certificate = certify(
        options.audit,
        holdout=holdout,
        complete=complete,
        labels=options.labels,
        threshold=options.threshold,
        unlabelled=options.unlabelled,
        gap_from=options.gap_from,
        population=options.population,
        id=options.id,
        trained_on=options.trained_on,
        assume_uniform=options.assume_uniform,
        columns=_columns(options.columns),
        dedupe=options.dedupe,
        link=options.link,
        source=options.source,
        memory=options.memory,
        progress=_progress,
        **_choices(options),
        **({} if options.allowance is None else {"allowance": options.allowance}),
    )
    met = {metric: certificate.meets(metric, target) for metric, target in required.items()}
    certificate.save(out, force=options.force)
    _say(certificate.to_json().rstrip("\n") if options.json else certificate)
    for metric, target in required.items():
        verdict = "certified" if met[metric] else "not certified"
        verdict += " (exploratory)" if certificate.exploratory else ""
        if is_picked(certificate):
            verdict += " (other matchers are on record: this one may have been picked)"
        print(f"Required {metric} {target:g}: {verdict}.", file=sys.stderr)
    return 0 if all(met.values()) else 1


def _check_required(required: dict[str, float], options: argparse.Namespace) -> None:
    """Before anything is computed: what is required must be among what is certified."""
    from matchbound.choices import Choices
    from matchbound.draws import Draw

    metrics = options.metric or Choices().metrics
    if required and options.audit is not None and not options.metric:
        metrics = Draw.load(options.audit).choices.metrics
    for metric in required:
        if metric not in metrics:
            raise InputError(
                f"metric must be one that was certified, got {metric!r}. "
                f"Choose among {', '.join(metrics)}."
            )


def _refuse_input_as_out(out: Path, inputs: Sequence[str | Path | None]) -> None:
    for given in inputs:
        if given is not None and Path(given).resolve() == out.resolve():
            raise InputError(f"out must not be an input, got {str(out)!r}. Choose another place.")


def _parts_of(audit: str | None) -> list[Path]:
    names = ("draw.json", "sample.csv", "gap.csv", "labels.csv", "ledger.jsonl")
    return [] if audit is None else [Path(audit) / name for name in names]


def _verify(options: argparse.Namespace) -> int:
    from matchbound.verifying import verify

    verification = verify(options.target, memory=options.memory, progress=_progress)
    _say(verification)
    return 0 if verification.holds else 1


def _plan(options: argparse.Namespace) -> int:
    from matchbound.files import refuse_existing
    from matchbound.planning import plan
    from matchbound.planning.plots import check_plot

    if options.plot is not None:
        refuse_existing([check_plot(options.plot)], options.force)
    _progress("planning" if options.one_to_one else "simulating draws, for up to a minute")
    given = {name: getattr(options, name) for name in ("delta", "theorem", "gap")}
    planned = plan(
        size=options.size,
        matched=options.matched,
        guesses=_by_metric(options.guess, "guess"),
        targets=_by_metric(options.target, "target"),
        labels=options.labels,
        power=options.power,
        gap_rate=options.gap_rate,
        train=options.train,
        one_to_one=options.one_to_one,
        at_most_one_match=options.at_most_one_match,
        **{name: value for name, value in given.items() if value is not None},
    )
    _say(planned)
    if options.plot is not None:
        planned.save_plot(options.plot, force=options.force)
    return 0 if options.labels is not None or planned.needed is not None else 1


def _figures(options: argparse.Namespace) -> int:
    from matchbound.figures import figures

    for path in figures(options.out, force=options.force):
        _say(path)
    return 0


def _report(options: argparse.Namespace) -> int:
    from matchbound.reports import write_report

    targets = _by_metric(options.target, "target")
    out = write_report(options.target_file, options.out, targets=targets, force=options.force)
    _say(f"The report is in {out}.")
    return 0


def _reconcile(options: argparse.Namespace) -> int:
    from matchbound.files import refuse_existing
    from matchbound.matchers import reconcile
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
    _refuse_input_as_out(out, [options.left, options.right, options.seeds])
    matches = reconcile(
        options.left,
        options.right,
        options.seeds,
        method=options.method or "witness",
        threshold=options.threshold,
        repeat=options.repeat,
        marks=options.marks,
        seed=options.seed,
    )
    matches.save(out, force=options.force)
    _say(matches)
    _say(f"They are in {out}; scores are above 0, so certify with --threshold 0 takes them all.")
    return 0


def _withhold(options: argparse.Namespace) -> int:
    from matchbound.files import check_writable, refuse_existing
    from matchbound.withholding import command, network, withhold

    audit = Path(options.audit)
    out = audit / "certificate.json"
    refuse_existing([out], options.force)
    networks = (options.left, options.right)
    if (options.command is None) != (None not in networks):
        raise InputError(
            "command must be given, or left and right, got "
            f"{'both' if options.command else 'neither'}. Say which matcher is to be run."
        )
    if options.command is not None:
        if options.method is not None:
            raise InputError(
                f"method must be left out with command, got {options.method!r}. Drop one of them."
            )
        matcher, threshold = command(options.command), options.threshold
    else:
        given = {"method": options.method, "threshold": _whole(options.threshold)}
        matcher = network(*networks, **{k: v for k, v in given.items() if v is not None})
        threshold = 0.0
    check_writable(out)
    certificate = withhold(
        matcher, audit, threshold=threshold, force=options.force, progress=_progress
    )
    certificate.save(out, force=options.force)
    _say(certificate)
    return 0


def _whole(number: float | None) -> int | float | None:
    whole = number is not None and math.isfinite(number) and number == int(number)
    return int(number) if whole and number is not None else number


def _guide(options: argparse.Namespace, out: Path) -> int:
    from matchbound.files import refuse_existing
    from matchbound.guiding import guide

    own = ("seeds", "method", "threshold", "repeat", "marks", "seed")
    for name in own:
        if getattr(options, name) is not None:
            raise InputError(
                f"{name} must be left out with guided, got {getattr(options, name)!r}: it is fixed "
                "by the draw. Drop it."
            )
    target = _by_metric(options.target, "target")
    if set(target) != {"precision"}:
        raise InputError(f"target must be a precision, got {target}. Give precision=0.95.")
    written = Path(options.guided) / "certificate.json"
    refuse_existing([written], options.force)
    _refuse_input_as_out(out, [options.left, options.right, options.labels])
    matches, certificate = guide(
        options.left,
        options.right,
        options.guided,
        target=target["precision"],
        out=out,
        labels=options.labels,
        force=options.force,
    )
    certificate.save(written, force=options.force)
    _say(matches)
    _say(certificate)
    return 0


def _demo(options: argparse.Namespace) -> int:
    from matchbound.demo import demo

    demo(Path(options.out), force=options.force)
    return 0


def _choices(options: argparse.Namespace) -> dict[str, Any]:
    """The choices that were given; the others keep their defaults."""
    given = {
        "delta": options.delta,
        "metrics": options.metric,
        "theorem": options.theorem,
        "bound": options.bound,
        "one_to_one": options.one_to_one or None,
        "guesses": _by_metric(options.guess, "guess") or None,
        "bands": _numbers(options.bands, "bands"),
        "algorithms": options.algorithm,
        "choose_threshold": _by_metric(options.choose_threshold, "choose-threshold") or None,
        "candidates": _numbers(options.candidates, "candidates"),
        "at_most_one_match": options.at_most_one_match or None,
        "future": options.future or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _whole_numbers(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise InputError(
            f"options must be whole numbers with commas between them, got {text!r}. "
            "Give for example 2,3,4."
        )
    return tuple(int(part) for part in text.split(","))


def _numbers(text: str | None, argument: str) -> tuple[float, ...] | None:
    """`0.5,0.9`."""
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"{argument} must be scores with commas between them, got {text!r}. "
            "Give for example 0.5,0.9."
        ) from None


def _named(given: Sequence[str] | None) -> Any:
    """A file; or `name=FILE`, for several algorithms."""
    if not given:
        return None
    if len(given) == 1 and ("=" not in given[0] or Path(given[0]).exists()):
        return given[0]
    named = dict(_pairs(given, "holdout and complete"))
    if len(named) < len(given):
        raise InputError(
            f"holdout and complete must name each algorithm once, got {', '.join(given)}. "
            "Give name=FILE for each."
        )
    return named


def _pairs(given: Sequence[str] | None, argument: str) -> list[tuple[str, str]]:
    pairs = []
    for text in given or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise InputError(
                f"{argument} must be given as name=value, got {text!r}. Put an equals sign between."
            )
        pairs.append((name, value))
    return pairs


def _by_metric(pairs: Sequence[str] | None, argument: str) -> dict[str, float]:
    """`precision=0.9`, for as many metrics as given."""
    values: dict[str, float] = {}
    for pair in pairs or ():
        metric, _, number = pair.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 1 or metric in values:
            raise InputError(
                f"{argument} must be a metric and a number from 0 to 1, once each, got {pair!r}. "
                "Give for example precision=0.9."
            )
        values[metric] = value
    return values


def _columns(text: str | None) -> dict[str, str]:
    """`x=left_id,y=right_id`."""
    columns = {}
    for part in text.split(",") if text else ():
        role, _, name = part.partition("=")
        if role not in COLUMN_ROLES or not name:
            raise InputError(
                f"columns must be given as role=name, with roles {', '.join(COLUMN_ROLES)}, "
                f"got {part!r}. Give for example x=left_id,y=right_id."
            )
        columns[role] = name
    return columns


def _progress(stage: str) -> None:
    if sys.stderr.isatty():
        print(f"matchbound: {stage} …", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
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
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    _add_plan(verbs.add_parser("plan", help="how many labels are needed, or what they give"))

    draw = verbs.add_parser("draw", help="draw the nodes to label")
    draw.add_argument("population", help="CSV or Parquet file with one row a node")
    draw.add_argument("--labels", type=int, metavar="N", help="nodes to validate on")
    draw.add_argument("--train", type=int, metavar="T", help="nodes to train on (default: 0)")
    draw.add_argument("--seed", metavar="TEXT", help="made from fresh randomness if not given")
    draw.add_argument("--id", metavar="COLUMN", help="the column of ids (default: id)")
    draw.add_argument("--out", required=True, metavar="AUDIT", help="the audit folder to write")
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
    draw.set_defaults(run=_draw)

    register = verbs.add_parser("register", help="put a holdout matcher on record")
    register.add_argument("audit", help="the folder that draw wrote")
    _add_holdout(register)
    register.set_defaults(run=_register)

    certify = verbs.add_parser("certify", help="bound a matcher's precision and recall")
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
    certify.set_defaults(run=_certify)

    verify = verbs.add_parser("verify", help="compute a certificate again")
    verify.add_argument("target", help="an audit folder, or a certificate.json")
    verify.add_argument("--memory", metavar="SIZE", help="spill to disk beyond this, such as 8GB")
    verify.set_defaults(run=_verify)

    figures = verbs.add_parser("figures", help="draw the paper's figures")
    figures.add_argument("--out", required=True, metavar="FOLDER", help="the folder to write to")
    figures.add_argument("--force", action="store_true", help="overwrite what is there")
    figures.set_defaults(run=_figures)

    report = verbs.add_parser("report", help="write a certificate as a page")
    report.add_argument("target_file", metavar="AUDIT", help="or a certificate.json")
    report.add_argument("-o", "--out", metavar="FILE", help="default: AUDIT/report.html")
    report.add_argument(
        "--target",
        action="append",
        metavar="METRIC=VALUE",
        help="what is wanted, drawn beside the bounds; repeatable",
    )
    report.add_argument("--force", action="store_true", help="overwrite an existing file")
    report.set_defaults(run=_report)

    reconcile = verbs.add_parser("reconcile", help="match the nodes of two networks")
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
    reconcile.add_argument("--out", required=True, metavar="FILE", help="CSV or Parquet to write")
    reconcile.add_argument("--force", action="store_true", help="overwrite what is there")
    reconcile.set_defaults(run=_reconcile)

    withhold = verbs.add_parser(
        "withhold", help="run a matcher without and with the validation labels, and certify it"
    )
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
    withhold.set_defaults(run=_withhold)

    demo = verbs.add_parser("demo", help="the whole chain on data made for it")
    demo.add_argument("--out", default="demo-audit", metavar="FOLDER")
    demo.add_argument("--force", action="store_true", help="overwrite what is there")
    demo.set_defaults(run=_demo)
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
        help=f"the value you expect of {METRICS}; repeatable",
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
    plan.set_defaults(run=_plan)


def _add_choices(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--delta", type=float, help="probability of failure (default: 0.05)")
    parser.add_argument(
        "--metric",
        action="append",
        metavar="METRIC",
        help=f"{METRICS}; repeatable (default: precision and recall)",
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


def _add_holdout(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--holdout",
        action="append",
        metavar="H",
        help="matches of the matcher developed without the validation labels; "
        "name=FILE for several algorithms",
    )
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
    parser.add_argument("--memory", metavar="SIZE", help="spill to disk beyond this, such as 8GB")
    parser.add_argument("--force", action="store_true", help="overwrite existing files")


if __name__ == "__main__":
    sys.exit(main())
