"""Several readings of what a user gave: a question, and the answers that settle it."""

from collections.abc import Sequence
from dataclasses import dataclass

from matchbound.errors import InputError


@dataclass(frozen=True)
class Answer:
    """A reading: the keyword of `audit` that chooses it, the keyword's value, what it means."""

    keyword: str
    value: object
    words: str

    def __str__(self) -> str:
        return f"{self.keyword}={self.value!r} ({self.words})"


class SeveralReadingsError(InputError):
    """What was given has several readings, and only the user knows which is right."""

    def __init__(self, question: str, answers: Sequence[Answer]) -> None:
        self.question, self.answers = question, tuple(answers)
        super().__init__(f"{question} Give {' or '.join(map(str, answers))}.")
