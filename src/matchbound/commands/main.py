"""The command line: parse, call one function, print."""

import argparse
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from matchbound.commands.options import build_parser
from matchbound.commands.values import (
    by_metric,
    columns,
    named,
    numbers,
    pairs,
    whole,
    whole_numbers,
)
from matchbound.errors import EngineError, InputError, MatchboundError, UnfinishedError


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done and every requirement met, 1 not so, 2 bad input; 128 and a signal's number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    with _ended_by_signals() as ended:
        try:
            return int(options.run(options))
        except MatchboundError as error:
            print(f"matchbound: {error}", file=sys.stderr)
            return 1 if isinstance(error, UnfinishedError) else 2
        except KeyboardInterrupt:
            return 128 + (ended or [signal.SIGINT])[0]


@contextmanager
def _ended_by_signals() -> Iterator[list[int]]:
    """To be terminated is to be interrupted: what was spilled or half written is removed."""
    ended: list[int] = []

    def end(number: int, _: object) -> None:
        ended.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield ended
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield ended
    finally:
        signal.signal(signal.SIGTERM, before)


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
    from matchbound.audits.sample import draw, dry_run

    out = Path(options.out)
    if options.extend:
        return _extend(options, out)
    holdout, among = named(options.holdout), options.among
    if among is not None and holdout is not None:
        raise InputError(
            f"holdout must be left out with among, got {holdout!r}: that is the matcher. Drop it."
        )
    given: dict[str, Any] = {
        "labels": options.labels,
        "train": options.train or 0,
        "seed": options.seed,
        "id": options.id,
        "holdout": holdout if among is None else among,
        "threshold": options.threshold,
        "columns": columns(options.columns),
        "anytime": options.anytime,
        "allowance": options.allowance,
        "trained_on": options.trained_on,
        "dedupe": options.dedupe,
        "link": options.link,
        "source": options.source,
        "out": out,
        "force": options.force,
        "engine": options.engine,
        "memory": options.memory,
        "temp": options.temp,
        "progress": _progress,
        **_choices(options),
        **_of_the_draw(options),
    }
    if options.dry_run:
        for line in dry_run(options.population, **given):
            _say(line)
        _say_how_to_label(out)
        _say("Dry run: no seed was made, and nothing was written.")
        return 0
    _say(draw(options.population, say=_say, **given))
    _say_how_to_label(out)
    return 0


def _say_how_to_label(out: Path) -> None:
    _say(f"Verify their matches and write them to {out / 'labels.csv'} as columns x, y;")
    _say("one row a true match, an empty y where a node has none. The ids are in sample.csv.")


def _extend(options: argparse.Namespace, out: Path) -> int:
    """A larger draw in the place of a smaller one; everything but the number of labels stays."""
    from matchbound.audits.draw import Draw
    from matchbound.audits.folder import draw_record
    from matchbound.audits.sample import redraw

    before = draw_record(out) or Draw.load(out).as_dict()
    own = ("extend", "population", "labels", "out", "engine", "memory", "temp", "run", "force")
    other = [name for name, value in vars(options).items() if value and name not in own]
    if other:
        raise InputError(
            f"{other[0]} must be left out with extend, got {getattr(options, other[0])!r}: "
            "everything but labels is as it was drawn. Drop it."
        )
    drawn = redraw(
        before,
        options.population,
        labels=options.labels,
        trained_on=(before["trained_on"] or {}).get("path"),
        engine=options.engine,
        memory=options.memory,
        temp=options.temp,
        progress=_progress,
    )
    drawn.extend(out)
    _say(drawn)
    return 0


def _of_the_draw(options: argparse.Namespace) -> dict[str, Any]:
    """The choices that only a draw can make."""
    until: dict[str, int] = {}
    for metric, count in pairs(options.until, "until"):
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
        "options": whole_numbers(options.options),
    }
    return {name: value for name, value in given.items() if value is not None}


