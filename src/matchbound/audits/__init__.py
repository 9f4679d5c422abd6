"""A population's draw, and the folder that it lives in."""

from matchbound.audits.audit import Audit
from matchbound.audits.book import CONFLICT, SETTLED, UNSURE, Book, Page, Verdict
from matchbound.audits.brought import BY_WEIGHT, as_brought, as_drawn
from matchbound.audits.choices import (
    fit_choices,
    given_choices,
    is_by_matcher,
    refuse_unproven_in_part,
)
from matchbound.audits.cohort import PROMISES, cohort_folder, draw_cohort
from matchbound.audits.commit import GROWN
from matchbound.audits.draw import (
    FILES,
    PARTS,
    Draw,
    evidence_in,
    join_orders,
    read_gap,
    read_sample,
)
from matchbound.audits.erased import (
    erased_rows,
    has_ids,
    is_same_gap,
    is_same_sample,
    restored,
    with_ids,
)
from matchbound.audits.folder import LABELS, OLD_DRAW, OLD_LEDGER, is_written, last_draw
from matchbound.audits.inputs import (
    COHORT,
    CohortRef,
    Inputs,
    LabelsRef,
    OutputRef,
    Population,
    TableRef,
    Within,
)
from matchbound.audits.journal import Journal, Opening, is_sealed, read_journal
from matchbound.audits.labels import (
    OF_CLUSTERS,
    check_all_labelled,
    labels,
    labels_in_folder,
    labels_of,
)
from matchbound.audits.ledger import NAME as LEDGER
from matchbound.audits.ledger import (
    Entry,
    Ledger,
    Transaction,
    append,
    ledger_or_problems,
    read_ledger,
    refuse_version1,
    since_draw,
    sound_ledger,
    transaction,
)
from matchbound.audits.load import load, planned_choices, read_certified
from matchbound.audits.matcher import Matcher
from matchbound.audits.order import hash_of
from matchbound.audits.places import NAME as PLACES
from matchbound.audits.places import find, whole_paths
from matchbound.audits.provenance import Provenance, Searched, SearchedFile
from matchbound.audits.release import (
    checked_release,
    name_taken,
    release_entry,
    release_path,
    released,
)
from matchbound.audits.remembered import Remembered, latest
from matchbound.audits.sample import draw, draw_again
from matchbound.audits.seal import Seal, check_signers, seals_in, signer_of
from matchbound.audits.shelf import Newest, certificate_files, folder_of, newest_certificate
from matchbound.audits.shown import enter_labels, enter_look, same_labels
from matchbound.audits.standing import (
    CohortSpent,
    Issued,
    Seeded,
    Standing,
    all_together,
    before_labels,
    on_record,
    planned,
    standing,
)
from matchbound.audits.supplied import Identity, Supplied, checked_searched
from matchbound.audits.weights import Weights
from matchbound.audits.wishes import Wishes
from matchbound.audits.written import Written

__all__ = [
    "BY_WEIGHT",
    "COHORT",
    "CONFLICT",
    "FILES",
    "GROWN",
    "LABELS",
    "LEDGER",
    "OF_CLUSTERS",
    "OLD_DRAW",
    "OLD_LEDGER",
    "PARTS",
    "PLACES",
    "PROMISES",
    "SETTLED",
    "UNSURE",
    "Audit",
    "Book",
    "CohortRef",
    "CohortSpent",
    "Draw",
    "Entry",
    "Identity",
    "Inputs",
    "Issued",
    "Journal",
    "LabelsRef",
    "Ledger",
    "Matcher",
    "Newest",
    "Opening",
    "OutputRef",
    "Page",
    "Population",
    "Provenance",
    "Remembered",
    "Seal",
    "Searched",
    "SearchedFile",
    "Seeded",
    "Standing",
    "Supplied",
    "TableRef",
    "Transaction",
    "Verdict",
    "Weights",
    "Wishes",
    "Within",
    "Written",
    "all_together",
    "append",
    "as_brought",
    "as_drawn",
    "before_labels",
    "certificate_files",
    "check_all_labelled",
    "check_signers",
    "checked_release",
    "checked_searched",
    "cohort_folder",
    "draw",
    "draw_again",
    "draw_cohort",
    "enter_labels",
    "enter_look",
    "erased_rows",
    "evidence_in",
    "find",
    "fit_choices",
    "folder_of",
    "given_choices",
    "has_ids",
    "hash_of",
    "is_by_matcher",
    "is_same_gap",
    "is_same_sample",
    "is_sealed",
    "is_written",
    "join_orders",
    "labels",
    "labels_in_folder",
    "labels_of",
    "last_draw",
    "latest",
    "ledger_or_problems",
    "load",
    "name_taken",
    "newest_certificate",
    "on_record",
    "planned",
    "planned_choices",
    "read_certified",
    "read_gap",
    "read_journal",
    "read_ledger",
    "read_sample",
    "refuse_unproven_in_part",
    "refuse_version1",
    "release_entry",
    "release_path",
    "released",
    "restored",
    "same_labels",
    "seals_in",
    "signer_of",
    "since_draw",
    "sound_ledger",
    "standing",
    "transaction",
    "whole_paths",
    "with_ids",
]
