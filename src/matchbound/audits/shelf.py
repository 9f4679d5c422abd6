"""Where the certificates of an audit folder are."""

from dataclasses import dataclass
from pathlib import Path

from matchbound.audits.ledger import NAME, Ledger, read_ledger
from matchbound.audits.release import FOLDER, release_path
from matchbound.errors import MatchboundError
from matchbound.files import is_file, is_there, read_json, read_text

CERTIFICATE = "certificate.json"


def certificate_files(folder: Path) -> list[Path]:
    """The JSON files in an audit folder and among its releases; not all are certificates."""
    return [*sorted(folder.glob("*.json")), *sorted((folder / FOLDER).glob("*.json"))]


@dataclass(frozen=True)
class Newest:
    """The newest certificate on record in an audit folder, and the file that it is in.

    `missing` says which it is if no file has it; `path` is then where it belongs.
    """

    path: Path
    release: str | None = None
    missing: str = ""


def newest_certificate(folder: Path) -> Newest:
    """Find the certificate that an audit folder stands for: the newest that its ledger has.

    Where the ledger has none, or was changed, it is certificate.json, for `verify` to say so.
    """
    own = folder / CERTIFICATE
    ledger = read_ledger(folder) if _is_inside(folder, folder / NAME) else Ledger()
    if ledger.problems or ledger.is_version1 or not ledger.of_kind("certificate"):
        files = sorted((folder / FOLDER).glob("*.json"))
        return Newest(files[-1] if files and not is_there(own) else own)
    newest = ledger.of_kind("certificate")[-1]
    release = newest.get("release")
    usual = own if release is None else release_path(folder, release)
    digests = {path: _digest(folder, path) for path in (usual, *certificate_files(folder))}
    for path, digest in digests.items():
        if digest == newest["certificate"]:
            return Newest(path, release)
    earlier = {entry["certificate"] for entry in ledger.of_kind("certificate")}
    if is_there(usual) and digests[usual] not in earlier:
        return Newest(usual, release)  # it was changed, as `verify` will say
    of_release = "" if release is None else f", release {release}"
    missing = f"the newest certificate on record (entry {newest['entry']}{of_release})"
    return Newest(usual, release, missing)


def _digest(folder: Path, path: Path) -> str | None:
    """The digest that a certificate in a folder claims to have; None if it is no certificate."""
    try:
        if not _is_inside(folder, path):
            return None
        content = read_json(read_text(path, "certificate", "Give a certificate.json."))
    except (MatchboundError, OSError, ValueError, RecursionError):
        return None
    return str(content["digest"]) if isinstance(content, dict) and "digest" in content else None


def _is_inside(folder: Path, path: Path) -> bool:
    """Whether it is a regular file, and no link that leads out of the folder."""
    return is_file(path) and path.resolve().is_relative_to(folder.resolve())


def folder_of(certificate: Path) -> Path:
    """The folder that a certificate stands in; of a release in an audit folder, that folder."""
    place = certificate.parent
    above = place.parent
    return above if place.name == FOLDER and is_file(above / NAME) else place