def _register(options: argparse.Namespace) -> int:
    from matchbound.audits.registry import register

    labelled = register(
        options.audit,
        holdout=named(options.holdout),
        threshold=options.threshold,
        columns=columns(options.columns),
    )
    late = f"{labelled} validation nodes have labels already, so no certificate can say that it was"
    when = f"{late} on record before them" if labelled else "no label is in yet"
    _say(f"The holdout matcher is on record; {when}.")
    return 0


def _label(options: argparse.Namespace) -> int:
    from matchbound.desk.inputs import Inputs
    from matchbound.desk.server import label

    inputs = Inputs(
        options.records,
        options.against,
        options.candidates,
        options.holdout,
        options.threshold,
        columns(options.columns),
        options.population,
        options.id,
        by_metric(options.target, "target"),
    )
    done = label(
        options.audit,
        inputs,
        twice=options.twice,
        listen=options.listen,
        port=options.port,
        browser=options.browser,
        say=_say,
    )
    _say(done)
    return 0


def _certify(options: argparse.Namespace) -> int:
    from matchbound.audits.draw import PARTS
    from matchbound.certificates.certification import certify
    from matchbound.files import check_writable, refuse_existing, refuse_input_as_out

    out = Path(options.out or Path(options.audit or ".") / "certificate.json")
    refuse_existing([out], options.force)
    if options.audit is None or Path(options.audit).is_dir():
        check_writable(out)
    holdout, complete = named(options.holdout), named(options.complete)
    inputs = [options.labels, options.population, options.trained_on]
    inputs += [Path(options.audit) / name for name in PARTS if options.audit is not None]
    for matches in (holdout, complete):
        inputs += matches.values() if isinstance(matches, dict) else [matches]
    refuse_input_as_out(out, inputs)
    required = by_metric(options.require, "require")
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
        columns=columns(options.columns),
        dedupe=options.dedupe,
        link=options.link,
        source=options.source,
        engine=options.engine,
        memory=options.memory,
        temp=options.temp,
        progress=_progress,
        out=out,
        force=options.force,
        **_choices(options),
        **({} if options.allowance is None else {"allowance": options.allowance}),
    )
    met = {metric: certificate.meets(metric, target) for metric, target in required.items()}
    _say(certificate.to_json().rstrip("\n") if options.json else certificate)
    for metric, target in required.items():
        verdict, reason = (
            "certified" if met[metric] else "not certified",
            certificate.shortfall,
        )
        verdict += f" ({reason})" if reason else ""
        print(f"Required {metric} {target:g}: {verdict}.", file=sys.stderr)
    return 0 if all(met.values()) else 1


def _check_required(required: dict[str, float], options: argparse.Namespace) -> None:
    """Before anything is computed: what is required must be among what is certified."""
    from matchbound.audits.draw import Draw
    from matchbound.theorems.choices import Choices

    metrics = options.metric or Choices().metrics
    if required and options.audit is not None and not options.metric:
        metrics = Draw.load(options.audit).choices.metrics
    for metric in required:
        if metric not in metrics:
            raise InputError(
                f"metric must be one that was certified, got {metric!r}. "
                f"Choose among {', '.join(metrics)}."
            )


def _patch(options: argparse.Namespace) -> int:
    from matchbound.certificates.patch import patch

    given = ("holdout", "out", "labels", "threshold", "population", "force")
    written = patch(
        options.audit,
        columns=columns(options.columns),
        progress=_progress,
        **{name: getattr(options, name) for name in given},
    )
    _say(written)
    return 0


def _verify(options: argparse.Namespace) -> int:
    from matchbound.certificates.verification import verify

    verification = verify(
        options.target, memory=options.memory, temp=options.temp, progress=_progress
    )
    _say(verification)
    return 0 if verification.holds else 1


