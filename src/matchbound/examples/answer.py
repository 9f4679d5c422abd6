"""Labels from an example's truth, in place of a person's."""

from collections.abc import Iterable
from pathlib import Path

from matchbound.audits import LABELS, Draw, latest
from matchbound.errors import InputError
from matchbound.examples.example import EXAMPLES, Example
from matchbound.files import alone, csv_text, digest_of_text, write_whole
from matchbound.tables import SEPARATOR


def answer(name: str, audit: Path, *, force: bool) -> Draw:
    """Label every drawn record of an audit of an example, and return its draw.

    An audit of other records is refused: the example knows no truth about them.
    """
    example, draw = EXAMPLES[name](), Draw.load(audit)
    digests = {digest_of_text(example.files[file]) for file in example.records}
    if draw.population.digest.bytes not in digests:
        raise InputError(
            f"answer must be an audit of {' or '.join(example.records)} as `matchbound example "
            f"{name}` writes them, got {str(audit)!r}, an audit of {draw.population.path!r}. Label "
            "it with matchbound label."
        )
    x_prefix, y_prefix = _prefixes(draw, audit)
    drawn = {x: x.removeprefix(x_prefix) for x, _, _ in draw.sample}
    _refuse_other_ids(example, drawn.values())
    rows = [(x, y and y_prefix + y) for x, id in drawn.items() for y in example.matches(id)]
    with alone(audit):
        write_whole({audit / LABELS: csv_text(["x", "y"], rows)}, force=force)
    return draw


def _refuse_other_ids(example: Example, ids: Iterable[str]) -> None:
    """Refuse a draw by another column than `id`: it would have no true match anywhere."""
    lines = (line for file in example.records for line in example.files[file].splitlines())
    known = {line.partition(",")[0] for line in lines}
    for id in ids:
        if id not in known:
            raise InputError(
                f"answer must be an audit by the column 'id', got one of a record {id!r}. "
                "Draw without --id."
            )


def _prefixes(draw: Draw, audit: Path) -> tuple[str, str]:
    """What ids begin with in both tables, where matches tell which source a record is of."""
    if draw.matching.source is None:
        return "", ""
    other = latest(audit, "against")
    if other is None or other.source is None:
        raise InputError(
            f"answer must be an audit that names the source of the other table, got {str(audit)!r}."
            " Make it with matchbound audit … --against."
        )
    return draw.matching.source + SEPARATOR, other.source + SEPARATOR
