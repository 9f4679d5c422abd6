"""What can go wrong that a user can mend: every message is one sentence and a way out."""


class MatchboundError(Exception):
    """The base of every error that matchbound raises on purpose."""


class InputError(MatchboundError, ValueError):
    """An argument or a file breaks a rule: which, what it was, and the way out."""
