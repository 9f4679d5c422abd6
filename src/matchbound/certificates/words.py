"""A certificate in words: sentences from its parts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape

from matchbound.audits import GROWN, Inputs, Provenance, Standing
from matchbound.bounds import BOUNDS
from matchbound.certificates.remark import Remark
from matchbound.errors import AssumptionError
from matchbound.theorems import (
    METRICS,
    WHOLE,
    Choices,
    Growth,
    Guarantee,
    New,
    Tally,
    Threshold,
    as_text,
    at_least,
    guarantees,
    patched_holdout,
    percent,
    sample_mean,
)

FUTURE = (
    "Not checked: the nodes to come are independent draws from the same distribution as this "
    "{what}'s nodes were, and neither matcher was developed with the validation nodes' records "
    "(the complete one: with any but the labelled) nor with those the two were compared on; what "
    "is found at a node does not depend on which other nodes there are."
)
SENTENCES = {
    "drawn": "matchbound drew the labelled nodes uniformly at random.",
    "drawn_after_training": "matchbound drew the validation nodes uniformly at random from all "
    "nodes but the training nodes, which were there before and need not be random.",
    "drawn_by_weight": "matchbound drew the validation nodes at random, each with a probability in "
    "proportion to its weight, which follows from its number of matches by the holdout matcher; "
    "training nodes were there before and need not be random.",
    "seed_given": "The seed was given by the user. Assumed: no other seed was tried, and this one "
    "was not chosen by the nodes that it draws.",
    "brought": "Not checked: the labelled nodes are a uniform random sample of the population, and "
    "the nodes trained on a uniform random part of them, by randomness that nobody could know or "
    "repeat; how many were labelled was fixed without looking at labels.",
    "within": "All is about a part of the population, which was fixed at the draw: {nodes} of its "
    "{size} nodes. Their matches may be any records; matches of other nodes are left out, so that "
    "in one table a pair with a record outside the part counts once.",
    "changed_since": "The population has changed since the draw: {kept} of the nodes drawn from "
    "are kept, {removed} were removed, {new} are new and in no draw. All is about the population "
    "as it is now, where these new nodes count as wrong, or missed.",
    "kept_unchanged": "Not checked: a record that is kept under its id is what it was when it was "
    "drawn from, a cohort's when that was drawn (but for those named by --changed, which count as "
    "removed and new), and so are the true matches among kept records.",
    "promises_now": "Not checked: what the user promised of the nodes drawn from is so of the "
    "population as it is now too.",
    "other_unchanged": "Not checked: the other table is as it was when nodes were drawn. If "
    "records were added to it, recall is not covered, and precision alone is.",
    "uncovered": "Metrics of which nothing is certified, because nothing is proved of them where "
    "the population has changed, or only with a promise on the true matches of a node: {metrics}.",
    "no_other_draw": "Not checked: no other draw of this population was made elsewhere and "
    "discarded.",
    "grown": GROWN,
    "fixed": "Not checked: the choices, the holdout matcher and its threshold were fixed before "
    "the validation labels were seen.",
    "on_record": "The holdout matcher is on record since entry {entry} of the ledger, when no "
    "validation label was in labels.csv or in the ledger. Not checked: nobody had seen such labels "
    "elsewhere, nor chosen by them.",
    "guided": "Not checked: the holdout matcher was fixed before the validation labels were seen, "
    "or is one of the {matchers} that the draw's rounds and options make from the training labels; "
    "if those labels chose which, the bounds hold for each.",
    "sample_unknown": "Not checked: whoever developed the holdout matcher did not know which nodes "
    "are in the validation sample, nor their labels.",
    "all_true": "Every labelled node's labels hold all of its true matches, and no others.",
    "holdout_training_only": "The holdout matcher was developed with no labels but the training "
    "nodes'.",
    "holdout_guided": "The holdout matcher was developed with no labels but the training nodes', "
    "apart from that choice.",
    "complete_anything": "The complete matcher may have been developed with anything, these labels "
    "included.",
    "complete_but_gap": "The complete matcher may have been developed with anything but the gap "
    "sample, these labels included.",
    "not_chosen_by_gap": "Neither matcher was developed with the nodes of the gap sample, nor "
    "chosen by them.",
    "both_ran": "Both matchers ran on every node of sample.csv and gap.csv.",
    "future": FUTURE.format(what="population"),
    "future_of_part": FUTURE.format(what="part"),
    "one_to_one": "The user promised that a node has at most one true match.",
    "at_most_one_match": "The user promised that a matcher finds at most one match a node.",
    "every_node_matched": "The user promised that every node has a true match. No label shows one "
    "without, which does not prove it; if it is false, a node without a true match counts as "
    "missed, and the bound on recall still holds.",
    "most_true_matches": "The user promised that the number of a node's true matches is at most "
    "{limit}.",
    "limit_by_sample": "Pairwise recall and F1 take no node to have more than {limit} true "
    "matches. Nobody promised it: the sample would hardly miss all of an entity of {members} "
    "records or more, and such a miss is part of the probability above.",
    "among_at_most": "Pairwise recall and F1 are about nodes whose number of true matches is at "
    "most {limit}; links are counted from these nodes. Of {labelled} labelled nodes {beyond} have "
    "more.",
    "entities": "True matches form entities: a true match of a true match is one.",
    "disjoint_ids": "Not checked: in clusters without sources, ids of the population are never the "
    "other table's.",
    "only_own_rows": "Every labelled match is a row of the holdout matcher's own table: if truth "
    "was looked for among its rows alone, recall is too high.",
    "cohort_own_rows": "Every labelled match of a cohort is a row of its matcher's own table: if "
    "truth was looked for among its rows alone, recall is too high.",
    "unlabelled": "{nodes} drawn nodes have no label and count as the worst case.",
    "erased": "Drawn nodes that were erased, or whose labels were (`matchbound forget`), and that "
    "count as the worst case: {nodes}.",
    "seed_after_matcher": "Checked: the seed was made after the holdout matcher was on record "
    "(entries {register} and {draw} of the ledger).",
    "limit_passed": "Pairwise recall and F1 have no bound: a labelled node has {true} true "
    "matches, and the sample proves a limit of {limit} alone. Draw again with most_true_matches or "
    "among_records_with_at_most; it costs δ again.",
    "limit_unlabelled": "Pairwise recall and F1 have no bound: {nodes} drawn nodes have no label, "
    "and with these the sample proves no limit on true matches. Label them, or draw with "
    "most_true_matches.",
    "draw_more": "Only {matched} validation nodes have a true match, so the bounds are loose: draw "
    "about {more} more nodes for {enough}, in a fresh draw, which costs δ again (a sample must not "
    "grow after its labels were seen).",
    "label_more": "Only {matched} validation nodes have a true match, so the bounds are loose: "
    "draw about {more} more nodes for {enough}, or label on: this draw may grow.",
}
CHECKED = ("seed_after_matcher",)  # remarks that are shown, not assumed
BESIDE = ("only_own_rows", "cohort_own_rows")  # remarks that are printed beside the guarantees
UNSAID = (
    "every labelled match is a row of the holdout matcher's own table; say how matches were looked "
    "for, with --truth-searched"
)

OF_CLUSTERS = (
    "What is certified are clusters: a record's matches are all other records of its cluster, or "
    "those of the other table where two are linked."
)


def sentences(
    remarks: Iterable[Remark], ledger: Standing | None = None, truth_searched: str | None = None
) -> list[str]:
    """The remarks in words, with how true matches were looked for, on the page or as users say."""
    labelled = None if ledger is None else ledger.labelled
    lines = []
    for remark in remarks:
        line = SENTENCES[remark.code].format(**remark.named)
        if remark.code == "all_true" and labelled is not None:
            line += f" {_looked_for(labelled)}"
        if remark.code == "all_true" and truth_searched is not None:
            line += f" The user says how truth was looked for: {truth_searched.rstrip('.')}."
        lines.append(line)
    return lines


def checked(remarks: Iterable[Remark]) -> list[Remark]:
    return [remark for remark in remarks if remark.code in CHECKED]


def unchecked(remarks: Iterable[Remark]) -> list[Remark]:
    return [remark for remark in remarks if remark.code not in (*CHECKED, *BESIDE)]


def beside(remarks: Iterable[Remark]) -> list[Remark]:
    return [remark for remark in remarks if remark.code in BESIDE]


def _looked_for(labelled: Provenance) -> str:
    """How true matches were searched for on the labelling page."""
    people = "one person" if labelled.labellers == 1 else f"{labelled.labellers} people"
    places = list(dict.fromkeys(one.words for one in labelled.search))
    where = "; before that ".join(reversed(places))
    sentence = f"On the labelling page {people} looked for them {where}".rstrip()
    shown, watched = labelled.answers, labelled.watched
    sentence += "" if shown or watched else ", blind"
    sentence += f"; a matcher's answer was shown for {shown} nodes" if shown else ""
    sentence += "; bounds were watched meanwhile" if watched else ""
    sentence += f"; {labelled.changed} labels were changed" if labelled.changed else ""
    if labelled.twice:
        sentence += f"; of {labelled.twice} nodes that several labelled they agreed on "
        sentence += str(labelled.agreed)
    if labelled.missed is not None:
        sentence += (
            f", and about {percent(labelled.missed)} of the true matches are missed by "
            "both, if they look independently"
        )
    return f"{sentence}.{_found(labelled)}"


WAYS = {
    "likeness": "near the record",
    "expansion": "near what was ticked",
    "search": "by search",
    "entity": "in an entity labelled before",
    "candidate": "among the candidates",
}


def _found(labelled: Provenance) -> str:
    """How many records were looked at, and how the matches among them were found."""
    if not labelled.shown:
        return ""
    each = f"{labelled.shown / max(labelled.nodes, 1):.0f}"
    text = f" For a node {each} records were looked at on average"
    parts = [f"{labelled.ways[way]} {WAYS[way]}" for way in WAYS if labelled.ways.get(way)]
    text += f"; of the matches, {', '.join(parts)}." if parts else "."
    if labelled.gained:
        text += f" {labelled.gained} labels gained records from another node's label."
    if labelled.joined > 1:
        text += (
            f" Up to {labelled.joined} labels depend on one decision, by which an entity was "
            "joined: if it is wrong, they all are."
        )
    return text


def shortfall(
    delta: Fraction, exploratory: Sequence[str], ledger: Standing | None, seed_given: bool
) -> str:
    """Why a certificate meets no requirement, in a few words; empty if it can meet one."""
    if exploratory:
        return "exploratory"
    if seed_given:
        return "the seed was given by the user"
    if ledger is not None and (ledger.changed or ledger.uncompared):
        return _changed(ledger)
    together = _together(delta, ledger)
    if together < _alone(delta):
        return f"together with all else on record it holds with {percent(together)}"
    return ""


def _changed(ledger: Standing) -> str:
    """That labels were changed after results had been shown, or that this cannot be told."""
    nodes = ledger.changed
    if not nodes:
        return (
            f"the labels could not be compared around an erasure (entry {ledger.uncompared}) after "
            "results had been shown: whether some were changed cannot be told"
        )
    what = "the labels of 1 node were" if nodes == 1 else f"the labels of {nodes} nodes were"
    return f"{what} changed after results had been shown"


def _alone(delta: Fraction) -> float:
    """1 − δ."""
    return at_least(1 - delta)


def _together(delta: Fraction, ledger: Standing | None) -> float:
    """The probability with which all that may have been picked from holds."""
    return _alone(delta) if ledger is None else ledger.together


def probability(delta: Fraction, exploratory: Sequence[str], ledger: Standing | None) -> float:
    """The probability with which guarantees hold, together with all else on record."""
    return 0.0 if exploratory else _together(delta, ledger)


def in_short(certified: Sequence[Guarantee], probability: float) -> str:
    """`precision ≥ 0.9636, recall ≥ 0.9012 (95%)`, and how many more there are."""
    if not probability or not certified:
        return "exploratory, no guarantee" if not probability else "nothing is certified"
    more = f" and {len(certified) - 2} more" if len(certified) > 2 else ""
    return f"{', '.join(map(_bare, certified[:2]))}{more} ({percent(probability)})"


def heading(
    certified: Sequence[Guarantee],
    delta: Fraction,
    choices: Choices,
    exploratory: Sequence[str],
    ledger: Standing | None,
    inputs: Inputs,
) -> list[str]:
    """The probability with which guarantees hold, or why there is none."""
    lines = []
    if exploratory:
        lines = [f"Exploratory: no guarantee. Not as fixed at the draw: {', '.join(exploratory)}."]
    if not certified:
        return [*lines, "Nothing is certified."]
    about = _about(choices, inputs)
    about += " (recall: if every node has a true match)" if choices.every_node_matched else ""
    if lines:
        sure = percent(_alone(delta))
        had = f"Had that been fixed there, with probability at least {sure}, together{about}:"
        return [*lines, had]
    sure, reason = percent(_together(delta, ledger)), _reason(delta, ledger)
    return [f"With probability at least {sure}, all together{about}{reason}:"]


def _about(choices: Choices, inputs: Inputs) -> str:
    """Which nodes guarantees are about, if not the population's."""
    within, to_come = inputs.within, "nodes to come" if choices.future else ""
    if within is None:
        return f", about {to_come}" if to_come else ""
    part = f"the {within.size} of {inputs.population.size} nodes in {within.name}"
    return f", about {to_come} like {part}" if to_come else f", about {part}"


