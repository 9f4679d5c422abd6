"""Command lines and damaged files, made from a seed: whatever they are, a verb ends in order."""

import argparse
import io
import json
import os
import random
import resource
import shutil
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pyarrow.csv
import pyarrow.parquet as pq

from matchbound.commands.main import main, parser_of
from matchbound.commands.verbs import VERBS
from support.damage import carry, damage, odd_file
from support.fault_checks import files, leftovers
from support.fault_rows import MAKERS
from support.forks import LONGEST, Job, limit

KINDS = ("inputs", "drawn", "labelled", "certified", "anytime", "half labelled", "torn")
MATCHERS = ["--holdout", "holdout.csv", "--complete", "complete.csv"]
PARQUET = ["--holdout", "holdout.parquet", "--complete", "complete.parquet"]
USUAL = [
    ["certify", "audit", *MATCHERS, "--force"],
    ["certify", "audit", *PARQUET, "--force", "--unlabelled", "worst"],
    [
        "certify",
        "--population",
        "people.csv",
        "--labels",
        "audit/labels.csv",
        "--assume-uniform",
        *MATCHERS,
        "--out",
        "new.json",
    ],
    ["verify", "audit"],
    ["verify", "one.json"],
    ["register", "audit", "--holdout", "holdout.csv"],
    ["draw", "people.csv", "--labels", "20", "--out", "new", "--holdout", "holdout.csv"],
    ["draw", "people.parquet", "--labels", "20", "--out", "new"],
    ["draw", "people.csv", "--labels", "60", "--train", "20", "--out", "audit", "--force"],
    ["draw", "people.csv", "--labels", "60", "--extend", "--out", "audit"],
    ["patch", "audit", "--holdout", "holdout.csv", "--out", "new.csv"],
    ["report", "audit", "--out", "new.html"],
    ["repair", "audit"],
    ["label", "audit", "--records", "people.csv", "--against", "right.csv", "--no-browser"],
    ["withhold", "audit", "--command", "sh -c 'cp holdout.csv {out}' {labels}", "--force"],
]
OUTS = [
    "new.json",
    "audit/certificate.json",
    "audit",
    "audit/labels.csv",
    "people.csv",
    "no/such/x",
]
OUTS += ["x" * 300, "", ".", "audit/ledger.jsonl", "new.html", "new.svg", "new.csv", "new.parquet"]
PATHS = [
    "people.csv",
    "holdout.csv",
    "complete.csv",
    "holdout.parquet",
    "audit/labels.csv",
    "audit",
]
PATHS += ["one.json", "audit/draw.json", "audit/sample.csv", "none", "", ".", "y" * 300, "~/x.csv"]
PATHS += ["file:people.csv", "s3://a/b.csv", "*.csv", "right.csv", "audit/certificate.json"]
VALUES = [
    "0",
    "1",
    "-1",
    "20",
    "60",
    "0.05",
    "0.5",
    "1e999",
    "nan",
    "inf",
    "-0",
    "",
    "x",
    "١",
    "9" * 20,
]
VALUES += ["precision=0.9", "recall=0.5", "recall=2", "recall", "=", "recall=nan", "x=y,score=z"]
VALUES += [
    "0.5,0.2",
    "1,2,3",
    ",",
    "a b",
    "id",
    "x",
    "score",
    "100KB",
    "1GB",
    "sharp",
    "paper",
    "witness",
]
OF_OPTION = {
    "--engine": ["duckdb", "spork"],
    "--command": ["sh -c 'cp holdout.csv {out}' {labels}", "false {labels} {out}", "cp", "'"],
    "--listen": ["127.0.0.1", "0.0.0.0", "::0", "0", "", "localhost", "x"],
    "--size": ["0", "1", "1000", "100000", "-1", "x"],
    "--temp": ["new", "audit", "people.csv", "x" * 300],
}
LATE = "withdraw must come before validation labels"
"""The labels that were seen then stay in the ledger, although nothing is withdrawn."""
LEFT_OUT = ("demo", "example", "figures")
"""Verbs that take seconds and no input, or that know two words alone."""


@dataclass(frozen=True)
class Case:
    kind: str
    words: list[str]
    damaged: str = ""


def make_kept(folder):
    """One folder of each kind, and each table as Parquet too; in a job."""
    for kind in KINDS:
        place = Path(folder) / kind
        place.parent.mkdir(exist_ok=True)
        with redirect_stdout(io.StringIO()):
            MAKERS[kind](place)
        for name in ("people", "holdout", "complete"):
            if (place / f"{name}.csv").exists():
                pq.write_table(
                    pyarrow.csv.read_csv(place / f"{name}.csv"), place / f"{name}.parquet"
                )


def make_case(seed, kept, folder):
    """Put a folder there, perhaps damaged, and say what is run in it."""
    rng = random.Random(seed)
    kind = rng.choice(KINDS)
    shutil.copytree(Path(kept) / kind, folder)
    words = list(rng.choice(USUAL)) if rng.random() < 0.7 else _line(rng)
    if words[0] in ("verify", "report") and rng.random() < 0.3:
        words[1] = "one.json"
    damaged = _damage_one(rng, folder, words) if rng.random() < 0.8 else ""
    if rng.random() < 0.2:
        words += rng.choice(_options(rng, words[0]) or [[]])
    return Case(kind, words, damaged)


