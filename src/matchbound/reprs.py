"""How values look where Python prints them by themselves, as in a notebook or a debugger."""

LONGEST = 100


def brief(value: object, text: str) -> str:
    """`<Name: text>` on one line of at most 100 characters; `…` stands for what is cut off."""
    name = type(value).__name__
    line, room = " ".join(text.split()), LONGEST - len(f"<{name}: >")
    return f"<{name}: {line if len(line) <= room else line[: room - 1] + '…'}>"
