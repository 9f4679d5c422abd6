"""Cut the labels of S to those that count: in draw order, up to where labelling stopped."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from matchbound.errors import InputError
from matchbound.tables import Row
from matchbound.theorems import Choices, Tally

Places = Collection[int | None]
"""Places (from 1) in D's or in S's own order; None for a node that is not in it."""


def looked_at(tally: Tally, choices: Choices, unlabelled: str, erased: Sequence[Row] = ()) -> Tally:
    """Cut S to its beginning that counts, for an anytime draw or one until enough true matches.

    The gap must be counted after this: nodes that are cut off belong to it. `erased` nodes count
    as the worst case, so that they end no sample.
    """
    trained, validated = {row[1] for row in erased}, {row[2] for row in erased}
    if choices.is_anytime:
        _check_trained(tally, unlabelled, trained)
        return _cut(tally, _end_of_labels(tally, unlabelled, validated))
    if choices.until_true:
        _check_trained(tally, "refuse", trained)
        return _cut(tally, _end_of_counting(tally, choices.until_true, validated))
    return tally


def _cut(tally: Tally, end: int) -> Tally:
    overlap = tuple(place for place in tally.overlap if place < end)
    return replace(tally, validation=tally.validation[:end], overlap=overlap)


def _check_trained(tally: Tally, unlabelled: str, erased: Places) -> None:
    labels = enumerate(tally.train, start=1)
    missing = sum(not label.is_sure and place not in erased for place, label in labels)
    if missing and unlabelled == "refuse":
        raise InputError(
            f"labels must cover every node to train on; {missing} of {len(tally.train)} have none. "
            "Label them, or record 'no match'."
        )


def _end_of_labels(tally: Tally, unlabelled: str, erased: Places) -> int:
    """How many nodes count: those before the first that has no label and is not erased.

    If unlabelled nodes count as the worst case, those up to the last labelled one. The bounds hold
    for all beginnings at once, so it does not matter who labelled what when.
    """
    labelled = [label.is_sure for label in tally.validation]
    done = [is_sure or place in erased for place, is_sure in enumerate(labelled, start=1)]
    if not any(labelled) or (unlabelled == "refuse" and not done[0]):
        raise InputError(
            "labels must begin with the first validation node of sample.csv, got none for it. "
            "Label in draw order."
        )
    if unlabelled == "worst":
        return len(labelled) - labelled[::-1].index(True)
    return done.index(False) if False in done else len(done)


def _end_of_counting(tally: Tally, wanted: int, erased: Places) -> int:
    """How many nodes count: those up to the one that completes the wanted number of true matches.

    Nodes of D were labelled before, so they do not count towards it.
    """
    trained, seen = set(tally.overlap), 0
    for place, label in enumerate(tally.validation):
        if label.t is None and place + 1 in erased:
            raise InputError(
                f"labels must be whole where a draw goes on until {wanted} nodes have a true match "
                "and so ends by them, got an erased one. Draw afresh; certificates that were "
                "issued before stay valid."
            )
        if label.t is None:
            raise InputError(
                f"labels must go on until {wanted} nodes outside the training nodes have a true "
                f"match; {seen} have, and the next node, {place + 1} in column validation of "
                "sample.csv, has no label. Label on in draw order."
            )
        seen += label.t > 0 and place not in trained
        if seen == wanted:
            return place + 1
    return len(tally.validation)
