"""What can go wrong that a user can mend: every message is one sentence and a way out."""


class MatchboundError(Exception):
    """The base of every error that matchbound raises on purpose."""


class InputError(MatchboundError, ValueError):
    """An argument or a file breaks a rule: which, what it was, and the way out."""


class AssumptionError(MatchboundError):
    """The inputs are well formed, but no guarantee can be had from them."""


class EngineError(MatchboundError):
    """The machine failed: memory, disk, permissions."""


class ChangedError(EngineError):
    """A file was written to or replaced while it was being read."""


class UnfinishedError(EngineError):
    """The machine failed after something was put on record that a repeated command finishes."""
