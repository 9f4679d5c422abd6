"""`matchbound certify`: bound a matcher's precision and recall."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.commands.options import (
    add_choices,
    add_engine,
    add_force,
    add_holdout,
    add_sides,
    add_threshold,
    by_algorithm,
    by_metric,
    chosen,
    columns,
    engine_of,
)
from matchbound.commands.terminal import note, progress, say
from matchbound.errors import InputError

if TYPE_CHECKING:
    from matchbound.certificates import Certificate

EXAMPLE = "matchbound certify audit --require precision=0.95"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "audit", nargs="?", metavar="AUDIT", help="the folder that audit or draw wrote"
    )
    add_holdout(parser, " (default: as registered)")
    parser.add_argument(
        "--complete",
        metavar="C",
        action="append",
        help="matches of the matcher to certify, developed with anything (default: H)",
    )
    add_threshold(parser)
    parser.add_argument("--labels", metavar="FILE", help="default: AUDIT/labels.csv")
    parser.add_argument(
        "--require",
        action="append",
        metavar="METRIC=VALUE",
        help="exit with 1 unless this is certified",
    )
    parser.add_argument(
        "--estimate", action="store_true", help="print point estimates instead: no guarantee"
    )
    parser.add_argument("--json", action="store_true", help="print the certificate as JSON")
    parser.add_argument(
        "--release", metavar="NAME", help="keep it as a release: AUDIT/releases/NAME.json"
    )
    parser.add_argument("--out", metavar="FILE", help="default: AUDIT/certificate.json")
    add_force(parser)
    _add_brought(parser)
    add_sides(parser)
    add_choices(parser)
    add_engine(parser, default="duckdb", help="what reads the tables (default: duckdb)")


def _add_brought(parser: argparse.ArgumentParser) -> None:
    drawn = parser.add_argument_group("of a draw")
    drawn.add_argument(
        "--unlabelled",
        choices=("refuse", "worst"),
        default="refuse",
        help="drawn records without a label (default: refuse)",
    )
    drawn.add_argument(
        "--gap-from",
        metavar="census|sample",
        help="where the matchers are compared (default: as drawn)",
    )
    drawn.add_argument(
        "--changed",
        metavar="IDS",
        help="records of a --population that has changed which are not what they were",
    )
    drawn.add_argument(
        "--cohort",
        action="append",
        metavar="NAME",
        help="use the certificate of a later draw, from new records; its δ is added",
    )
    truth = parser.add_argument_group("of labels that were not made on the labelling page")
    truth.add_argument(
        "--truth-searched",
        metavar="TEXT",
        help="how true matches were looked for, in your words: in the ledger and the certificate",
    )
    brought = parser.add_argument_group("labels without a draw")
    brought.add_argument(
        "--population", metavar="P", help="(with AUDIT: where it is now, or as it is now)"
    )
    brought.add_argument("--id", metavar="COLUMN", help="the population's column of ids")
    brought.add_argument(
        "--trained-on", metavar="D", help="labelled records that the holdout matcher learned from"
    )
    brought.add_argument(
        "--assume-uniform",
        action="store_true",
        help="the labelled records are a uniform random sample",
    )


def run(options: argparse.Namespace) -> int:
    """Certify, and print the certificate; return 1 if a requirement is not certified."""
    from matchbound.certificates.certification import certify

    if options.estimate:
        return _estimate(options)
    out = _check_out(options)
    required = by_metric(options.require, "require")
    _check_required(required, options)
    certificate = certify(
        options.audit,
        holdout=by_algorithm(options.holdout),
        complete=by_algorithm(options.complete),
        labels=options.labels,
        threshold=options.threshold,
        unlabelled=options.unlabelled,
        truth_searched=options.truth_searched,
        release=options.release,
        gap_from=options.gap_from,
        population=options.population,
        changed=options.changed,
        cohorts=options.cohort or (),
        id=options.id,
        trained_on=options.trained_on,
        assume_uniform=options.assume_uniform,
        columns=columns(options.columns),
        clusters=options.clusters,
        dedupe=options.dedupe,
        link=options.link,
        source=options.source,
        **engine_of(options),
        progress=progress,
        out=out,
        force=options.force,
        **chosen(options),
    )
    met = {metric: certificate.meets(metric, target) for metric, target in required.items()}
    say(certificate.to_json().rstrip("\n") if options.json else certificate)
    _print_required(certificate, required, met)
    return 0 if all(met.values()) else 1


ONLY_CERTIFIED = (
    *("complete", "require", "json", "out", "force", "gap_from", "id", "trained_on"),
    *("assume_uniform", "dedupe", "link", "source", "truth_searched", "release"),
    *("changed", "cohort"),
)
"""Options that an estimate does not take: it is of the holdout matcher, and written nowhere."""


def _estimate(options: argparse.Namespace) -> int:
    """Print point estimates; no certificate is made."""
    from matchbound.certificates.estimation import estimate

    given = [name for name in ONLY_CERTIFIED if getattr(options, name)] + list(chosen(options))
    for name in given:
        raise InputError(
            f"estimate must come without {name}, got both: it is of the holdout matcher, as drawn, "
            "and it is written nowhere. Drop one of them."
        )
    say(
        estimate(
            options.audit,
            holdout=by_algorithm(options.holdout),
            labels=options.labels,
            threshold=options.threshold,
            columns=columns(options.columns),
            clusters=options.clusters,
            unlabelled=options.unlabelled,
            population=options.population,
            **engine_of(options),
            progress=progress,
        )
    )
    return 0


def _check_out(options: argparse.Namespace) -> Path | None:
    """The path of the certificate; refuse it before anything is computed.

    None for a release: its name decides.
    """
    from matchbound.audits.audit import Audit
    from matchbound.audits.places import whole_paths
    from matchbound.files import (
        check_writable,
        is_file,
        is_folder,
        refuse_existing,
        refuse_input_as_out,
    )

    if options.release is not None and options.out is None:
        return None
    out = Path(options.out or Path(options.audit or ".") / "certificate.json")
    if options.audit is not None and not options.force and is_file(out):
        raise InputError(
            f"out must not exist yet, got {str(out)!r}. Keep it and add a certificate with "
            "--release NAME, choose another place with --out, or use --force."
        )
    refuse_existing([out], options.force)
    if options.audit is None or is_folder(Path(options.audit)):
        check_writable(out)
    inputs = [options.labels, options.population, options.changed, options.trained_on]
    if options.audit is not None:
        inputs += [*Audit(Path(options.audit)).files, *whole_paths(Path(options.audit))]
    for matches in (by_algorithm(options.holdout), by_algorithm(options.complete)):
        inputs += matches.values() if isinstance(matches, dict) else [matches]
    refuse_input_as_out(out, inputs)
    return out


def _check_required(required: Mapping[str, float], options: argparse.Namespace) -> None:
    """Refuse, before anything is computed, to require a metric that is not certified."""
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


def _print_required(
    certificate: "Certificate", required: Mapping[str, float], met: Mapping[str, bool]
) -> None:
    for metric, target in required.items():
        reason = certificate.why_unmet(metric)
        verdict = "certified" if met[metric] else "not certified"
        verdict += f" ({reason})" if reason else ""
        note(f"Required {metric} {target:g}: {verdict}.")
