"""Certify matching: bounds on precision and recall that hold with a stated probability."""

from typing import TYPE_CHECKING, Any

from matchbound.errors import InputError, MatchboundError

if TYPE_CHECKING:
    from matchbound import bounds

__all__ = ["InputError", "MatchboundError", "bounds"]


def __getattr__(name: str) -> Any:
    # Loaded at first use, so that `import matchbound` stays quick.
    if name in __all__:
        import importlib

        return importlib.import_module(f"matchbound.{name}")
    raise AttributeError(f"module 'matchbound' has no attribute {name!r}")
