"""What a certificate advises: how many nodes it takes for enough true matches."""

import math

from matchbound.certificates.remark import Remark
from matchbound.theorems import Choices, Tally, limit, most_true, proved_limit

ENOUGH = 30  # sampled nodes with a true match


def advise(tally: Tally, choices: Choices) -> tuple[Remark, ...]:
    """What to do where a metric has no bound, or where few sampled nodes have a true match."""
    return (*_no_limit(tally, choices), *_few_matched(tally, choices))


def _no_limit(tally: Tally, choices: Choices) -> tuple[Remark, ...]:
    """Say why the sample proves no limit on true matches, where it should."""
    limited = choices.limited
    if not limited or not choices.limit_by_sample:
        return ()
    design = choices.design(limited[0])
    if limit(tally, design) is not None:
        return ()
    labels = (*tally.train, *tally.fresh)
    unlabelled = sum(not label.is_sure for label in labels)
    if unlabelled:
        return (Remark("limit_unlabelled", (unlabelled,)),)
    return (Remark("limit_passed", (proved_limit(tally, design), most_true(tally))),)


def _few_matched(tally: Tally, choices: Choices) -> tuple[Remark, ...]:
    """Advise a larger sample where few of its nodes have a true match."""
    used = tally.fresh if choices.theorem == "sharp" else tally.validation
    matched = sum(bool(label.t) for label in used)
    if not 0 < matched < ENOUGH:
        return ()
    more = math.ceil(len(used) * (ENOUGH - matched) / matched)
    more = min(more, tally.size - len(tally.validation))
    if not more:
        return ()
    return (Remark("label_more" if choices.is_anytime else "draw_more", (matched, more, ENOUGH)),)
