"""A draw compared with its entries in the ledger."""

from collections.abc import Iterator, Sequence
from typing import Any

from matchbound.audits.draw import Draw
from matchbound.audits.journal import Entry, is_sealed
from matchbound.audits.ledger import NAME
from matchbound.tables import Digest, is_same_table


def draw_differences(draw: Draw, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield which entries of the draw and of its choices are not as draw.json has them."""
    drawn = (one for one in entries if one["kind"] == "draw" and one.get("draw") == draw.digest)
    entry = next(drawn, None)
    if entry is None:
        yield f"{NAME} has no entry of this draw"
        return
    number = entry.get("choices")
    if not _has(entry, draw.facts()):
        yield f"{NAME}: entry {entry['entry']} is not as draw.json has it"
    elif number is not None and draw.labels:
        before = entries[number - 1] if 0 < number < entry["entry"] else {}
        if not _has(before, _fixed(draw)):
            yield f"{NAME}: entry {number} is not the choices that draw.json has"


def _fixed(draw: Draw) -> dict[str, object]:
    """What was entered before the draw."""
    return {
        "population": draw.population.digest.as_dict(),
        "size": draw.population.size,
        "matching": draw.matching.as_dict(),
        "train": draw.train,
        "train_seed": draw.train_seed,
        "trained_on": None if draw.trained_on is None else draw.trained_on.digest.as_dict(),
        "choices": draw.choices.as_dict(),
        "seed": draw.seed if draw.seed_given else None,
    }


def _has(entry: Entry, facts: dict[str, object]) -> bool:
    return all(_is_same(name, entry.get(name), value) for name, value in facts.items())


def _is_same(name: str, entered: Any, fixed: Any) -> bool:
    """Whether a fact of an entry is as fixed; tables are compared by their rows.

    A commitment that nobody can open contradicts nothing.
    """
    if is_sealed(entered):
        return True
    if name in ("population", "trained_on"):
        return is_same_table(Digest.if_any(entered), Digest.if_any(fixed))
    return bool(entered == fixed)
