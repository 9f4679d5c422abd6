"""Certify matching: bounds on precision and recall that hold with a stated probability."""

import importlib
from typing import TYPE_CHECKING, Any

from matchbound.errors import AssumptionError, EngineError, InputError, MatchboundError

if TYPE_CHECKING:
    from matchbound import bounds, matchers
    from matchbound.certificates import Certificate
    from matchbound.certifying import certify
    from matchbound.choices import Choices
    from matchbound.draws import Draw
    from matchbound.labelled import labels
    from matchbound.matchers import reconcile
    from matchbound.patching import patch
    from matchbound.planning import plan
    from matchbound.registering import register
    from matchbound.reports import write_report
    from matchbound.sampling import draw
    from matchbound.tallies import Tally
    from matchbound.verifying import verify
    from matchbound.withholding import withhold

__all__ = [
    "AssumptionError",
    "Certificate",
    "Choices",
    "Draw",
    "EngineError",
    "InputError",
    "MatchboundError",
    "Tally",
    "bounds",
    "certify",
    "draw",
    "labels",
    "matchers",
    "patch",
    "plan",
    "reconcile",
    "register",
    "verify",
    "withhold",
    "write_report",
]

_HOMES = {
    "Certificate": "certificates",
    "Choices": "choices",
    "Draw": "draws",
    "Tally": "tallies",
    "bounds": "bounds",
    "certify": "certifying",
    "draw": "sampling",
    "labels": "labelled",
    "matchers": "matchers",
    "patch": "patching",
    "plan": "planning",
    "reconcile": "matchers",
    "register": "registering",
    "verify": "verifying",
    "withhold": "withholding",
    "write_report": "reports",
}


def __getattr__(name: str) -> Any:
    # Loaded at first use, so that `import matchbound` stays quick.
    if name not in _HOMES:
        raise AttributeError(f"module 'matchbound' has no attribute {name!r}")
    module = importlib.import_module(f"matchbound.{_HOMES[name]}")
    return module if name in ("bounds", "matchers") else getattr(module, name)
