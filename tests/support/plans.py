"""Audits of a population that a plan guessed, as the printed command draws them."""

import shlex

import numpy as np

from matchbound import Tally
from matchbound.audits.choices import fit_choices, make_choices
from matchbound.commands import draw as draw_verb
from matchbound.commands.main import parser_of
from matchbound.tables import Matching
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label


def drawn_by(command):
    """The labels and the choices of a draw, as the command line reads them."""
    options = parser_of("draw").parse_args(shlex.split(command)[2:])
    typed = draw_verb.chosen(options) | draw_verb._of_the_draw(options)
    choices = make_choices(typed, anytime=options.anytime)
    return options.labels, fit_choices(choices, Matching(options.dedupe))


def share_reached(kinds, labels, choices, targets, audits, rng, gap_rate=None):
    """How many of so many audits reach every target, each guaranteed as `certify` does.

    The complete matcher has other matches at the share `gap_rate` of unlabelled nodes, if there is
    one.
    """
    hits, sizes = 0, np.array(list(kinds.values()))
    made = [Label.alone(*kind) for kind in kinds]
    for counts in rng.multivariate_hypergeometric(sizes, labels, size=audits, method="marginals"):
        order = rng.permutation(np.repeat(np.arange(len(sizes)), counts))
        gap = cells_of(kinds, sizes - counts, gap_rate or 0)
        tally = Tally(int(sizes.sum()), (), tuple(made[kind] for kind in order), (), gap)
        found = guarantees({"all": tally}, choices, complete=gap_rate is not None)
        hits += all(g.value >= targets[g.metric] for g in found)
    return hits / audits


def cells_of(kinds, numbers, gap_rate):
    """The cells of nodes (h, t, ht), of which the share `gap_rate` of all changes its matches."""
    changed, cells = round(int(sum(numbers)) * gap_rate), []
    for (h, _, _), nodes in zip(kinds, map(int, numbers), strict=True):
        others = min(changed, nodes) if h else 0
        changed -= others
        cells += [Cell(h, h, 0, others), Cell(h, h, h, nodes - others)]
    return tuple(cell for cell in cells if cell.nodes)