def _plan(options: argparse.Namespace) -> int:
    from matchbound.files import refuse_existing
    from matchbound.plans.chart import check_plot
    from matchbound.plans.plan import plan

    if options.plot is not None:
        refuse_existing([check_plot(options.plot)], options.force)
    _progress("planning")
    given = {name: getattr(options, name) for name in ("delta", "theorem", "gap")}
    planned = plan(
        size=options.size,
        matched=options.matched,
        guesses=by_metric(options.guess, "guess"),
        targets=by_metric(options.target, "target"),
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
    from matchbound.reports.figures import figures

    for path in figures(options.out, force=options.force):
        _say(path)
    return 0


def _report(options: argparse.Namespace) -> int:
    from matchbound.reports.report import write_report

    targets = by_metric(options.target, "target")
    out = write_report(options.target_file, options.out, targets=targets, force=options.force)
    _say(f"The report is in {out}.")
    return 0


def _reconcile(options: argparse.Namespace) -> int:
    from matchbound.files import refuse_existing, refuse_input_as_out
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
    refuse_input_as_out(out, [options.left, options.right, options.seeds])
    if options.engine is not None:
        return _reconcile_by_engine(options, out)
    matches = reconcile(
        options.left,
        options.right,
        options.seeds,
        method=options.method or "witness",
        threshold=options.threshold,
        repeat=options.repeat,
        marks=options.marks,
        seed=options.seed,
        memory=options.memory,
        temp=options.temp,
    )
    matches.save(out, force=options.force)
    return _say_matched(matches, out)


def _reconcile_by_engine(options: argparse.Namespace, out: Path) -> int:
    from matchbound.matchers.reconciliation import write_reconciled

    matches = write_reconciled(
        options.left,
        options.right,
        options.seeds,
        out=out,
        engine=options.engine,
        method=options.method or "witness",
        force=options.force,
        memory=options.memory,
        temp=options.temp,
        progress=_progress,
        threshold=options.threshold,
        repeat=options.repeat,
        marks=options.marks,
        seed=options.seed,
    )
    return _say_matched(matches, out)


def _say_matched(matches: object, out: Path) -> int:
    _say(matches)
    _say(f"They are in {out}; scores are above 0, so certify with --threshold 0 takes them all.")
    return 0


def _withhold(options: argparse.Namespace) -> int:
    from matchbound.certificates.withheld import withhold
    from matchbound.files import check_writable, refuse_existing
    from matchbound.matchers.program import command, network

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
        given = {"method": options.method, "threshold": whole(options.threshold)}
        matcher = network(*networks, **{k: v for k, v in given.items() if v is not None})
        threshold = 0.0
    check_writable(out)
    given = {"threshold": threshold, "out": out, "force": options.force, "progress": _progress}
    _say(withhold(matcher, audit, **given))
    return 0


def _guide(options: argparse.Namespace, out: Path) -> int:
    from matchbound.certificates.guided import guide
    from matchbound.files import refuse_existing, refuse_input_as_out

    own = ("seeds", "method", "threshold", "repeat", "marks", "seed", "engine", "memory", "temp")
    for name in own:
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
    _say(matches)
    _say(certificate)
    return 0


def _demo(options: argparse.Namespace) -> int:
    from matchbound.commands.demo import demo

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
        "guesses": by_metric(options.guess, "guess") or None,
        "matched": options.matched,
        "bands": numbers(options.bands, "bands"),
        "algorithms": options.algorithm,
        "choose_threshold": by_metric(options.choose_threshold, "choose-threshold") or None,
        "candidates": numbers(options.candidates, "candidates"),
        "at_most_one_match": options.at_most_one_match or None,
        "future": options.future or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _progress(stage: str) -> None:
    if sys.stderr.isatty():
        print(f"matchbound: {stage} …", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    return build_parser(
        {
            "certify": _certify,
            "demo": _demo,
            "label": _label,
            "draw": _draw,
            "figures": _figures,
            "patch": _patch,
            "plan": _plan,
            "reconcile": _reconcile,
            "register": _register,
            "report": _report,
            "verify": _verify,
            "withhold": _withhold,
        }
    )


if __name__ == "__main__":
    sys.exit(main())
