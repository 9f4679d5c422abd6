"""A certificate in words, for a terminal."""

import math
from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from matchbound.bounds import BOUNDS
from matchbound.errors import AssumptionError
from matchbound.theorems import (
    METRICS,
    WHOLE,
    Choices,
    Guarantee,
    Tally,
    as_text,
    at_least,
    guarantees,
    patched_holdout,
    percent,
)

if TYPE_CHECKING:
    from matchbound.certificates.certificate import Certificate

CHECKED = "Checked: "  # how a line of the assumptions begins that is none
ENOUGH = 30  # sampled nodes with a true match


def describe(certificate: "Certificate") -> str:
    """Bounds rounded outwards to four decimals."""
    tally = next(iter(certificate.tallies.values()))
    lines = [
        *heading(certificate),
        *map(_line, certificate.guarantees),
        *meaning(certificate),
        *threshold_line(certificate),
        *comparison(certificate),
    ]
    both = f", {len(tally.overlap)} of them in both" if tally.overlap else ""
    lines.append(
        f"Labelled: {len(tally.validation)} nodes to validate on and {len(tally.train)} "
        f"to train on{both}, out of {tally.size}."
    )
    lines += planned_line(certificate)
    lines += ledger_line(certificate)
    checked = [line for line in certificate.assumptions if line.startswith(CHECKED)]
    assumed = [line for line in certificate.assumptions if not line.startswith(CHECKED)]
    lines += [*checked, "Assumed:", *(f"  - {assumption}" for assumption in assumed)]
    lines += certificate.advice
    return "\n".join(lines)


def why_not_whole(certificate: "Certificate") -> str:
    """Why a certificate meets no requirement, in a few words; empty if it can meet one.

    The one rule of `--require`, of reports and of the heading.
    """
    if certificate.exploratory:
        return "exploratory"
    if certificate.inputs.get("draw", {}).get("seed_given"):
        return "the seed was given by the user"
    if _together(certificate) < _alone(certificate):
        return f"together with all else on record it holds with {percent(_together(certificate))}"
    return ""


def _alone(certificate: "Certificate") -> float:
    """1 − δ."""
    return at_least(1 - Fraction(repr(certificate.choices.delta)))


def _together(certificate: "Certificate") -> float:
    """The probability with which all that may have been picked from holds."""
    ledger = certificate.ledger
    return _alone(certificate) if ledger is None else float(ledger["together"])


def heading(certificate: "Certificate") -> list[str]:
    lines = []
    if certificate.exploratory:
        names = ", ".join(certificate.exploratory)
        lines = [f"Exploratory: no guarantee. Not as fixed at the draw: {names}."]
    if not certificate.guarantees:
        return [*lines, "Nothing is certified."]
    if lines:
        sure = percent(_alone(certificate))
        return [*lines, f"Had that been fixed there, with probability at least {sure}, together:"]
    about = ", about nodes to come" if certificate.choices.future else ""
    sure = percent(_together(certificate))
    return [f"With probability at least {sure}, all together{about}{_reason(certificate)}:"]


def _reason(certificate: "Certificate") -> str:
    """What made the probability smaller than the certificate's own."""
    if certificate.ledger is None or _together(certificate) >= _alone(certificate):
        return ""
    matchers, draws = certificate.ledger["matchers"], certificate.ledger["draws"]
    ways = [f"{matchers} matchers on record or looked at"] if matchers > 1 else []
    ways += [f"{draws} draws of this folder"] if draws > 1 else []
    return f" (for {' and '.join(ways or ['several complete matchers'])})"


def _line(g: Guarantee) -> str:
    where = "" if g.part == WHOLE else f", {g.part},"
    mean = (
        "no sampled node tells"
        if g.estimate is None
        else f"holdout's {METRICS[g.metric].mean} {g.estimate:.4f}"
    )
    return (
        f"  {g.metric:10} of the {g.algorithm} matcher{where} {g.text}"
        f"   ({mean}; {g.theorem}, {g.bound})"
    )


def meaning(certificate: "Certificate") -> list[str]:
    """What is averaged over what: other tools count pairs."""
    metrics = dict.fromkeys(g.metric for g in certificate.guarantees)
    said = "; ".join(f"{metric}: {METRICS[metric].words}" for metric in metrics)
    return [f"Means over records, not over pairs. {_sentence(said)}."] if said else []


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def comparison(certificate: "Certificate") -> list[str]:
    """Where the same labels say more of the holdout matcher, alone or patched: that, in numbers.

    All of it holds on the same event, so nothing is paid for the comparison.
    """
    choices = certificate.choices
    complete = [g for g in certificate.guarantees if g.algorithm == "complete"]
    if not complete or choices.theorem == "paper" or choices.is_sampled or choices.choose_threshold:
        return []
    others = {
        "the holdout matcher": guarantees(certificate.tallies, choices, complete=False),
        "the holdout matcher with the labels written over it (`matchbound patch`)": _patched(
            certificate
        ),
    }
    better = [
        f"of {matcher}, {', '.join(said)}"
        for matcher, found in others.items()
        if (
            said := [
                _bare(one) for one, g in zip(found, complete, strict=False) if _is_better(one, g)
            ]
        )
    ]
    return [f"The same labels certify more {'; '.join(better)}."] if better else []


