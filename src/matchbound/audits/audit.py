"""An audit folder: its draw, its ledger and its labels, as they belong together."""

from pathlib import Path

from matchbound.audits.draw import Draw
from matchbound.audits.folder import last_draw, refuse_unfinished
from matchbound.audits.ledger import Transaction, since_draw, sound_ledger
from matchbound.audits.standing import same_labels
from matchbound.errors import InputError
from matchbound.tables import Digest


def enter_labels(ledger: Transaction, digest: Digest, validation: int) -> None:
    """Put labels on record, unless they are those that were put there last."""
    entries = since_draw(ledger.entries)
    entered = [entry["labels"] for entry in entries if entry["kind"] == "labels"]
    if not entered or not same_labels(entered[-1], digest.as_dict()):
        ledger.add("labels", labels=digest.as_dict(), validation=validation)


def check_on_record(audit: Path) -> None:
    """Refuse a folder whose draw is not the last that its ledger has."""
    refuse_unfinished(audit)
    last = last_draw(sound_ledger(audit).entries)
    if last is None or last["draw"] != Draw.load(audit).digest:
        raise InputError(
            f"audit must hold a draw that its ledger knows, got another in {str(audit)!r}. Restore "
            "draw.json, or repeat the `draw --extend` that was interrupted."
        )
