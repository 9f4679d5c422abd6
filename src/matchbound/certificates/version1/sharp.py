"""Version 1's sharp theorems where both matchers ran over the whole population."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from matchbound.certificates.version1.bounds import upper
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.tally import Tally
from matchbound.certificates.version1.terms import (
    Finding,
    differs,
    errors,
    estimate,
    is_dropped,
    matched_count,
    matched_nodes,
    most_matches,
    pick_bound,
    precision_loss,
    precision_lower,
    precisions,
    recall_lower,
    recalls,
    require,
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
    trained, total = precisions(tally.train), matched_count(tally)
    rest = total - len(trained)
    right = math.fsum(trained)
    if rest:
        right += rest * precision_lower(tally.fresh, rest, delta, bound, choices)
    return Finding(right / total, estimate(precisions(tally.fresh) or trained), bound)


def complete_precision(tally: Tally, choices: Choices, holdout: Fraction) -> Fraction:
    """What follows for C, no probability involved, from a lower bound on P_H."""
    lost = sum(n * precision_loss(choices, h, c, hc) for h, c, hc, n in tally.gap)
    return (matched_count(tally) * holdout - lost) / matched_count(tally, 1)


def recall(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """R ≥ R_H − Σd_r / |X'|, R_H and |X'| from D exactly and from S − D by one bound each."""
    delta, delta_matched = choices.shares(2) if complete else (*choices.shares(1), 0.0)
    bound = pick_bound(choices, "recall", choices.one_to_one)
    member, values = recalls(tally.train)
    known = math.fsum(values), sum(member)
    rest = tally.size - len(tally.train)
    if rest:
        value = recall_lower(tally, tally.fresh, rest, delta, bound, choices, known)
    else:
        require(known[1], "a true match")
        value = known[0] / known[1]
    dropped = tally.nodes(is_dropped) if complete else 0
    if dropped:
        matched = matched_nodes(tally, rest, delta_matched, choices)
        value = value - dropped / matched if matched else 0.0
    members, values = recalls(tally.fresh if rest else tally.train)
    return Finding(value, estimate(np.array(values)[members].tolist()), bound)


def error_rate(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """W ≤ W_H + |{C ≠ H}| / n, W_H from D exactly and from S − D by one bound."""
    (delta,) = choices.shares(1)
    bound = pick_bound(choices, "error-rate", True)
    rest = tally.size - len(tally.train)
    wrong = float(sum(errors(tally.train)))
    if rest:
        require(len(tally.fresh), "a label outside the training nodes")
        variance = choices.variance("error-rate")
        seen = errors(tally.fresh)
        wrong += rest * upper(seen, size=rest, delta=delta, method=bound, variance=variance)
    if complete:
        wrong += tally.nodes(differs)
    sample = errors(tally.fresh if rest else tally.train)
    return Finding(wrong / tally.size, estimate(sample), bound)
