"""The report's page: first the guarantees and their assumptions, then the details."""

from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from matchbound.certificates import (
    ledger_line,
    meaning,
    part_line,
    planned_line,
    release_line,
    sample_line,
    sentences,
    threshold_line,
    within_part,
)
from matchbound.charts import Bar, picture
from matchbound.reports.releases import releases_section
from matchbound.reports.sections import costs, differences, errors, tallies, verification
from matchbound.theorems import WHOLE, Guarantee, parts

if TYPE_CHECKING:
    from matchbound.certificates import Certificate, Releases

Targets = Mapping[str, float]


def page(certificate: "Certificate", targets: Targets, releases: "Releases | None" = None) -> str:
    """The HTML of the page. It has no script, and loads nothing from other files or servers.

    `releases` are those of the certificate's folder.
    """
    style = (files("matchbound") / "reports" / "report.css").read_text("utf-8")
    body = "\n".join(
        [
            "<header><h1>Matching certificate</h1></header>",
            _first(certificate, targets),
            "" if releases is None else releases_section(releases),
            _assumed(certificate),
            costs(certificate),
            _bands(certificate),
            differences(certificate),
            errors(certificate, targets),
            verification(certificate),
            tallies(certificate),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Matching certificate</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _first(certificate: "Certificate", targets: Targets) -> str:
    bands = {part.name for part in parts(certificate.choices) if part.is_band}
    whole = [g for g in certificate.guarantees if g.part not in bands]
    lines = "".join(f"<p class='lead'>{escape(line)}</p>" for line in certificate.heading)
    cards = "".join(_card(certificate, g.metric, g.part, targets) for g in whole)
    marks = (
        '<p class="key"><span class="mark range"></span> where it lies '
        '<span class="mark estimate"></span> mean of the sample, for the holdout matcher'
        + (' <span class="mark target"></span> target' if targets else "")
        + "</p>"
    )
    figure = f"<figure>{picture(_bars(whole, targets))}{marks}</figure>" if whole else ""
    below = [
        *part_line(certificate.inputs),
        *meaning(certificate.guarantees),
        *sample_line(certificate.guarantees, certificate.tallies, certificate.choices),
        *threshold_line(certificate.threshold, certificate.choices),
        *certificate.remarks,
    ]
    text = "".join(f"<p>{escape(line)}</p>" for line in below)
    warning = ' class="exploratory"' if certificate.exploratory else ""
    return f'<section{warning}>{lines}<div class="cards">{cards}</div>{figure}{text}</section>'


def _card(certificate: "Certificate", metric: str, part: str, targets: Targets) -> str:
    g = next(g for g in certificate.guarantees if (g.metric, g.part) == (metric, part))
    verdict = ""
    if metric in targets:
        met = certificate.meets(metric, targets[metric], part)
        word = "certified" if met else "not certified"
        reason = certificate.why_unmet(metric)
        word += f" ({escape(reason)})" if reason else ""
        verdict = f'<p class="verdict">target {targets[metric]:g}: {word}</p>'
    where = ("" if part == WHOLE else f", {part}") + within_part(certificate.inputs)
    return (
        f'<div class="card"><h2>{escape(metric.capitalize())}</h2>'
        f'<p class="value" data-metric="{metric}" data-part="{escape(part)}" '
        f'data-value="{g.value!r}">{escape(g.text)}</p>'
        f"<p>of the {g.algorithm} matcher{escape(where)}</p>{verdict}</div>"
    )


def _assumed(certificate: "Certificate") -> str:
    tally = next(iter(certificate.tallies.values()))
    both = f", {len(tally.overlap):,} of them in both" if tally.overlap else ""
    within = certificate.inputs.within
    of_part = "" if within is None else f" in {within.name}"
    items = "".join(f"<li>{escape(line)}</li>" for line in certificate.sentences)
    advice = "".join(f"<p>{escape(line)}</p>" for line in sentences(certificate.advice))
    lines = [
        *planned_line(certificate.guarantees, certificate.choices),
        *release_line(certificate.release),
        *ledger_line(certificate.ledger, certificate.exploratory),
    ]
    ledger = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return (
        "<section><h2>What was labelled</h2>"
        f"<p>{len(tally.validation):,} nodes to validate on and {len(tally.train):,} to train "
        f"on{both}, out of {tally.size:,}{escape(of_part)}.</p>{ledger}{advice}"
        f"<h2>What is assumed</h2><ul>{items}</ul></section>"
    )


def _bands(certificate: "Certificate") -> str:
    bands = {part.name for part in parts(certificate.choices) if part.is_band}
    banded = [g for g in certificate.guarantees if g.part in bands]
    if not banded:
        return ""
    return (
        "<section><h2>Bands of scores</h2><p>Each bound holds together with all others.</p>"
        f"<figure>{picture(_bars(banded, {}))}</figure></section>"
    )


def _bars(guarantees: Iterable[Guarantee], targets: Targets) -> list[Bar]:
    return [
        Bar(g.subject, g.text, g.value, g.side == "lower", g.estimate, targets.get(g.metric))
        for g in guarantees
    ]
