"""The command line: find the verb, parse its options, run it, return the exit status."""

import argparse
import importlib
import io
import shutil
import signal
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from matchbound.commands.last_resort import sentence_of
from matchbound.commands.terminal import flush, interrupted_by_signals, note, say
from matchbound.commands.verbs import VERBS, overview
from matchbound.errors import InputError, UnfinishedError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0: done, and every requirement met; 1: not so; 2: bad input; 3: verified, but for inputs that
    are missing; 128 plus a signal's number.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    with interrupted_by_signals() as received:
        try:
            return _run(words)
        except KeyboardInterrupt:
            return 128 + (received or [signal.SIGINT])[0]
        except Exception as error:
            note(f"matchbound: {sentence_of(error)}")
            return 1 if isinstance(error, UnfinishedError) else 2


def _run(words: list[str]) -> int:
    try:
        return _run_verb(words)
    finally:
        flush()


def _run_verb(words: list[str]) -> int:
    if not words or words[0].startswith("-"):
        return _without_a_verb(words)
    options = parser_of(words[0]).parse_args(words[1:])
    return int(_module_of(words[0]).run(options))


def parser_of(verb: str) -> "Parser":
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
    """Print the verbs or the version; without any word, return 2, because nothing was done."""
    option = words[0] if words else ""
    if option in ("", "-h", "--help", "--help-all"):
        say(overview(every=option == "--help-all"))
        return 0 if option else 2
    if option == "--version":
        from importlib.metadata import version

        say(f"matchbound {version('matchbound')}")
        return 0
    raise InputError(f"verb must come first, got {option!r}. `matchbound --help` shows the verbs.")


class Parser(argparse.ArgumentParser):
    """A verb's parser. `--help` shows the first options, `--help-all` the other groups too."""

    def __init__(self, verb: str, line: str, example: str) -> None:
        super().__init__(
            prog=f"matchbound {verb}",
            description=f"{line[0].upper()}{line[1:]}.",
            formatter_class=_Columns,
        )
        self.example = example
        self.add_argument("--help-all", action=_ShowAll, help="show every option")

    def format_usage(self) -> str:
        """The usage line, with the required arguments; options are listed below it."""
        if self.usage is not None:
            return f"usage: {self.usage}\n"
        options = [one for one in self._get_optional_actions() if one.required]
        shown = [*self._get_positional_actions(), *options]
        words = [_left(one) if one.required else f"[{_left(one)}]" for one in shown]
        return f"usage: {' '.join([self.prog, *words])} [options]\n"

    def format_help(self) -> str:
        return self._format(self._action_groups[:2])

    def format_all(self) -> str:
        return self._format(self._action_groups)

    def _format(self, groups: Sequence[argparse._ArgumentGroup]) -> str:
        formatter = self._get_formatter()
        formatter.add_text(self.description)
        for group in groups:
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return f"{self.format_usage()}\n{formatter.format_help()}\nExample:\n  {self.example}\n"


class _Columns(argparse.HelpFormatter):
    """A format in which help starts in column 26, so that most options take one line."""

    def __init__(self, prog: str, **options: Any) -> None:
        columns = min(max(shutil.get_terminal_size().columns, 80), 100)
        super().__init__(prog, max_help_position=26, width=columns - 2)


class _ShowAll(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        assert isinstance(parser, Parser)
        say(parser.format_all(), end="")
        parser.exit()


def _left(action: argparse.Action) -> str:
    """An argument as usage shows it, such as `AUDIT` or `--out FILE`."""
    name = str(action.metavar or action.dest)
    return " ".join([*action.option_strings[-1:], name])
