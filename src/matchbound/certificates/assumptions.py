"""What a certificate assumes, as remarks."""

from dataclasses import replace
from itertools import chain

from matchbound.audits import BY_WEIGHT, PROMISES, Standing
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.counted import Counted
from matchbound.certificates.remark import Remark
from matchbound.tables import Clusters
from matchbound.tallies import Setting
from matchbound.theorems import Choices, Growth, Tally, proved_limit, uncovered

FIXED = Remark("fixed")
NO_OTHER_DRAW = Remark("no_other_draw")
ONLY_OWN_ROWS = Remark("only_own_rows")


def assumed(counted: Counted, complete: bool) -> tuple[Remark, ...]:
    """Return the assumptions that follow from the choices, the tables and the tallies."""
    setting, cohorts = counted.setting, counted.cohorts
    choices, tally = setting.choices, next(iter(counted.tallies.values()))
    erased = _erased(tally, setting)
    unlabelled = sum(not label.is_sure for label in (*tally.train, *tally.fresh)) - erased
    erased, unlabelled = erased + cohorts.erased, unlabelled + cohorts.unlabelled
    forms = [setting.truth, *(output.form for output in counted.outputs)]
    sourceless = any(isinstance(form, Clusters) and form.source is None for form in forms)
    of_part = [] if setting.whole_size is None else [setting.whole_size]
    conditions = (
        (Remark(setting.origin), True),
        (Remark(BY_WEIGHT), bool(choices.weigh) and setting.origin != BY_WEIGHT),
        *((Remark("within", (setting.size, whole)), True) for whole in of_part),
        *_since(tally, setting, counted.growth),
        (NO_OTHER_DRAW, not setting.is_brought),
        (FIXED, not choices.rounds),
        (Remark("guided", (choices.leaves,)), bool(choices.rounds)),
        (Remark("sample_unknown"), True),
        (Remark("all_true"), True),
        (Remark("holdout_training_only"), not choices.rounds),
        (Remark("holdout_guided"), bool(choices.rounds)),
        (Remark("complete_anything"), complete and not choices.is_sampled),
        (Remark("complete_but_gap"), complete and bool(choices.gap) and not choices.future),
        (Remark("not_chosen_by_gap"), complete and bool(choices.gap)),
        (Remark("both_ran"), bool(choices.gap)),
        (Remark("future_of_part" if of_part else "future"), choices.future),
        (Remark("one_to_one"), choices.one_to_one),
        (Remark("at_most_one_match"), choices.at_most_one_match),
        (Remark("every_node_matched"), choices.every_node_matched),
        *_limits(tally, choices),
        (Remark("entities"), setting.needs_entities),
        (Remark("disjoint_ids"), sourceless and setting.matching.is_link),
        (ONLY_OWN_ROWS, counted.only_own_rows),
        (Remark("cohort_own_rows"), cohorts.only_own_rows),
        (Remark("unlabelled", (unlabelled,)), unlabelled > 0),
        (Remark("erased", (erased,)), erased > 0),
    )
    return tuple(remark for remark, applies in conditions if applies)


def _since(tally: Tally, setting: Setting, growth: Growth | None) -> list[tuple[Remark, bool]]:
    """What is assumed where the population has changed since the draw."""
    if growth is None:
        return []
    gone, lacking = growth.change.gone, len(uncovered(setting.choices, growth))
    numbers = tally.size - gone, gone, growth.new.nodes
    others = set(setting.choices.metrics) - {"precision", "pairwise-precision"}
    return [
        (Remark("changed_since", numbers), True),
        (Remark("kept_unchanged"), True),
        (Remark("promises_now"), any(getattr(setting.choices, name) for name in PROMISES)),
        (Remark("other_unchanged"), bool(others) and not setting.matching.dedupe),
        (Remark("uncovered", (lacking,)), lacking > 0),
    ]


def _limits(tally: Tally, choices: Choices) -> list[tuple[Remark, bool]]:
    """How true matches are limited, where a metric needs it."""
    limited = choices.limited
    promised, among = choices.most_true_matches, choices.among_records_with_at_most
    rows = [(Remark("most_true_matches", (promised,)), True)] if promised else []
    if limited and among:
        beyond = sum((label.t or 0) > among for label in tally.labelled)
        rows.append((Remark("among_at_most", (among, beyond, len(tally.labelled))), True))
    if limited and choices.limit_by_sample:
        most = proved_limit(tally, choices.design(limited[0]))
        rows.append((Remark("limit_by_sample", (most, most + 2)), True))
    return rows


def _erased(tally: Tally, setting: Setting) -> int:
    """How many erased nodes count: those of D, and those of S up to where it was cut."""
    return sum(
        train is not None or (validation is not None and validation <= len(tally.validation))
        for _, train, validation in setting.erased
    )


def on_record(certificate: Certificate, ledger: Standing) -> Certificate:
    """Return the certificate with its standing in the ledger, which may settle assumptions."""
    registered, seeded = ledger.registered, ledger.seeded
    instead: dict[Remark, tuple[Remark, ...]] = {}
    if registered is not None:
        instead[FIXED] = (Remark("on_record", (registered,)),)
    if seeded is not None and FIXED in certificate.assumptions:
        instead[FIXED] = (Remark("seed_after_matcher", (seeded.register, seeded.draw)),)
        # The seed did not depend on the matcher's labels, whatever they were.
        instead |= {Remark("sample_unknown"): (), Remark("holdout_training_only"): ()}
    if ledger.labelled is not None:  # the page searches the whole table, and says so
        instead[ONLY_OWN_ROWS] = ()
    if ledger.grown:
        instead[NO_OTHER_DRAW] = (NO_OTHER_DRAW, Remark("grown"))
    assumptions = (instead.get(remark, (remark,)) for remark in certificate.assumptions)
    return replace(certificate, assumptions=tuple(chain(*assumptions)), ledger=ledger)
