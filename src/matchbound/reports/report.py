"""Write a certificate as an HTML page that works offline."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits import LEDGER, evidence_in, folder_of, newest_certificate, refuse_version1
from matchbound.certificates import Certificate, Record, contradictions, releases
from matchbound.errors import InputError
from matchbound.files import is_file, is_folder, refuse_input_as_out, write_whole
from matchbound.reports.page import page

if TYPE_CHECKING:
    from os import PathLike


def write_report(
    certificate: "Certificate | str | PathLike[str]",
    path: "str | PathLike[str] | None" = None,
    *,
    targets: Mapping[str, float] | None = None,
    force: bool = False,
) -> Path:
    """Write a certificate, or an audit folder's, as HTML; return the path of the page.

    `targets`, by metric, are drawn beside the bounds; the page has how many label errors each
    target survives. An audit folder's page shows its releases too.
    """
    listed = None
    if isinstance(certificate, Certificate):
        loaded = certificate
        out = Path("report.html" if path is None else path)
    else:
        file = Path(certificate)
        if is_folder(file):
            refuse_version1(file)
            listed = releases(file, targets=targets) if is_file(file / LEDGER) else None
            newest = newest_certificate(file)
            if newest.missing:
                raise InputError(
                    f"audit must hold {newest.missing}, got no file {str(newest.path)!r}. Put the "
                    "file back, certify again, or give another certificate by its file."
                )
            file = newest.path
        record = Record.read(file)
        loaded = Certificate.of(record)
        _refuse_altered(record, loaded)
        folder = folder_of(file)
        out = folder / "report.html" if path is None else Path(path)
        seals = folder.glob("*.seal*")
        refuse_input_as_out(out, [file, *evidence_in(folder), *seals])
    for metric in targets or {}:
        if metric not in loaded.choices.metrics:
            raise InputError(
                f"target must be for a metric that was certified, got {metric!r}. "
                f"Choose among {', '.join(loaded.choices.metrics)}."
            )
    write_whole({out: page(loaded, dict(targets or {}), listed)}, force=force)
    return out


def _refuse_altered(record: Record, certificate: Certificate) -> None:
    for problem in contradictions(record, certificate):
        raise InputError(
            f"certificate must be as it was written, got one in which {problem}. "
            "Run `matchbound verify`, and certify again."
        )
