"""For the test suite of whoever has an audit: fail where `matchbound verify --require` would."""

from typing import TYPE_CHECKING

from matchbound import verify
from matchbound.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    from matchbound import Certificate


def assert_certified(
    audit: "str | PathLike[str] | Certificate",
    *,
    inputs: "str | PathLike[str] | None" = None,
    **require: float,
) -> None:
    """Verify a certificate, and raise AssertionError unless it certifies each value.

    `audit` is an audit folder, a certificate.json or a certificate; `inputs` is a folder under
    which its inputs are looked for too. Metrics are given by name, with `_` for `-`:
    `assert_certified("audit", precision=0.95, error_rate=0.02)`. A certificate that is contradicted
    or exploratory, or whose inputs are missing, fails; what cannot be checked raises its own error.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    if not require:
        raise InputError(
            "precision, recall or another metric must be given, got none. Say which value must be "
            "certified, such as precision=0.95."
        )
    values = {name.replace("_", "-"): value for name, value in require.items()}
    verification = verify(audit, require=values, inputs=inputs)
    if verification.outcome != "verified":
        name = audit if hasattr(audit, "__fspath__") or isinstance(audit, str) else "certificate"
        raise AssertionError(f"{name} is not certified. {verification}")
