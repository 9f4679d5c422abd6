"""Labels and draws as they were when a certificate was issued, where they have only grown since."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

from matchbound.audits import Book, Draw, Entry, Population, Within, is_sealed
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.history import History
from matchbound.files import digest_of_text, digests_of_beginnings
from matchbound.tables import Digest, Row

MEANWHILE = 100
"""How many labels may be given on the page while a certificate is computed."""


def labels_then(fits: Callable[[str], bool], history: History, path: Path | None) -> bytes | None:
    """The labels as they were: those of the page, or the beginning of a file kept by hand.

    `fits` says whether a file's digest is the certified one; `path` is the file now, if it is at
    hand. None if a label was changed since, and not only others added.
    """
    for then in _books(history.before):
        text = then.to_csv()
        if fits(digest_of_text(text)):
            return text.encode() if path is None or _has_grown(then, history, path) else None
    for size, digest in digests_of_beginnings(path) if path is not None else ():
        if path is not None and fits(digest):
            return path.read_bytes()[:size]
    return None


def _books(entries: Sequence[Entry]) -> Iterator[Book]:
    """The page's labels after these entries, and before the last of them.

    People may label on while a certificate is computed from the labels that were there.
    """
    ends = [i for i, one in enumerate(entries) if one["kind"] in ("label", "undo")]
    for end in [len(entries), *ends[: -MEANWHILE - 1 : -1]]:
        yield Book.of(entries[:end])


def _has_grown(then: Book, history: History, path: Path) -> bool:
    """Whether a file is what the page has written since, with every label that there was then.

    A crash may have kept the page from writing its last label.
    """
    content = path.read_bytes()
    for book in islice(_books(history.ledger.entries), 2):
        if book.to_csv().encode() == content:
            return _labels(then).items() <= _labels(book).items()
    return False


def _labels(book: Book) -> dict[int, tuple[str, frozenset[str]]]:
    """The settled labels by place."""
    return {one.place: (one.node, frozenset(one.matches or ())) for one in book.settled()}


def draw_then(now: Draw, history: History, certificate: Certificate) -> Draw | None:
    """The draw as it was before it was made larger; None if it was not this one."""
    entry, source = history.draw, certificate.inputs.draw
    if entry is None or source is None or not 0 < entry["labels"] < now.labels:
        return None
    labels = entry["labels"]
    sample = first_of(now.sample, labels)
    smaller = _committed(replace(now, labels=labels, sample=sample), entry, history)
    tables = product(_populations(now, history, certificate), _parts(now, certificate))
    for population, within in tables:
        then = replace(smaller, population=population, within=within)
        if digest_of_text(then.written.text) == source.digest.bytes:
            return then
    return None


def first_of(rows: Sequence[Row], labels: int) -> tuple[Row, ...]:
    """D and the first nodes of S, by their places: erased nodes have no ids to tell them by."""
    then = [(x, i, k if k is not None and k <= labels else None) for x, i, k in rows]
    kept = [row for row in then if row[1:] != (None, None)]
    return tuple(sorted(kept, key=lambda row: (row[2] is None, row[2] or row[1])))


def _committed(draw: Draw, entry: Entry, history: History) -> Draw:
    """The draw with the commitment to its nodes that is on record, opened if it can be."""
    if is_sealed(entry.get("nodes")):
        return replace(draw, sealed_nodes=entry["nodes"]["sealed"])
    draw = replace(draw, sealed_nodes=None)
    opening = history.journal.holding("nodes", draw.facts()["nodes"])
    return draw if opening is None else replace(draw, salt=opening.salt)


def _populations(now: Draw, history: History, certificate: Certificate) -> Iterator[Population]:
    """The population as draw.json may have named it: a file may be moved or written again."""
    known = [now.population, certificate.inputs.population]
    digests = [one.digest for one in known]
    if history.choices is not None:
        digests.append(Digest.of(history.choices["population"]))
    for path, digest in product(dict.fromkeys(one.path for one in known), dict.fromkeys(digests)):
        yield replace(now.population, path=path, digest=digest)


def _parts(now: Draw, certificate: Certificate) -> Iterator[Within | None]:
    """The same for the part that was drawn from, if it was a part."""
    known = [one for one in (now.within, certificate.inputs.within) if one is not None]
    if not known:
        yield None
    for one, other in product(known, known):
        yield replace(one, digest=other.digest)