def part_line(inputs: Inputs) -> list[str]:
    """The part of the population that is certified, if it is a part, and what is left out."""
    within = inputs.within
    if within is None:
        return []
    others = ", ".join(f"{one.left_out} of {one.name}" for one in inputs.outputs)
    return [
        f"Within: {within.name}, {within.size} of {inputs.population.size} nodes. Left out are the "
        f"matches of other nodes: {others}."
    ]


def _reason(delta: Fraction, ledger: Standing | None) -> str:
    """What made the probability smaller than the certificate's own."""
    if ledger is None or _together(delta, ledger) >= _alone(delta):
        return ""
    matchers, draws = ledger.matchers, ledger.draws
    ways = [f"{matchers} matchers on record or looked at"] if matchers > 1 else []
    ways += [f"{draws} draws of this folder"] if draws > 1 else []
    # Else several complete matchers where the gap was sampled, or rules of several versions.
    return f" (for {' and '.join(ways or ['certificates that do not fail together'])})"


def guarantee_lines(certified: Sequence[Guarantee], inputs: Inputs) -> list[str]:
    """The guarantees, rounded outwards to four decimals."""
    width = max((len(g.metric) for g in certified), default=0)
    return [_guarantee_line(g, max(width, 10), inputs) for g in certified]


def within_part(inputs: Inputs) -> str:
    """`, within recent.csv`, where guarantees are about a part of the population."""
    return "" if inputs.within is None else f", within {inputs.within.name}"


