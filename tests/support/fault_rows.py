"""What the harness of faults runs: a row a verb, and the folder that it finds.

To add a verb, add a row to `ROWS`. `{f}` in a word is the folder that holds inputs and audit.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from matchbound.audits import Draw
from matchbound.commands.main import main
from matchbound.desk.desk import Desk
from support.audits import certify, make_audit, make_inputs, run, write_csv
from support.desks import make_desk


@dataclass(frozen=True)
class Row:
    """A command line, and what it is run on.

    `make` makes the folder. `ends` are run once the command is done, in whatever way: they must
    succeed, and the last certificate must hold with the same probability as if nothing had
    happened. `outputs` are files that must be as before or as a whole run writes them.
    """

    name: str
    make: str
    words: tuple[str, ...]
    ends: tuple[tuple[str, ...], ...] = ()
    outputs: tuple[str, ...] = ()


VERSION1 = Path(__file__).parents[1] / "certificates/version1/folders"


def words(text):
    return tuple(text.split())


MATCHERS = "--holdout {f}/holdout.csv --complete {f}/complete.csv"
LABEL, VERIFY = words("LABEL {f}/audit"), words("verify {f}/audit")
CERTIFY = words(f"certify {{f}}/audit {MATCHERS} --force")
TO_A_CERTIFICATE = (LABEL, CERTIFY, VERIFY)
PAGE = "--records {f}/people.csv --against {f}/right.csv --no-browser"
DRAW = "draw {f}/people.csv --out {f}/audit"
BOTH, SECOND = f"{DRAW} --labels 40 --train 20", f"{DRAW} --labels 40 --holdout {{f}}/holdout.csv"
ROWS = [
    Row("draw", "inputs", words(BOTH), TO_A_CERTIFICATE),
    Row("draw --holdout", "inputs", words(SECOND), TO_A_CERTIFICATE),
    Row("draw --gap", "inputs", words(f"{BOTH} --gap 30"), TO_A_CERTIFICATE),
    Row("draw D alone", "inputs", words(f"{DRAW} --train 20"), (words(SECOND), *TO_A_CERTIFICATE)),
    Row("draw, second phase", "training", words(SECOND), TO_A_CERTIFICATE),
    Row("draw afresh --force", "drawn", words(f"{DRAW} --labels 30 --force"), TO_A_CERTIFICATE),
    Row("draw the same --force", "drawn", words(f"{BOTH} --force"), TO_A_CERTIFICATE),
    Row(
        "draw more --force",
        "drawn",
        words(f"{DRAW} --labels 60 --train 20 --force"),
        TO_A_CERTIFICATE,
    ),
    Row("draw --extend", "anytime", words(f"{DRAW} --extend --labels 60"), TO_A_CERTIFICATE),
    Row(
        "register",
        "labelled",
        words("register {f}/audit --holdout {f}/holdout.csv"),
        TO_A_CERTIFICATE,
    ),
    Row("certify", "labelled", CERTIFY[:-1], (VERIFY,)),
    Row("certify --force", "certified", CERTIFY, (VERIFY,)),
    Row(
        "certify --out",
        "labelled",
        (*CERTIFY[:-1], *words("--out {f}/elsewhere/one.json")),
        (words("verify {f}/elsewhere/one.json --inputs {f}"),),
    ),
    Row(
        "certify --out --force",
        "certified",
        (*CERTIFY, *words("--out {f}/one.json")),
        (
            words("verify {f}/one.json --inputs {f}"),
            words("verify {f}/audit/certificate.json --inputs {f}"),
        ),
    ),
    Row(
        "certify --release",
        "certified",
        (*CERTIFY[:-1], *words("--release r")),
        (words("verify {f}/audit/releases/r.json"), words("releases {f}/audit"), CERTIFY, VERIFY),
        ("audit/releases/r.json",),
    ),
    Row(
        "certify --estimate",
        "labelled",
        words("certify {f}/audit --holdout {f}/holdout.csv --estimate"),
        TO_A_CERTIFICATE,
    ),
    Row(
        "errors",
        "labelled",
        words("errors {f}/audit --holdout {f}/holdout.csv --out {f}/errors.csv"),
        TO_A_CERTIFICATE,
        ("errors.csv",),
    ),
    Row("label, opened", "half labelled", words(f"label {{f}}/audit {PAGE}"), TO_A_CERTIFICATE),
    Row("repair", "torn", words("repair {f}/audit"), (VERIFY,)),
    Row(
        "repair --certificate",
        "torn elsewhere",
        words("repair {f}/audit --certificate {f}/one.json"),
        (
            words("verify {f}/one.json --inputs {f}"),
            words("verify {f}/audit/certificate.json --inputs {f}"),
        ),
    ),
    Row("repair --to 2", "version 1", words("repair {f}/audit --to 2"), (VERIFY, CERTIFY, VERIFY)),
    Row(
        "repair --to 2, half labelled",
        "version 1, half labelled",
        words("repair {f}/audit --to 2"),
        TO_A_CERTIFICATE,
    ),
    Row("repair a label", "torn label", words("repair {f}/audit"), TO_A_CERTIFICATE),
    Row("report", "certified", words("report {f}/audit"), (VERIFY,), ("audit/report.html",)),
    Row(
        "report --force",
        "reported",
        words("report {f}/audit --target recall=0.5 --force"),
        (VERIFY,),
        ("audit/report.html",),
    ),
    Row("seal", "certified", words("seal {f}/audit"), (VERIFY,)),
    Row(
        "seal --out",
        "certified",
        words("seal {f}/audit --out {f}/kept/audit.seal"),
        (VERIFY, words("verify {f}/audit --seal {f}/kept/audit.seal")),
    ),
    Row("forget", "labelled", words("forget {f}/audit --id a37 b161"), (CERTIFY, VERIFY)),
    Row(
        "export",
        "reported",
        words("export {f}/audit --redacted --out {f}/sent"),
        (VERIFY,),
        ("sent/certificate.json", "sent/ledger.jsonl", "sent/report.html"),
    ),
    Row(
        "withhold",
        "labelled",
        (*words("withhold {f}/audit --command"), "sh -c 'cp {f}/holdout.csv {out}' {labels}"),
        (VERIFY,),
        ("audit/holdout.csv", "audit/complete.csv"),
    ),
    Row(
        "patch",
        "labelled",
        words("patch {f}/audit --holdout {f}/holdout.csv --out {f}/patched.csv"),
        TO_A_CERTIFICATE,
        ("patched.csv",),
    ),
    Row(
        "reconcile",
        "networks",
        words(
            "reconcile {f}/left.csv {f}/left.csv --seeds {f}/seeds.csv --threshold 1 "
            "--out {f}/matches.csv"
        ),
        outputs=("matches.csv",),
    ),
    Row(
        "plan --plot",
        "inputs",
        words(
            "plan --size 1000 --matched 0.7 --guess precision=0.97 --labels 50 --plot {f}/plan.svg"
        ),
        outputs=("plan.svg",),
    ),
]


def act(words):
    """Run a command line in a job. `LABEL` labels all nodes by hand; a page is closed at once."""
    if words[0] == "LABEL":
        folder = Path(words[1])
        nodes = [node for node, _, _ in Draw.load(folder).sample]
        write_csv(folder / "labels.csv", ["x", "y"], [[x, *(match(x) or [""])] for x in nodes])
        return
    with mock.patch("uvicorn.Server.run"):
        sys.exit(main(words))


def make(kind, folder):
    """Make the folder of a row, in a job."""
    MAKERS[kind](Path(folder))


def _drawn(folder, *options):
    make_inputs(folder)
    given = ["--labels", 40, "--train", 20, "--out", folder / "audit"]
    assert run("draw", folder / "people.csv", *given, *options) == 0


def _training(folder):
    make_inputs(folder)
    assert run("draw", folder / "people.csv", "--train", 20, "--out", folder / "audit") == 0


def _labelled(folder, *options):
    make_audit(folder, *options, labels=40, train=20)


def _certified(folder, *options):
    _labelled(folder, *options)
    assert certify(folder / "audit", "--out", folder / "one.json") == 0
    assert certify(folder / "audit") == 0  # the newest is in the folder


def _reported(folder):
    _certified(folder)
    assert run("report", folder / "audit") == 0


def _half_labelled(folder):
    audit, _ = make_desk(folder, nodes=100)
    shutil.copy(folder / "holdout.csv", folder / "complete.csv")
    desk = Desk(audit, Draw.load(audit))
    for _ in range(3):
        place = desk.next("Ann")
        desk.label("Ann", place, match(desk.order[place - 1]))


def match(node):
    """The true match of a node, as `make_inputs` and `make_records` have it."""
    number = int(node[1:])
    return [f"b{number}"] if number % 5 else []


def _torn(folder):
    _labelled(folder)
    assert certify(folder / "audit") == 0
    _tear(folder / "audit")


def _torn_elsewhere(folder):
    _labelled(folder)
    assert certify(folder / "audit") == 0
    assert certify(folder / "audit", "--out", folder / "one.json") == 0
    _tear(folder / "audit")


def _torn_label(folder):
    _half_labelled(folder)
    _tear(folder / "audit")


def _tear(audit):
    """Leave the ledger as a crash in the middle of its last line does."""
    path = audit / "ledger.jsonl"
    os.truncate(path, path.stat().st_size - 20)


def _version1(stage):
    """Copy a folder that version 1 left."""
    return lambda folder: shutil.copytree(VERSION1 / stage, folder)


def _networks(folder):
    folder.mkdir(exist_ok=True)
    (folder / "left.csv").write_text("src,dst\na,b\nb,c\nc,d\nd,a\n")
    (folder / "seeds.csv").write_text("x,y\na,a\nc,c\n")


MAKERS = {
    "inputs": make_inputs,
    "drawn": _drawn,
    "training": _training,
    "anytime": lambda folder: _certified(folder, "--anytime"),
    "labelled": _labelled,
    "certified": _certified,
    "reported": _reported,
    "half labelled": _half_labelled,
    "torn": _torn,
    "torn elsewhere": _torn_elsewhere,
    "torn label": _torn_label,
    "version 1": _version1("certified"),
    "version 1, half labelled": _version1("half"),
    "networks": _networks,
}
