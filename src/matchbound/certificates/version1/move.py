"""An audit folder of version 1, moved to version 2.

The folder is of version 1 until its new ledger.jsonl replaces the old, which is the last step: a
move that was killed is made again. Nothing is claimed that version 1 did not record.
"""

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.audits import (
    OLD_DRAW,
    OLD_LEDGER,
    PLACES,
    Draw,
    Ledger,
    Population,
    Transaction,
    read_gap,
    read_ledger,
    read_sample,
)
from matchbound.certificates.version1.entries import Mover, is_given, searched_files
from matchbound.certificates.version1.files import ROWS
from matchbound.certificates.version1.folder import matcher_now
from matchbound.certificates.version1.old import Old
from matchbound.errors import InputError, MatchboundError
from matchbound.files import (
    alone,
    digest_of_file,
    is_file,
    one_writer,
    paths_beside,
    without_page_of_version1,
    write_whole,
)
from matchbound.tables import Digest, Matching
from matchbound.theorems import Choices

if TYPE_CHECKING:
    from os import PathLike

NOTHING = "Nothing to move: the folder is of version 2."
MOVED = (
    f"The folder is of version 2 now: {{}} entries were moved. {OLD_LEDGER} and {OLD_DRAW} are "
    "those of version 1, which its certificates are verified by."
)
WAY_OUT = "Go on with version 0.1, or draw into another folder."


def move(audit: "str | PathLike[str]", certificate: "str | PathLike[str] | None" = None) -> str:
    """Move an audit folder of version 1 to version 2, and return what was done.

    If a crash left the entry of a certificate unfinished, the entry is made again. The certificate
    is looked for in the folder, unless its path is given.
    """
    folder = Path(audit)
    if not _to_be_moved(folder):
        return NOTHING
    with one_writer(folder), alone(folder), without_page_of_version1(folder):
        if not _to_be_moved(folder):  # another process moved it meanwhile
            return NOTHING
        paths = sorted(folder.glob("*.json")) if certificate is None else [Path(certificate)]
        old, files = _read(folder, paths)
        write_whole(files, force=True)
    return MOVED.format(len(old.entries))


def _read(folder: Path, certificates: list[Path]) -> tuple[Old, dict[Path, str | bytes]]:
    """What version 1 left, and the files of version 2 that follow; refuse what it did not write."""
    try:
        old = Old.read(folder, certificates)
        return old, _files(old)
    except MatchboundError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"audit must be as version 1 wrote it, got what it did not write ({error!r}). "
            "Restore it."
        ) from None


def _to_be_moved(folder: Path) -> bool:
    ledger = read_ledger(folder)
    ledger.refuse_changed()
    return ledger.is_version1


def _files(old: Old) -> dict[Path, str | bytes]:
    """The files of the folder in version 2, in the order in which they are to be replaced."""
    ledger = Transaction(old.folder, Ledger())
    digest = hashlib.sha256(old.ledger).hexdigest()
    ledger.add("moved", ledger=digest, entries=len(old.entries))
    drawn = _drawn(old).on_record(ledger)
    mover = Mover(ledger, drawn, old.record["digest"])
    for entry in old.entries:
        mover.enter(entry)
    ledger.remember(_whole_paths(old))
    files, places = ledger.waiting, old.folder / PLACES
    entries = files.pop(ledger.path)
    if places in files and is_file(places):  # a killed move left some
        files[places] = places.read_bytes() + files[places]
    return {
        **files,
        old.folder / OLD_LEDGER: old.ledger,
        old.folder / OLD_DRAW: old.draw,
        old.folder / "draw.json": drawn.written.text,
        ledger.path: entries,
    }


def _drawn(old: Old) -> Draw:
    """The draw in today's form; refuse one whose nodes were changed."""
    record = old.record
    population, holdout = record["population"], record["holdout"]
    _refuse_rows([population["digest"], *([] if holdout is None else [holdout["digest"]])])
    path = _whole(population["path"], population["digest"], old.folder) or population["path"]
    choices = _choices_now(record["choices"])
    drawn = Draw(
        Population(path, Digest(None, population["digest"]), population["size"], population["id"]),
        record["seed"],
        record["labels"],
        record["train"],
        choices,
        read_sample(old.folder / "sample.csv", "Restore it."),
        Matching(**record["matching"]),
        read_gap(old.folder / "gap.csv", "Restore it.") if choices.gap else (),
        None if holdout is None else matcher_now(holdout),
        seed_given=is_given(record["seed"]),
    )
    recorded = {name: record[f"{name}_digest"] for name in ("sample", "gap")}
    if drawn.node_digests != recorded:
        raise InputError(
            f"audit must hold sample.csv and gap.csv as drawn, got them changed in "
            f"{str(old.folder)!r}. Restore them."
        )
    return drawn


def _refuse_rows(digests: list[str]) -> None:
    """Refuse tables that are known by version 1's digest of rows, which nobody computes now."""
    if any(digest.startswith(ROWS) for digest in digests):
        raise InputError(
            "audit must be drawn from files to be moved, got one from a table in memory or of a "
            f"cluster, which version 2 would not recognise. {WAY_OUT}"
        )


def _choices_now(record: Any) -> Choices:
    """The choices in today's form; refuse one that is not there today, or is read otherwise.

    Where the number of labels is not fixed, version 1 always bet, as today where misses are few.
    """
    bets = record["until"] or record["bound"] == "anytime"
    try:
        choices = Choices.from_dict(record | {"few_misses": record["metrics"] if bets else []})
    except MatchboundError as error:
        reason = str(error).partition(". ")[0]
        raise InputError(
            f"audit must have choices that version 2 has, got others ({reason}). {WAY_OUT}"
        ) from None
    now = choices.as_dict()
    for name, value in record.items():
        if now[name] != value:
            raise InputError(
                f"audit must have choices that mean the same in version 2, got {name} = {value!r}. "
                f"{WAY_OUT}"
            )
    return choices


def _whole_paths(old: Old) -> list[str]:
    """The whole paths of the tables that version 1 named, the population's last."""
    population = old.record["population"]
    tables = [(file.path, file.digest) for file in searched_files(iter(old.entries))]
    tables.append((population["path"], population["digest"]))
    wholes = [_whole(path, digest, old.folder) for path, digest in tables]
    return [path for path in dict.fromkeys(wholes) if path is not None]


def _whole(path: str | None, digest: str | None, folder: Path) -> str | None:
    """A table's whole path: as on record, or of the file that a relative one stands for now."""
    if path is None or os.path.isabs(path):
        return path
    files = [Path(path), *paths_beside(path, folder)]
    fitting = (file for file in files if is_file(file) and digest_of_file(file) == digest)
    return next((os.path.abspath(file) for file in fitting), None)
