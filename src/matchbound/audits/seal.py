"""A seal: the ledger's head at one moment, in a small file to send to others or to publish.

Whoever holds a seal can tell if the entries up to it were changed since, even if every digest was
made anew. It holds no fact of an entry. It can be signed with the user's SSH key.
"""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits.draw import evidence_in
from matchbound.audits.journal import Entry
from matchbound.audits.ledger import transaction
from matchbound.errors import EngineError, InputError
from matchbound.files import (
    digest_of_text,
    is_file,
    read_json,
    read_text,
    refuse_input_as_out,
    write_whole,
)

if TYPE_CHECKING:
    from os import PathLike

SUFFIX = ".seal"
SIGNATURE = ".sig"
NAMESPACE = "matchbound"  # signatures made for anything else do not count


@dataclass(frozen=True)
class Seal:
    """The ledger's number of entries, the digest of the last one, and the time of the seal."""

    entries: int
    head: str
    time: str

    def __post_init__(self) -> None:
        texts = isinstance(self.head, str) and isinstance(self.time, str)
        if not texts or type(self.entries) is not int or self.entries < 1:
            raise TypeError("a seal has a number of entries, a digest and a time")

    @property
    def text(self) -> str:
        """The file's text, which a signature is of."""
        return json.dumps({"matchbound": "seal", **asdict(self)}) + "\n"

    @staticmethod
    def read(path: Path) -> "Seal":
        text = read_text(path, "seal", "Give a file that `matchbound seal` wrote.")
        try:
            record = read_json(text)
            seal = Seal(record["entries"], record["head"], record["time"])
            if seal.text != text:
                raise ValueError("it is not as written")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                f"seal must be as `matchbound seal` wrote it, got {str(path)!r} ({error}). "
                "Give it unchanged."
            ) from None
        return seal

    def broken_by(self, entries: Sequence[Entry]) -> str:
        """What the seal shows against a ledger; empty if the ledger has what was sealed."""
        if len(entries) < self.entries:
            return f"it has {len(entries)} entries, and {self.entries} were sealed"
        if entries[self.entries - 1].get("digest") != self.head:
            return f"entry {self.entries}, or one before it, is not what was sealed"
        if digest_of_text(self.text) not in {one.get("seal") for one in entries}:
            return "no entry says that this seal was made"
        return ""


def seal(
    audit: "str | PathLike[str]",
    *,
    out: "str | PathLike[str] | None" = None,
    key: "str | PathLike[str] | None" = None,
    force: bool = False,
) -> Path:
    """Write the digest of the ledger's head to a file, signed if there is a key; return its path.

    That it was done is entered into the ledger, so that later certificates can say it.
    """
    folder = Path(audit)
    with transaction(folder) as ledger:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = Seal(len(ledger.entries), ledger.head, now)
        path = folder / f"entry-{made.entries}{SUFFIX}" if out is None else Path(out)
        _refuse_evidence(path, folder, key)
        files: dict[Path, str | bytes] = {path: made.text}
        if key is not None:
            files[_signature(path)] = _signed(made.text, Path(key))
        digest = digest_of_text(made.text)
        ledger.add("seal", entries=made.entries, seal=digest, signed=key is not None)
        ledger.commit()
        write_whole(files, force=force)
    return path


def _refuse_evidence(path: Path, folder: Path, key: "str | PathLike[str] | None") -> None:
    """Refuse to write a seal or its signature over what it seals, or over the key."""
    inputs = [*evidence_in(folder), None if key is None else Path(key)]
    for out in (path, _signature(path)):
        refuse_input_as_out(out, inputs)


def sealed_up_to(entries: Sequence[Entry]) -> int:
    """The last entry that was sealed, by what the ledger says; 0 if none was."""
    return max((entry["entries"] for entry in entries if entry["kind"] == "seal"), default=0)


def seals_in(folder: Path) -> list[Path]:
    """The seals that are kept in a folder."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if is_file(path))


def check_signers(signers: Path) -> None:
    if not is_file(signers):
        raise InputError(
            f"signers must be a file of allowed signers, got {str(signers)!r}, no such file. "
            "`man ssh-keygen` says what it holds."
        )


def signer_of(path: Path, signers: Path) -> str | None:
    """Who signed a seal, by a file of allowed signers; None if nobody of them did."""
    signature = str(_signature(path))
    if not is_file(Path(signature)):
        return None
    allowed = ["-f", str(signers), "-s", signature]
    answer = _ssh_keygen("find-principals", *allowed)
    for name in answer.stdout.decode(errors="replace").splitlines():
        text = path.read_bytes()
        checked = _ssh_keygen("verify", *allowed, "-I", name, "-n", NAMESPACE, text=text)
        if checked.returncode == 0:
            return name
    return None


def _signature(path: Path) -> Path:
    return path.with_name(path.name + SIGNATURE)


def _signed(text: str, key: Path) -> bytes:
    if not is_file(key):
        raise InputError(f"key must be a file, got {str(key)!r}, which is none. Give an SSH key.")
    answer = _ssh_keygen("sign", "-f", str(key), "-n", NAMESPACE, text=text.encode())
    if answer.returncode or not answer.stdout:
        reason = answer.stderr.decode(errors="replace").strip().splitlines()
        raise InputError(
            f"key must be an SSH key that ssh-keygen can sign with, got {str(key)!r} "
            f"({reason[-1] if reason else 'no answer'}). Give a private key, or a public one whose "
            "private key ssh-agent has."
        )
    return answer.stdout


Answer = subprocess.CompletedProcess[bytes]


def _ssh_keygen(action: str, *options: str, text: bytes = b"") -> Answer:
    try:
        command = ["ssh-keygen", "-Y", action, *options]
        return subprocess.run(command, input=text, capture_output=True, check=False)
    except OSError:
        raise EngineError(
            "seals are signed and checked by ssh-keygen, which is not there. Install OpenSSH."
        ) from None
