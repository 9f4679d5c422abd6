"""Certificates: made, told in words, and verified."""

from matchbound.certificates.certificate import Certificate, from_record, read_record
from matchbound.certificates.certification import certify
from matchbound.certificates.verification import contradictions
from matchbound.certificates.words import (
    comparison,
    heading,
    ledger_line,
    meaning,
    planned_line,
    threshold_line,
    why_not_whole,
)

__all__ = [
    "Certificate",
    "certify",
    "comparison",
    "contradictions",
    "from_record",
    "heading",
    "ledger_line",
    "meaning",
    "planned_line",
    "read_record",
    "threshold_line",
    "why_not_whole",
]
