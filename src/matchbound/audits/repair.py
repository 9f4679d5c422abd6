"""What a crash left unfinished in an audit's ledger, finished."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.audits.inputs import Inputs
from matchbound.audits.ledger import Transaction, sound_ledger, transaction
from matchbound.audits.shelf import certificate_files
from matchbound.audits.standing import Issued
from matchbound.errors import MatchboundError
from matchbound.files import digest_of_json, read_json, read_text
from matchbound.theorems import Choices

if TYPE_CHECKING:
    from os import PathLike

NOTHING = "Nothing to repair: every line of the ledger is finished."
CUT = "The ledger's last line was unfinished (a crash): it was cut off."
AGAIN = "The ledger's last line was unfinished (a crash): the entry of {} was made again."


def repair(audit: "str | PathLike[str]", certificate: "str | PathLike[str] | None" = None) -> str:
    """Cut off a line that a crash left unfinished, and return what was done.

    If the line was the entry of a certificate, the entry is made again. The certificate is looked
    for in the audit folder, unless its path is given.
    """
    folder = Path(audit)
    if not sound_ledger(folder).unfinished:
        return NOTHING
    paths = certificate_files(folder) if certificate is None else [Path(certificate)]
    with transaction(folder) as ledger:
        if not ledger.is_unfinished:  # another process was writing that line
            return NOTHING
        for path, record in _certificates(paths):
            if _follows(record, ledger):
                ledger.add("certificate", certificate=record["digest"], **_facts(record))
                return AGAIN.format(path.name)
        ledger.cut()
    return CUT


def _certificates(paths: list[Path]) -> Iterator[tuple[Path, Any]]:
    """The contents of those files that are certificates, and as they were written."""
    for path in paths:
        try:
            record = read_json(read_text(path, "certificate", "Restore it."))
            body = {name: value for name, value in record.items() if name != "digest"}
            if record["digest"] == digest_of_json(body) and _facts(record):
                yield path, record
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        except MatchboundError:  # its choices are none
            continue


def _follows(record: Any, ledger: Transaction) -> bool:
    """Whether a certificate was issued after exactly the entries that the ledger has."""
    place = record["ledger"] or {}
    return (place.get("entries"), place.get("head")) == (len(ledger.entries), ledger.head)


def _facts(record: Any) -> Any:
    """What the ledger keeps of a certificate."""
    choices = Choices.from_dict(record["choices"])
    inputs, said = Inputs.of(record["inputs"]), (record["truth_searched"], record["release"])
    return Issued.of(inputs, choices, record["exploratory"], *said).as_dict()