def _patched(certificate: "Certificate") -> tuple[Guarantee, ...]:
    if certificate.choices.bands:  # tallies do not tell in which band a missed match would be
        return ()
    tallies = {part: patched_holdout(tally) for part, tally in certificate.tallies.items()}
    try:
        return guarantees(tallies, certificate.choices, complete=True)
    except AssumptionError:  # a promise about matchers that labels need not keep
        return ()


def _bare(g: Guarantee) -> str:
    """`precision ≥ 0.9636`."""
    return f"{g.metric}{'' if g.part == WHOLE else f' ({g.part})'} {g.text}"


def _is_better(one: Guarantee, than: Guarantee) -> bool:
    """In the digits that are printed."""
    shown, other = (float(g.text.split()[1]) for g in (one, than))
    return shown > other if than.side == "lower" else shown < other


def planned_line(certificate: "Certificate") -> list[str]:
    """What bets and stakes were sized by."""
    choices = certificate.choices
    sized = [g.metric for g in certificate.guarantees if g.bound in BOUNDS and BOUNDS[g.bound].bets]
    values = [
        f"{metric} {choices.guesses[metric]:g}"
        for metric in dict.fromkeys(sized)
        if metric in choices.guesses and metric not in choices.variances
    ]
    values += [
        f"a variance of {choices.variances[metric]:.4f} for {metric}, from the training nodes"
        for metric in dict.fromkeys(sized)
        if metric in choices.variances
    ]
    by_truth = {name for name in sized if METRICS[name].members == "true"}
    if choices.matched is not None and by_truth - choices.variances.keys():
        values.append(f"{choices.matched:g} of the nodes with a true match")
    if not sized:
        return []
    plan = ", ".join(values) or "nothing in particular: no value was expected at the draw"
    return [f"Planned for: {plan}."]


def threshold_line(certificate: "Certificate") -> list[str]:
    if certificate.threshold is None:
        return []
    choices, chosen = certificate.choices, certificate.threshold.chosen
    tried = ", ".join(map(as_text, choices.candidates))
    if chosen is None:
        passed = ", ".join(map(as_text, certificate.threshold.passed))
        but = f" On the holdout matcher {passed} passed; the gap was too large." if passed else ""
        return [
            f"Threshold: none of {tried} was certified to have precision {choices.target}.{but}"
        ]
    return [
        f"Threshold: {as_text(chosen)}, the loosest of {tried} that was certified to have "
        f"precision {choices.target}."
    ]


def ledger_line(certificate: "Certificate") -> list[str]:
    ledger = certificate.ledger
    if ledger is None or certificate.exploratory:
        return []
    number, others = ledger["certificates"], ledger["uncertified"]
    many = "1 certificate" if number == 1 else f"{number} certificates"
    if ledger["other_labels"]:
        many += f" ({ledger['other_labels']} of them when the labels were others)"
    draws = "this draw" if ledger["draws"] == 1 else f"the {ledger['draws']} draws of this folder"
    line = (
        f"Ledger: the holdout matcher {_since(ledger)}; {many} from {draws}, all that have a "
        f"guarantee together with probability at least {percent(ledger['together'])}."
    )
    if others:
        what = "matcher is" if others == 1 else "matchers are"
        line += f" {others} other {what} on record and could have been certified as well."
    return [line]


def _since(ledger: Mapping[str, Any]) -> str:
    if ledger["seeded"] is not None:
        return "was on record before the seed was made"
    was = "was" if ledger["registered"] is not None else "was not"
    return f"{was} on record before the validation labels"


def advise(tally: Tally, choices: Choices) -> tuple[str, ...]:
    """How many nodes it takes for enough true matches."""
    used = tally.fresh if choices.theorem == "sharp" else tally.validation
    matched = sum(bool(label.t) for label in used)
    if not 0 < matched < ENOUGH:
        return ()
    more = math.ceil(len(used) * (ENOUGH - matched) / matched)
    more = min(more, tally.size - len(tally.validation))
    if not more:
        return ()
    how = "in a fresh draw, which costs δ again (a sample must not grow after its labels were seen)"
    if choices.is_anytime:
        how = "or label on: this draw may grow"
    return (
        f"Only {matched} validation nodes have a true match, so the bounds are loose: draw about "
        f"{more} more nodes for {ENOUGH}, {how}.",
    )


def short(certificate: "Certificate") -> str:
    """For a notebook's cell: the guarantees in words."""
    items = "".join(
        f"<li>{escape(g.subject)} <b>{escape(g.text)}</b></li>" for g in certificate.guarantees
    )
    said = "".join(f"<p>{escape(line)}</p>" for line in threshold_line(certificate))
    assumed = "".join(f"<li>{escape(line)}</li>" for line in certificate.assumptions)
    return (
        f"<div><p>{escape(' '.join(heading(certificate)))}</p><ul>{items}</ul>{said}"
        f"<details><summary>What is assumed</summary><ul>{assumed}</ul></details></div>"
    )
