"""Labels from an example's truth, in place of a person's."""

from pathlib import Path

from matchbound.audits import LABELS, Draw
from matchbound.errors import InputError
from matchbound.examples.example import EXAMPLES
from matchbound.files import alone, csv_text, digest_of_text, write_whole


def answer(name: str, audit: Path, *, force: bool) -> int:
    """Label every drawn record of an audit of an example, and return how many they are.

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
    drawn = [id for id, _, _ in draw.sample]
    rows = [(x, y) for x in drawn for y in example.truth.get(x, ("",))]
    with alone(audit):
        write_whole({audit / LABELS: csv_text(["x", "y"], rows)}, force=force)
    return len(drawn)
