"""Certify matching: bounds on precision and recall that hold with a stated probability."""

import importlib
from typing import TYPE_CHECKING, Any

from matchbound.errors import AssumptionError, EngineError, InputError, MatchboundError

if TYPE_CHECKING:
    from matchbound import bounds, matchers
    from matchbound.audits.draw import Draw
    from matchbound.audits.forget import forget
    from matchbound.audits.labels import labels
    from matchbound.audits.registry import register
    from matchbound.audits.sample import draw
    from matchbound.audits.seal import seal
    from matchbound.audits.start import audit
    from matchbound.certificates.certificate import Certificate
    from matchbound.certificates.certification import certify
    from matchbound.certificates.estimation import estimate
    from matchbound.certificates.list_errors import list_errors
    from matchbound.certificates.patch import patch
    from matchbound.certificates.releases import releases
    from matchbound.certificates.verification import verify
    from matchbound.certificates.withheld import withhold
    from matchbound.matchers import match, reconcile
    from matchbound.plans.plan import plan
    from matchbound.reports.export import export
    from matchbound.reports.report import write_report
    from matchbound.theorems.choices import Choices
    from matchbound.theorems.tally import Tally

__all__ = [
    "AssumptionError",
    "Certificate",
    "Choices",
    "Draw",
    "EngineError",
    "InputError",
    "MatchboundError",
    "Tally",
    "audit",
    "bounds",
    "certify",
    "draw",
    "estimate",
    "export",
    "forget",
    "labels",
    "list_errors",
    "match",
    "matchers",
    "patch",
    "plan",
    "reconcile",
    "register",
    "releases",
    "seal",
    "verify",
    "withhold",
    "write_report",
]

_HOMES = {
    "Certificate": "certificates.certificate",
    "Choices": "theorems.choices",
    "Draw": "audits.draw",
    "Tally": "theorems.tally",
    "audit": "audits.start",
    "bounds": "bounds",
    "certify": "certificates.certification",
    "draw": "audits.sample",
    "estimate": "certificates.estimation",
    "export": "reports.export",
    "forget": "audits.forget",
    "labels": "audits.labels",
    "list_errors": "certificates.list_errors",
    "match": "matchers",
    "matchers": "matchers",
    "patch": "certificates.patch",
    "plan": "plans.plan",
    "reconcile": "matchers",
    "register": "audits.registry",
    "releases": "certificates.releases",
    "seal": "audits.seal",
    "verify": "certificates.verification",
    "withhold": "certificates.withheld",
    "write_report": "reports.report",
}


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    # Loaded at first use, so that `import matchbound` stays quick.
    if name == "__version__":
        from importlib.metadata import version

        return version("matchbound")
    if name not in _HOMES:
        raise AttributeError(f"module 'matchbound' has no attribute {name!r}")
    module = importlib.import_module(f"matchbound.{_HOMES[name]}")
    return module if name in ("bounds", "matchers") else getattr(module, name)