def _guarantee_line(g: Guarantee, width: int, inputs: Inputs) -> str:
    where = f"{g.where}{within_part(inputs)}"
    where += "," if where else ""
    mean = "no sampled node tells"
    if g.estimate is not None:
        what = "share" if METRICS[g.metric].ratio.pooled else "mean"
        mean = f"holdout's sample {what} {g.estimate:.4f}"
    return (
        f"  {g.metric:{width}} of the {g.algorithm} matcher{where} {g.text}"
        f"   ({mean}; {g.theorem}, {g.bound})"
    )


def meaning(certified: Iterable[Guarantee]) -> list[str]:
    """What is counted: records or pairs. Other tools count pairs."""
    metrics = list(dict.fromkeys(g.metric for g in certified))
    text = "; ".join(f"{metric}: {METRICS[metric].words}" for metric in metrics)
    if not text:
        return []
    pooled = any(METRICS[metric].ratio.pooled for metric in metrics)
    lead = "" if pooled else "Means over records, not over pairs. "
    return [f"{lead}{_sentence(text)}."]


APART = 0.05  # the sample's two kinds of precision, where both are shown


def sample_line(
    certified: Sequence[Guarantee], tallies: Mapping[str, Tally], choices: Choices
) -> list[str]:
    """Both kinds of precision in the sample, where they are far apart."""
    kinds = ("precision", "pairwise-precision")
    lines = []
    for part in dict.fromkeys(g.part for g in certified if g.metric in kinds):
        means = [sample_mean(kind, tallies[part], choices) for kind in kinds]
        if None in means or abs(means[0] - means[1]) <= APART:  # type: ignore[operator]
            continue
        where = "" if part == WHOLE else f" ({part})"
        lines.append(
            f"In the sample{where}, the holdout matcher's precision is {means[0]:.4f} for an "
            f"average record, and {means[1]:.4f} over pairs: records with many matches differ from "
            "the others."
        )
    return lines


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def comparison(
    certified: Sequence[Guarantee],
    tallies: Mapping[str, Tally],
    choices: Choices,
    is_clusters: bool,
) -> list[str]:
    """Where the same labels certify more of the holdout matcher, alone or patched: how much.

    All of it holds on the same event, so the comparison costs nothing. What `patch` makes of
    clusters is not known from a tally.
    """
    complete = [g for g in certified if g.algorithm == "complete"]
    if not complete or choices.theorem == "paper" or choices.is_sampled or choices.choose_threshold:
        return []
    others = {"the holdout matcher": guarantees(tallies, choices, complete=False)}
    if not is_clusters:
        patched = "the holdout matcher with the labels written over it (`matchbound patch`)"
        others[patched] = _patched(tallies, choices)
    better = [
        f"of {matcher}, {', '.join(bounds)}"
        for matcher, holdout in others.items()
        if (
            bounds := [
                _bare(h) for h, c in zip(holdout, complete, strict=False) if _is_better(h, c)
            ]
        )
    ]
    return [f"The same labels certify more {'; '.join(better)}."] if better else []


