"""The command line: find the verb, parse its options, run it, return the exit status."""

import importlib
import io
import signal
import sys
from collections.abc import Sequence
from types import ModuleType

from matchbound.commands.help import Parser
from matchbound.commands.terminal import interrupted_by_sigterm, say
from matchbound.commands.verbs import VERBS, overview
from matchbound.errors import InputError, MatchboundError, UnfinishedError


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done and every requirement met, 1 not so, 2 bad input; 128 and a signal's number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    with interrupted_by_sigterm() as received:
        try:
            return _run(words)
        except MatchboundError as error:
            print(f"matchbound: {error}", file=sys.stderr)
            return 1 if isinstance(error, UnfinishedError) else 2
        except KeyboardInterrupt:
            return 128 + (received or [signal.SIGINT])[0]


def _run(words: list[str]) -> int:
    if not words or words[0].startswith("-"):
        return _without_a_verb(words)
    options = parser_of(words[0]).parse_args(words[1:])
    return int(_module_of(words[0]).run(options))


def parser_of(verb: str) -> Parser:
    """The parser of a verb's options."""
    lines = {row.name: row.line for row in VERBS}
    if verb not in lines:
        raise InputError(
            f"verb must be one of {', '.join(lines)}, got {verb!r}. "
            "`matchbound --help-all` shows what each does."
        )
    module = _module_of(verb)
    parser = Parser(verb, lines[verb], module.EXAMPLE)
    module.add_arguments(parser)
    return parser


def _module_of(verb: str) -> ModuleType:
    return importlib.import_module(f"matchbound.commands.{verb}")


def _without_a_verb(words: list[str]) -> int:
    """Print the verbs or the version; with nothing typed, nothing was done: 2."""
    asked = words[0] if words else ""
    if asked in ("", "-h", "--help", "--help-all"):
        say(overview(every=asked == "--help-all"))
        return 0 if asked else 2
    if asked == "--version":
        from importlib.metadata import version

        say(f"matchbound {version('matchbound')}")
        return 0
    raise InputError(f"verb must come first, got {asked!r}. `matchbound --help` shows the verbs.")
