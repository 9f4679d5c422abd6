"""Where the certificates of an audit folder are."""

from pathlib import Path

from matchbound.audits.ledger import NAME, read_ledger
from matchbound.audits.release import FOLDER, release_path, released
from matchbound.files import is_file, is_there

CERTIFICATE = "certificate.json"


def certificate_files(folder: Path) -> list[Path]:
    """The JSON files in an audit folder and among its releases; not all are certificates."""
    return [*sorted(folder.glob("*.json")), *sorted((folder / FOLDER).glob("*.json"))]


def certificate_of(folder: Path) -> Path:
    """The certificate.json of an audit folder; if there is none, its last release.

    The ledger says which that is, unless it was changed: then some release is taken, for `verify`
    to say so.
    """
    own = folder / CERTIFICATE
    if is_there(own) or not is_file(folder / NAME):
        return own
    ledger = read_ledger(folder)
    if ledger.problems:
        files = sorted((folder / FOLDER).glob("*.json"))
    else:
        files = [release_path(folder, entry["release"]) for entry in released(ledger.entries)]
    return next((file for file in reversed(files) if is_file(file)), own)


def folder_of(certificate: Path) -> Path:
    """The folder that a certificate stands in; of a release in an audit folder, that folder."""
    place = certificate.parent
    above = place.parent
    return above if place.name == FOLDER and is_file(above / NAME) else place
