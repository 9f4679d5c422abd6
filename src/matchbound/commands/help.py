"""Help on one screen: what an ordinary audit needs; `--help-all` shows the rest."""

import argparse
import shutil
from collections.abc import Sequence
from typing import Any

SCREEN = 25
"""Lines of the first screen of help, at 80 columns or more."""


class Parser(argparse.ArgumentParser):
    """A verb's parser. Options in a group of their own are shown by `--help-all` alone."""

    def __init__(self, verb: str, line: str, example: str) -> None:
        super().__init__(
            prog=f"matchbound {verb}",
            description=f"{line[0].upper()}{line[1:]}.",
            formatter_class=_Columns,
        )
        self.example = example
        self.add_argument("--help-all", action=_ShowAll, help="show every option")

    def format_usage(self) -> str:
        """One line: what must be given; the options stand below it."""
        required = [action for action in self._actions if action.required]
        optional = [action for action in self._get_positional_actions() if not action.required]
        words = [f"{_left(action)}" for action in required]
        words[:0] = [f"[{_left(action)}]" for action in optional]
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
        return f"{self.format_usage()}\n{formatter.format_help()}\nExample:\n  {self.example}\n"


class _Columns(argparse.HelpFormatter):
    """Help starts in column 26, so that most options take one line."""

    def __init__(self, prog: str, **options: Any) -> None:
        columns = min(max(shutil.get_terminal_size().columns, 80), 100)
        super().__init__(prog, max_help_position=26, width=columns - 2)


class _ShowAll(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        assert isinstance(parser, Parser)
        print(parser.format_all(), end="")
        parser.exit()


def _left(action: argparse.Action) -> str:
    """`AUDIT`, or `--out FILE`."""
    name = str(action.metavar or action.dest)
    return " ".join([*action.option_strings[-1:], name])
