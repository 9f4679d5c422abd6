"""Sharper forms of the paper's theorems, where both matchers ran over the whole population.

D's labels are counted exactly: given D, the nodes of S outside it are a uniform sample of X − D.
The gap between the matchers is counted over all of X, so it costs no probability.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from matchbound import bounds
from matchbound.choices import Choices
from matchbound.tallies import Tally
from matchbound.theorems import gaps, labels
from matchbound.theorems.terms import (
    Finding,
    estimate,
    found,
    matched_nodes,
    most_matches,
    need,
    pick_bound,
    precision_lower,
    recall_lower,
)


def precision(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """P ≥ (|X_H|·P_H − Σd*) / |X_C|."""
    holdout = holdout_precision(tally, choices)
    if not complete:
        return holdout
    value = complete_precision(tally, choices, Fraction(holdout.value))
    return replace(holdout, value=float(value))


def holdout_precision(tally: Tally, choices: Choices) -> Finding:
    """|X_H|·P_H = Σ_D p_H + |X_H − D|·(the mean of the rest)."""
    (delta,) = choices.shares(1)
    bound = pick_bound(choices, "precision", most_matches(tally, choices) <= 1)
    known, total = labels.precisions(tally.train), found(tally)
    rest = total - len(known)
    right = math.fsum(known)
    if rest:
        right += rest * precision_lower(tally.fresh, rest, delta, bound, choices)
    return Finding(right / total, estimate(labels.precisions(tally.fresh) or known), bound)


def complete_precision(tally: Tally, choices: Choices, holdout: Fraction) -> Fraction:
    """What follows for C, no probability involved, from a lower bound on P_H."""
    loss = gaps.precision_loss_one_to_one if choices.one_to_one else gaps.precision_loss
    lost = sum(n * loss(h, c, hc) for h, c, hc, n in tally.gap)
    return (found(tally) * holdout - lost) / found(tally, "complete")


def recall(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """R ≥ R_H − Σd_r / |X'|, R_H and |X'| from D exactly and from S − D by one bound each."""
    delta, delta_matched = choices.shares(2) if complete else (*choices.shares(1), 0.0)
    bound = pick_bound(choices, "recall", choices.one_to_one)
    member, values = labels.recalls(tally.train)
    known = math.fsum(values), sum(member)
    rest = tally.size - len(tally.train)
    if not rest:
        need(known[1], "a true match", tally.train)
        value = known[0] / known[1]
    else:
        share = found(tally) / tally.size
        value = recall_lower(tally.fresh, rest, delta, bound, choices, share, known)
    if complete:
        dropped = sum(n for h, c, hc, n in tally.gap if gaps.recall_loss(h, c, hc))
        if dropped:
            matched = matched_nodes(tally, rest, delta_matched, choices)
            value = value - dropped / matched if matched else 0.0
    members, values = labels.recalls(tally.fresh if rest else tally.train)
    return Finding(value, estimate(np.array(values)[members].tolist()), bound)


def error_rate(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """W ≤ W_H + |{C ≠ H}| / n, W_H from D exactly and from S − D by one bound."""
    (delta,) = choices.shares(1)
    bound = pick_bound(choices, "error-rate", True)
    rest = tally.size - len(tally.train)
    wrong = float(sum(labels.errors(tally.train)))
    if rest:
        need(len(tally.fresh), "a label outside the training nodes", tally.validation)
        wrong += rest * bounds.upper(
            labels.errors(tally.fresh),
            size=rest,
            delta=delta,
            method=bound,
            variance=choices.variance("error-rate"),
        )
    if complete:
        wrong += sum(n for h, c, hc, n in tally.gap if gaps.differs(h, c, hc))
    return Finding(
        wrong / tally.size, estimate(labels.errors(tally.fresh if rest else tally.train)), bound
    )