def _damage_one(rng, folder, words):
    """Damage a file, mostly one that is named or that has digests; often carry its new digest."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    named = [path for path in paths if any(str(path).endswith(word) for word in words[1:])]
    weights = [3 if ".json" in path.name or path in named else 1 for path in paths]
    path = rng.choices(paths, weights)[0]
    before = path.read_bytes()
    how = odd_file(rng, path) if rng.random() < 0.004 else damage(rng, path)
    if path.is_file() and rng.random() < 0.6:
        carry(folder / "audit", before, path.read_bytes())
    return f"{path.name}: {how}"


def _line(rng):
    """A command line of a verb's own options with any values."""
    verb = rng.choice([verb.name for verb in VERBS if verb.name not in LEFT_OUT])
    places = parser_of(verb)._get_positional_actions()
    required = [o for a, o in _all_options(rng, verb) if a.required and rng.random() < 0.9]
    more = [o for a, o in _all_options(rng, verb) if not a.required]
    words = [verb, *(rng.choice(["audit", rng.choice(PATHS)]) for _ in places)]
    for option in [*required, *rng.sample(more, rng.randint(0, min(4, len(more))))]:
        words += option
    return words


def _options(rng, verb):
    return [option for _, option in _all_options(rng, verb)]


def _all_options(rng, verb):
    """Each option of a verb, with a value that may be right."""
    for action in parser_of(verb)._get_optional_actions():
        if isinstance(action, argparse._HelpAction) or action.dest == "help_all":
            continue
        name = action.option_strings[-1]
        yield action, [name, *([] if action.nargs == 0 else [_value(rng, name, action)])]


def _value(rng, name, action):
    if name in OF_OPTION:
        return rng.choice(OF_OPTION[name])
    if name in ("--out", "--plot"):
        return rng.choice(OUTS)
    if action.choices:
        return str(rng.choice([*action.choices, "x"]))
    path = str(action.metavar) in ("H", "C", "P", "D", "FILE", "LEFT", "RIGHT", "PAIRS", "LABELS")
    return rng.choice(PATHS if path and rng.random() < 0.9 else VALUES)


def problems_of(case, folder):
    """Run a case in its folder, and yield what must not happen."""
    before = files(folder)
    status, said = _run(case.words)
    if "Traceback" in said:
        yield f"traceback: {said.strip().splitlines()[-1]}"
        return
    if status not in ((0, 1, 2, 3) if case.words[0] == "verify" else (0, 1, 2)):
        yield f"exit status {status}"
    if status == 2 and files(folder) != before:
        now = files(folder)
        changed = sorted(n for n in now.keys() | before.keys() if now.get(n) != before.get(n))
        if not (LATE in said and set(changed) <= {"audit/journal.jsonl", "audit/ledger.jsonl"}):
            yield f"exit 2, but changed: {changed}"
    if status == 2 and not any(one.startswith("matchbound") for one in said.splitlines()):
        yield f"exit 2 without a sentence: {said[-200:]}"
    if case.words[0] == "verify" and files(folder) != before:
        yield "verify wrote something"
    if left := leftovers(folder):
        yield f"left: {left}"
    if case.words[0] in ("certify", "withhold") and status in (0, 1) and "--help" not in said:
        yield from _verified(case.words, said)


def _verified(words, said):
    """A certificate that was issued verifies."""
    given = dict(pairwise(words))
    folder = Path(next((w for w in words[1:2] if not w.startswith("-")), "."))
    name = "certificate.json"
    if "--release" in given:
        name = f"releases/{given['--release']}.json"
    path = Path(given.get("--out") or folder / name)
    if said.startswith("usage:"):
        return
    status, said = _run(["verify", str(path)])
    if status not in (0, 3):
        yield f"issued, but verify ends with {status}: {said.strip()[-300:]}"


def _run(words):
    said = io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said), mock.patch("uvicorn.Server.run"):
            try:
                status = main(words)
            except SystemExit as exit:
                status = exit.code
    except BaseException:
        return -1, said.getvalue() + traceback.format_exc()
    return status, said.getvalue()


def run_cases(first, last, kept, folder):
    """Run cases one after the other in a job; print each as it begins, and its problems."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    place, home = Path(folder) / "case", os.getcwd()
    for seed in range(first, last):
        shutil.rmtree(place, ignore_errors=True)
        case = make_case(seed, kept, place)
        _say(seed=seed, case=[case.kind, case.words, case.damaged])
        limit(LONGEST)
        os.chdir(place)
        for problem in problems_of(case, place):
            _say(seed=seed, problem=problem)
        os.chdir(home)
    limit(LONGEST)


def _say(**facts):
    print(json.dumps(facts), file=sys.__stdout__, flush=True)


def fuzz(forks, folder, first, last):
    """The problems of all cases from `first` to before `last`, each with its seed and its case."""
    kept = Path(folder) / "kept"
    made = forks.one(Job("support.fuzzing:make_kept", {"folder": str(kept)}, seconds=120))
    assert made.status == 0, made.said
    found = []
    while first < last:
        arguments = {"first": first, "last": min(first + 200, last)}
        given = {**arguments, "kept": str(kept), "folder": str(folder)}
        ended = forks.one(Job("support.fuzzing:run_cases", given))
        said = [json.loads(line) for line in ended.said.splitlines() if line.startswith('{"seed"')]
        cases = {one["seed"]: one["case"] for one in said if "case" in one}
        found += [
            (one["seed"], cases[one["seed"]], one["problem"]) for one in said if "problem" in one
        ]
        if ended.status == 0:
            first = arguments["last"]
        else:
            first = max(cases, default=first) + 1
            how = "hangs" if ended.hung else f"ended with {ended.status}"
            found.append((first - 1, cases.get(first - 1), f"{how}: {ended.said[-300:]}"))
    return found
