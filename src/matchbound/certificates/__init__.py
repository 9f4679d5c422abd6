"""Certificates: from an audit and matchers' outputs to a certificate, and its verification."""

from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import certify
from matchbound.certificates.contradictions import contradictions
from matchbound.certificates.record import read_record
from matchbound.certificates.words import (
    comparison,
    ledger_line,
    meaning,
    planned_line,
    sentences,
    threshold_line,
)

__all__ = [
    "Certificate",
    "certify",
    "comparison",
    "contradictions",
    "ledger_line",
    "meaning",
    "planned_line",
    "read_record",
    "sentences",
    "threshold_line",
]
