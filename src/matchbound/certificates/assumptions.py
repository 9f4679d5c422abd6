"""What a certificate assumes, in sentences."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from matchbound.audits import BROUGHT, GROWN, how_searched
from matchbound.certificates.certificate import Certificate
from matchbound.tables import Clusters, Form
from matchbound.tallies import Setting
from matchbound.theorems import Tally

FIXED = (
    "Not checked: the choices, the holdout matcher and its threshold were fixed before the "
    "validation labels were seen."
)
ON_RECORD = (
    "The holdout matcher is on record since entry {} of the ledger, when no validation label was "
    "in labels.csv or in the ledger. Not checked: nobody had seen such labels elsewhere, nor "
    "chosen by them."
)
GUIDED = (
    "Not checked: the holdout matcher was fixed before the validation labels were seen, or is one "
    "of the {} that the draw's rounds and options make from the training labels; if those labels "
    "chose which, the bounds hold for each."
)
SEEDED = (
    "Checked: the seed was made after the holdout matcher was on record (entries {} and {} of the "
    "ledger)."
)
UNKNOWN = (
    "Not checked: whoever developed the holdout matcher did not know which nodes are in the "
    "validation sample, nor their labels."
)
ELSEWHERE = "Not checked: no other draw of this population was made elsewhere and discarded."
ALL_TRUE = "Every labelled node's labels hold all of its true matches, and no others."
HOLDOUT = "The holdout matcher was developed with no labels but the training nodes'."
HOLDOUT_GUIDED = (
    "The holdout matcher was developed with no labels but the training nodes', apart from that "
    "choice."
)
ANYTHING = "The complete matcher may have been developed with anything, these labels included."
ONE_TO_ONE = "The user promised that a node has at most one true match."
ONE_FOUND = "The user promised that a matcher finds at most one match a node."
ANYTHING_ELSE = (
    "The complete matcher may have been developed with anything but the gap sample, these labels "
    "included."
)
BOTH_RAN = "Both matchers ran on every node of sample.csv and gap.csv."
COMPARED = "Neither matcher was developed with the nodes of the gap sample, nor chosen by them."
FUTURE = (
    "Not checked: the nodes to come are independent draws from the same distribution as this "
    "population's nodes were, and neither matcher was developed with the validation nodes' records "
    "(the complete one: with any but the labelled) nor with those the two were compared on; what "
    "is found at a node does not depend on which other nodes there are."
)
DISJOINT = (
    "Not checked: in clusters without sources, ids of the population are never the other table's."
)


def assumed(
    tallies: Mapping[str, Tally], setting: Setting, complete: bool, forms: Sequence[Form]
) -> tuple[str, ...]:
    choices, tally = setting.choices, next(iter(tallies.values()))
    unlabelled = sum(not label.is_sure for label in (*tally.train, *tally.fresh))
    sourceless = any(isinstance(form, Clusters) and form.source is None for form in forms)
    said: Iterable[tuple[str, bool]] = (
        (setting.origin, True),
        (ELSEWHERE, setting.origin != BROUGHT),
        (FIXED, not choices.rounds),
        (GUIDED.format(choices.leaves), bool(choices.rounds)),
        (UNKNOWN, True),
        (ALL_TRUE, True),
        (HOLDOUT, not choices.rounds),
        (HOLDOUT_GUIDED, bool(choices.rounds)),
        (ANYTHING, complete and not choices.is_sampled),
        (ANYTHING_ELSE, complete and bool(choices.gap) and not choices.future),
        (COMPARED, complete and bool(choices.gap)),
        (BOTH_RAN, bool(choices.gap)),
        (FUTURE, choices.future),
        (ONE_TO_ONE, choices.one_to_one),
        (ONE_FOUND, choices.at_most_one_match),
        (DISJOINT, sourceless and setting.matching.is_link),
        (f"{unlabelled} drawn nodes have no label and count as the worst case.", unlabelled > 0),
    )
    return tuple(sentence for sentence, holds in said if holds)


def on_record(certificate: Certificate, ledger: Mapping[str, Any]) -> Certificate:
    """The certificate with what the ledger says of it."""
    place, seeded, labelled = ledger["registered"], ledger["seeded"], ledger.get("labelled")
    said: dict[str, Iterable[str]] = {}
    if place is not None:
        said[FIXED] = [ON_RECORD.format(place)]
    if seeded is not None and FIXED in certificate.assumptions:
        said[FIXED] = [SEEDED.format(seeded["register"], seeded["draw"])]
        said |= {UNKNOWN: (), HOLDOUT: ()}  # whatever the matcher knew, the seed did not depend on
    if ledger["grown"]:
        said[ELSEWHERE] = [ELSEWHERE, GROWN]
    if labelled is not None:
        said[ALL_TRUE] = [f"{ALL_TRUE} {_looked_for(labelled)}"]
    assumptions = (said.get(sentence, [sentence]) for sentence in certificate.assumptions)
    return replace(certificate, assumptions=tuple(chain(*assumptions)), ledger=ledger)


def _looked_for(labelled: Mapping[str, Any]) -> str:
    """How truth was searched for, if the labelling page knows."""
    people = "one person" if labelled["labellers"] == 1 else f"{labelled['labellers']} people"
    places = list(dict.fromkeys(map(how_searched, labelled["search"])))
    sentence = (
        f"On the labelling page {people} looked for them {'; before that '.join(reversed(places))}"
    )
    shown, watched = labelled["answers"], labelled["watched"]
    sentence += "" if shown or watched else ", blind"
    sentence += f"; a matcher's answer was shown for {shown} nodes" if shown else ""
    sentence += "; bounds were watched meanwhile" if watched else ""
    sentence += f"; {labelled['changed']} labels were changed" if labelled["changed"] else ""
    if labelled["twice"]:
        sentence += f"; of {labelled['twice']} nodes that several labelled they agreed on "
        sentence += str(labelled["agreed"])
    return sentence + "."
