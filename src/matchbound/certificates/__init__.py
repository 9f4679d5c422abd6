"""Certificates: from an audit and matchers' outputs to a certificate, and its verification."""

from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import certify
from matchbound.certificates.contradictions import contradictions
from matchbound.certificates.record import Record
from matchbound.certificates.releases import Release, Releases, releases
from matchbound.certificates.verdicts import as_percent
from matchbound.certificates.words import (
    ledger_line,
    meaning,
    part_line,
    planned_line,
    release_line,
    sample_line,
    sentences,
    threshold_line,
    within_part,
)

__all__ = [
    "Certificate",
    "Record",
    "Release",
    "Releases",
    "as_percent",
    "certify",
    "contradictions",
    "ledger_line",
    "meaning",
    "part_line",
    "planned_line",
    "release_line",
    "releases",
    "sample_line",
    "sentences",
    "threshold_line",
    "within_part",
]
