"""The README as a reader pastes it: its blocks of commands, of Python, and of what they print."""

import re
from dataclasses import dataclass
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


@dataclass(frozen=True)
class Block:
    """Lines to paste, and what the README shows that they print, if it shows it."""

    language: str
    text: str
    printed: str | None

    @property
    def commands(self):
        return self.text.replace("\\\n", " ").splitlines()


def blocks(text=None):
    """Every block of commands or of Python, in order; other languages are refused."""
    found = re.findall(r"^```(.*?)\n(.*?)^```$", text or README.read_text("utf-8"), re.M | re.S)
    languages = {language for language, _ in found}
    assert languages == {"sh", "python", "text"}, languages
    following = [*found[1:], ("", "")]
    for (language, body), (after, printed) in zip(found, following, strict=True):
        if language != "text":
            yield Block(language, body, printed if after == "text" else None)
