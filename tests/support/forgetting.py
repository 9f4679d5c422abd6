"""Audits with unmistakable values, and a scan for what must not be there."""

import errno
import io
import os
import random
import re
from unittest import mock

from matchbound.audits.draw import Draw
from matchbound.audits.journal import read_journal
from matchbound.audits.ledger import read_ledger
from matchbound.desk.desk import Desk
from matchbound.errors import MatchboundError
from support.audits import run, write_csv

MARK = "Zqx"
"""In every value about a person, and nowhere else."""


def make_people(folder, nodes):
    """Two tables of people with unmistakable ids and fields, a holdout matcher, and the truth."""
    folder.mkdir(parents=True, exist_ok=True)
    left = [[f"{MARK}a{i}", f"{MARK}name{i}", f"{MARK}city{i % 97}"] for i in range(nodes)]
    right = [[f"{MARK}b{i}", f"{MARK}name{i}", f"{MARK}city{i % 97}"] for i in range(nodes)]
    truth = {f"{MARK}a{i}": [f"{MARK}b{i}"] if i % 5 else [] for i in range(nodes)}
    holdout = [[x, y] for i, (x, ys) in enumerate(truth.items()) for y in ys if i % 11]
    write_csv(folder / "people.csv", ["id", "name", "city"], left)
    write_csv(folder / "right.csv", ["id", "name", "city"], right)
    write_csv(folder / "holdout.csv", ["x", "y"], holdout)
    return truth


def label_on_desk(audit, truth, labellers=("Ana Zqxana", "Ben Zqxben"), upto=None):
    """Label every node on the desk, with notes; some verdicts are undone and made again."""
    draw = Draw.load(audit)
    desk = Desk(audit, draw)
    for i in range(len(desk.order) if upto is None else upto):
        labeller = labellers[i % 2]
        place = desk.next(labeller)
        if place is None:
            break
        note = f"{MARK}note{place}" if place % 3 == 0 else ""
        desk.label(labeller, place, truth[desk.order[place - 1]], note)
        if place % 10 == 0:
            desk.undo(labeller)
            desk.label(labeller, place, truth[desk.order[place - 1]], note)
    return desk


def make_labelled(folder, *options, nodes=400, labels=20, train=5, upto=None):
    """An audit that was labelled on the desk, and the truth."""
    truth = make_people(folder, nodes)
    arguments = ["draw", folder / "people.csv", "--labels", labels, "--train", train, "--link"]
    made = random.Random(1)  # a seed and salts that are the same each time, and differ
    with mock.patch("secrets.token_hex", side_effect=lambda size: made.randbytes(size).hex()):
        assert run(*arguments, "--out", folder / "audit", *options) == 0
    label_on_desk(folder / "audit", truth, upto=upto)
    return folder / "audit", truth


def files_of(folder):
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def holding(folder, *texts):
    """The files of a folder in which one of the texts stands, in whatever case."""
    wanted = [text.lower().encode() for text in texts]
    return [
        path.name
        for path in files_of(folder)
        if any(t in path.read_bytes().lower() for t in wanted)
    ]


def digests_in(folder):
    """Every run of 16 hexadecimal digits or more that stands in a file."""
    found = set()
    for path in files_of(folder):
        found.update(match.decode() for match in re.findall(rb"[0-9a-f]{16,}", path.read_bytes()))
    return found


def state_of(folder):
    """All that a folder holds, without times, salts, and what depends on them."""
    left_out = ("time", "before", "digest", "by_place")
    entries = [
        {name: fact for name, fact in entry.items() if name not in left_out}
        for entry in read_ledger(folder).entries
    ]
    openings = {c: (o.name, str(o.value)) for c, o in read_journal(folder).openings.items()}
    others = {
        path.name: path.read_bytes()
        for path in files_of(folder)
        if path.name not in ("ledger.jsonl", "journal.jsonl")
    }
    return entries, openings, others


OPERATIONS = ("replace", "fsync", "unlink", "mkdir", "open", "chmod", "ftruncate", "rmdir")


ENDED, IGNORED, STOPPED = 0, 8, 9


def killed_at(number, action, *, full=False):
    """Run an action in a child that is killed before its file operation of this number.

    Return STOPPED; ENDED if it has no such operation. With `full`, the operation finds the disk
    full instead, and either it does not matter (IGNORED), or an error with a sentence follows.
    """
    child = os.fork()
    if not child:
        try:
            left = _count_down(number, full)
            action()
            os._exit(IGNORED if left[0] < 0 else ENDED)
        except MatchboundError:
            os._exit(STOPPED if full else 1)
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in ((ENDED, IGNORED, STOPPED) if full else (ENDED, STOPPED)), code
    return code


def _count_down(number, full):
    left = [number]

    def counted(function):
        def call(*arguments, **named):
            left[0] -= 1
            if left[0] == -1 and full:
                raise OSError(errno.ENOSPC, "No space left on device")
            if left[0] < 0 and not full:
                os._exit(STOPPED)
            return function(*arguments, **named)

        return call

    for name in OPERATIONS:
        setattr(os, name, counted(getattr(os, name)))
    opened = io.open

    def open_counted(file, mode="r", *arguments, **named):
        if any(letter in mode for letter in "wax+"):
            return counted(opened)(file, mode, *arguments, **named)
        return opened(file, mode, *arguments, **named)

    io.open = open_counted
    return left