def _patched(tallies: Mapping[str, Tally], choices: Choices) -> tuple[Guarantee, ...]:
    if choices.bands:  # tallies do not show in which band a missed match would be
        return ()
    if choices.of_clusters:  # patched pairs are no clusters
        return ()
    patched = {part: patched_holdout(tally) for part, tally in tallies.items()}
    try:
        return guarantees(patched, choices, complete=True)
    except AssumptionError:  # a promise about matchers that labels need not keep
        return ()


def _bare(g: Guarantee) -> str:
    """`precision ≥ 0.9636`."""
    return f"{g.metric}{f' ({g.where[2:]})' if g.where else ''} {g.text}"


def _is_better(g: Guarantee, than: Guarantee) -> bool:
    """In the digits that are printed."""
    shown, other = (float(each.text.split()[1]) for each in (g, than))
    return shown > other if than.side == "lower" else shown < other


def growth_lines(tally: Tally, choices: Choices, growth: Growth) -> list[str]:
    """What became of the population, and what new nodes cost."""
    change, new = growth.change, growth.new
    kept = tally.size - change.gone
    line = (
        f"The population has changed since the draw: {kept} nodes are kept, {change.gone} were "
        f"removed, {new.nodes} are new{' and in no draw' if growth.cohorts else ''}."
    )
    later = [
        f"Cohort {one.name}: {len(one.tally.validation)} nodes labelled out of {one.tally.size} "
        f"that were new, {one.change.gone} of which were removed since; δ = "
        f"{one.choices.delta:g} is added."
        for one in growth.cohorts
    ]
    if not new.nodes:
        return [line, *later]
    without = guarantees({WHOLE: tally}, choices, complete=True, growth=replace(growth, new=New()))
    of_drawn = "Of kept nodes alone" if not later else "Without those new nodes"
    return [f"{line} {of_drawn}: {', '.join(map(_bare, without))}.", *later]


