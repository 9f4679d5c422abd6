"""What a certificate advises: how many nodes it takes for enough true matches."""

import math

from matchbound.certificates.remark import Remark
from matchbound.theorems import Choices, Tally

ENOUGH = 30  # sampled nodes with a true match


def advise(tally: Tally, choices: Choices) -> tuple[Remark, ...]:
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
