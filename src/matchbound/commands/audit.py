"""`matchbound audit`: one step from a matcher's table to the records to label."""

import argparse
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from matchbound.commands.options import (
    add_clusters,
    add_engine,
    add_force,
    add_threshold,
    columns,
    engine_of,
)
from matchbound.commands.terminal import ask, progress, say
from matchbound.errors import InputError

if TYPE_CHECKING:
    from matchbound.audits.readings import Answer, SeveralReadingsError
    from matchbound.audits.understand import Understood

EXAMPLE = "matchbound audit pairs.csv --records people.csv --labels 300 --clusters --out audit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("matches", metavar="MATCHES", help="what the matcher found, as it wrote it")
    parser.add_argument("--records", required=True, metavar="A", help="the records, a row each")
    parser.add_argument("--against", metavar="B", help="the other table, if A was matched with one")
    parser.add_argument("--labels", required=True, type=int, metavar="N", help="records to label")
    add_threshold(parser)
    add_clusters(parser)
    parser.add_argument("--out", required=True, metavar="AUDIT", help="the audit folder to write")
    add_force(parser)
    group = parser.add_argument_group("where the tables have several readings")
    group.add_argument("--source", metavar="NAME", help="A's source, where matches carry sources")
    group.add_argument("--id", metavar="COLUMN", help="the column of ids in A")
    group.add_argument("--against-id", metavar="COLUMN", help="the column of ids in B")
    group.add_argument(
        "--columns", metavar="ROLE=NAME,…", help="columns of MATCHES: x, y, score, …"
    )
    add_engine(parser, default="duckdb", help="what reads the tables (default: duckdb)")
    parser.usage = (
        "matchbound audit MATCHES --records A [--against B] --labels N [--threshold SCORE]\n"
        "  [--clusters | --pairs] --out AUDIT [options]"
    )


def run(options: argparse.Namespace) -> int:
    from matchbound.audits.start import draw_understood

    understood = _settled(options)
    for line in understood.lines:
        say(line)
    where = engine_of(options)
    out, force = options.out, options.force
    say(draw_understood(understood, out=out, force=force, progress=progress, say=say, **where))
    audit = shlex.quote(out)
    say(f"Next: matchbound label {audit}, or write {audit}/labels.csv yourself (columns x, y; an")
    say(f"empty y where a node has no match). Then: matchbound certify {audit}")
    return 0


def _settled(options: argparse.Namespace) -> "Understood":
    """Understand the tables; ask where they have several readings, or refuse them."""
    from matchbound.audits.readings import SeveralReadingsError

    while True:
        try:
            return _understood(options)
        except SeveralReadingsError as error:
            doubt = error
        number = ask(doubt.question, [answer.words for answer in doubt.answers])
        if number is None:
            lines = "".join(f"\n  {line}" for line in _command_lines(options, doubt))
            raise InputError(f"{doubt.question} Run one of these:{lines}")
        options = _with_answer(options, doubt.answers[number])


def _understood(options: argparse.Namespace) -> "Understood":
    from matchbound.audits.start import understood_of
    from matchbound.audits.understand import Given
    from matchbound.engines import Resources

    given = Given(
        options.matches,
        options.records,
        options.against,
        options.labels,
        options.threshold,
        options.clusters,
        options.source,
        options.id,
        options.against_id,
        columns(options.columns),
    )
    resources = Resources(options.engine, options.memory, options.temp, progress)
    return understood_of(given, resources)


def _command_lines(options: argparse.Namespace, doubt: "SeveralReadingsError") -> list[str]:
    """A complete command line for each reading: one that leaves no question open."""
    from matchbound.audits.readings import SeveralReadingsError

    lines = []
    for answer in doubt.answers:
        settled = _with_answer(options, answer)
        try:
            _understood(settled)
        except SeveralReadingsError as error:
            lines += _command_lines(settled, error)
        except InputError:  # a reading that does not fit, and says so when it is tried
            lines.append(_command(settled))
        else:
            lines.append(_command(settled))
    return lines


def _with_answer(options: argparse.Namespace, answer: "Answer") -> argparse.Namespace:
    value = answer.value
    if isinstance(value, Mapping):
        value = ",".join(f"{role}={name}" for role, name in value.items())
    return argparse.Namespace(**{**vars(options), answer.keyword: value})


def _command(options: argparse.Namespace) -> str:
    """The command line that has these options."""
    words = ["matchbound", "audit", options.matches]
    for name, value in vars(options).items():
        option = f"--{name.replace('_', '-')}"
        if name == "clusters" and value is not None:
            words.append("--clusters" if value else "--pairs")
        elif value is True:
            words.append(option)
        elif value not in (None, False) and (name, value) != ("engine", "duckdb"):
            words += [option, str(value)] if name != "matches" else []
    return shlex.join(words)