def labelled_line(tally: Tally, inputs: Inputs) -> str:
    """How many nodes were labelled."""
    both = f", {len(tally.overlap)} of them in both" if tally.overlap else ""
    part = "" if inputs.within is None else f" in {inputs.within.name}"
    return (
        f"Labelled: {len(tally.validation)} nodes to validate on and {len(tally.train)} "
        f"to train on{both}, out of {tally.size}{part}."
    )


def planned_line(certified: Iterable[Guarantee], choices: Choices) -> list[str]:
    """What bets and stakes were sized by."""
    bets = {name for name, bound in BOUNDS.items() if bound.bets}
    sized = list(dict.fromkeys(g.metric for g in certified if g.bound in bets))
    values = [
        f"{metric} {choices.guesses[metric]:g}"
        for metric in sized
        if metric in choices.guesses and metric not in choices.variances
    ]
    values += [
        f"a variance of {choices.variances[metric]:.4f} for {metric}, from the training nodes"
        for metric in sized
        if metric in choices.variances
    ]
    by_truth = {name for name in sized if METRICS[name].members == "true"}
    if choices.matched is not None and by_truth - choices.variances.keys():
        values.append(f"{choices.matched:g} of the nodes with a true match")
    if not sized:
        return []
    planned = f"for: {', '.join(values)}" if values else "for no particular values: none were given"
    return [f"Planned {planned}."]


