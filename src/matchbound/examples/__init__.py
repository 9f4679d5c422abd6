"""Example tables, made by code, and what is true in them."""

from matchbound.examples.answer import answer
from matchbound.examples.example import EXAMPLES, Example, records_text, write_example
from matchbound.examples.matcher import Matcher, learned
from matchbound.examples.tables import Tables, two_tables

__all__ = [
    "EXAMPLES",
    "Example",
    "Matcher",
    "Tables",
    "answer",
    "learned",
    "records_text",
    "two_tables",
    "write_example",
]
