"""Certificates: from an audit and matchers' outputs to a certificate, and its verification."""

from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import certify
from matchbound.certificates.contradictions import contradictions
from matchbound.certificates.record import Record
from matchbound.certificates.words import (
    ledger_line,
    meaning,
    part_line,
    planned_line,
    sample_line,
    sentences,
    threshold_line,
    within_part,
)

__all__ = [
    "Certificate",
    "Record",
    "certify",
    "contradictions",
    "ledger_line",
    "meaning",
    "part_line",
    "planned_line",
    "sample_line",
    "sentences",
    "threshold_line",
    "within_part",
]