def threshold_line(threshold: Threshold | None, choices: Choices) -> list[str]:
    if threshold is None:
        return []
    tried = ", ".join(map(as_text, choices.candidates))
    if threshold.chosen is None:
        passed = ", ".join(map(as_text, threshold.passed))
        but = f" On the holdout matcher {passed} passed; the gap was too large." if passed else ""
        return [
            f"Threshold: none of {tried} was certified to have precision {choices.target}.{but}"
        ]
    return [
        f"Threshold: {as_text(threshold.chosen)}, the loosest of {tried} that was certified to "
        f"have precision {choices.target}."
    ]


def release_line(release: str | None) -> list[str]:
    return [] if release is None else [f"Release: {release}."]


def ledger_line(ledger: Standing | None, exploratory: Sequence[str]) -> list[str]:
    """What the ledger shows: whether the matcher was on record, and how many others there are."""
    if ledger is None or exploratory:
        return []
    number, others = ledger.certificates, ledger.uncertified
    many = "1 certificate" if number == 1 else f"{number} certificates"
    if ledger.other_labels:
        many += f" ({ledger.other_labels} of them when the labels were others)"
    draws = "this draw" if ledger.draws == 1 else f"the {ledger.draws} draws of this folder"
    line = (
        f"Ledger: the holdout matcher {_since(ledger)}; {many} from {draws}; all that have a "
        f"guarantee hold together with probability at least {percent(ledger.together)}."
    )
    if others:
        what = "matcher is" if others == 1 else "matchers are"
        line += f" {others} other {what} on record and could have been certified as well."
    if ledger.changed or ledger.uncompared:
        line += f" {_sentence(_changed(ledger))}, so nothing is certified by --require."
    if ledger.sealed:
        line += f" Sealed up to entry {ledger.sealed}, by the ledger's word."
    return [line]


def _since(ledger: Standing) -> str:
    if ledger.seeded is not None:
        return "was on record before the seed was made"
    was = "was" if ledger.registered is not None else "was not"
    return f"{was} on record before the validation labels"


def short(
    lead: Sequence[str],
    certified: Iterable[Guarantee],
    below: Iterable[str],
    assumptions: Iterable[str],
) -> str:
    """For a notebook's cell: the guarantees in words."""
    items = "".join(f"<li>{escape(g.subject)} <b>{escape(g.text)}</b></li>" for g in certified)
    lines = "".join(f"<p>{escape(line)}</p>" for line in below)
    assumed = "".join(f"<li>{escape(line)}</li>" for line in assumptions)
    return (
        f"<div><p>{escape(' '.join(lead))}</p><ul>{items}</ul>{lines}"
        f"<details><summary>What is assumed</summary><ul>{assumed}</ul></details></div>"
    )
