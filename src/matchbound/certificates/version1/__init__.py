"""Certificates of version 1: computed again by the rules they were made by.

Betting on labels brought along was not valid, for their order was public; and what was said of the
ledger is recounted by today's rules.
"""

from matchbound.certificates.version1.certificate import Certificate, contradictions
from matchbound.certificates.version1.files import at_hand, draw_differences, file_differences
from matchbound.certificates.version1.folder import has_ledger, ledger_differences

__all__ = [
    "Certificate",
    "at_hand",
    "contradictions",
    "draw_differences",
    "file_differences",
    "has_ledger",
    "ledger_differences",
]
