"""Make the audit folders in `folders`, with the matchbound of commit 27645bb.

    git worktree add ELSEWHERE 27645bb
    cd tests/certificates/version1 && PYTHONPATH=ELSEWHERE/src python make_folders.py

Each is left at another stage: drawn, half labelled on the page, certified, certified at any time
with labels after it, and made larger after some labels. Seeds are as matchbound makes them; those
of `half` are two, the first of a draw that was drawn over. Times are those of making.
"""

import random
import shutil
from pathlib import Path
from unittest import mock

from make import rows
from matchbound.labelling.desk import Desk
from matchbound.labelling.opening import Inputs, open_inputs
from matchbound.labelling.serving import _record
from matchbound.standing import matcher

import matchbound as mb

NODES = 100
ANA, BEN = "Ana Quillfeather", "Ben Oxbarrow"
NOTE = "Moved to Zanzibar Row in 1987."


def main():
    shutil.rmtree("folders", ignore_errors=True)
    fresh()
    half()
    certified()
    anytime()
    extended()


def fresh():
    folder, _ = inputs("fresh")
    draw(folder, one_to_one=True, holdout=f"{folder}/holdout.csv")


def half():
    """Two people label; one takes a label back, is unsure, sees an answer; they disagree once."""
    folder, truth = inputs("half")
    draw(folder)
    draw(folder, force=True, one_to_one=True)
    mb.register(f"{folder}/audit", holdout=f"{folder}/holdout.csv")
    desk = opened(folder, twice=2)
    for labeller in (ANA, BEN):
        for place in (1, 2):
            assert desk.next(labeller) == place
            wrong = labeller == BEN and place == 2
            matches = ["b999"] if wrong else truth[desk.order[place - 1]]
            desk.label(labeller, place, matches, NOTE if wrong else "")
    desk.label(ANA, 2, truth[desk.order[1]], decides=True)
    for _ in range(10):
        say(desk, BEN, truth)
    desk.undo(BEN)
    place = desk.next(ANA, take=True)
    desk.show_answer(ANA, place)
    desk.label(ANA, place, None, NOTE)


def certified():
    """All labels from the page, a certificate of both matchers, and an exploratory one before."""
    folder, truth = inputs("certified")
    audit = f"{folder}/audit"
    draw(folder, one_to_one=True)
    mb.register(audit, holdout=f"{folder}/holdout.csv")
    desk = opened(folder)
    while say(desk, ANA, truth):
        pass
    mb.certify(audit, holdout=f"{folder}/holdout.csv", delta=0.2)
    certify(folder)


def anytime():
    folder, truth = inputs("anytime")
    draw(folder, one_to_one=True, bound="anytime")
    holdout = matcher("", {"digest": digest(f"{folder}/holdout.csv"), "columns": {}})
    desk = opened(folder)
    desk.watch(holdout)
    for _ in range(20):
        say(desk, ANA, truth)
    certify(folder)
    for _ in range(6):
        say(desk, BEN, truth)


def extended():
    folder, truth = inputs("extended")
    draw(folder, one_to_one=True, bound="anytime")
    desk = opened(folder)
    for _ in range(10):
        say(desk, ANA, truth)
    options = {"one_to_one": True, "bound": "anytime", "seed": mb.Draw.load(f"{folder}/audit").seed}
    mb.draw(f"{folder}/people.csv", labels=30, train=8, **options).extend(f"{folder}/audit")


def draw(folder, force=False, **options):
    seed = f"{random.Random(f'{folder} {force}').getrandbits(128):032x}"
    with mock.patch("secrets.token_hex", return_value=seed):
        drawn = mb.draw(f"{folder}/people.csv", labels=24, train=8, **options)
    drawn.save(f"{folder}/audit", force=force)


def opened(folder, **options):
    audit = Path(f"{folder}/audit")
    drawn = mb.Draw.load(audit)
    given = Inputs(f"{folder}/people.csv", against=f"{folder}/others.csv")
    _record(audit, open_inputs(audit, drawn, given).search)
    return Desk(audit, drawn, **options)


def say(desk, labeller, truth):
    """Label the next node as it is; False if there is none."""
    place = desk.next(labeller)
    if place is not None:
        desk.label(labeller, place, truth[desk.order[place - 1]])
    return place is not None


def certify(folder):
    matchers = {role: f"{folder}/{role}.csv" for role in ("holdout", "complete")}
    certificate = mb.certify(f"{folder}/audit", **matchers)
    certificate.save(f"{folder}/audit/certificate.json")


def digest(path):
    from matchbound.files import digest_of_file

    return digest_of_file(Path(path))


def inputs(kind):
    """Two tables of records and two matchers; the true matches of each node."""
    rng, folder = random.Random(kind), Path("folders") / kind
    folder.mkdir(parents=True)
    truth = {f"a{i}": [f"b{i}"] if i % 5 else [] for i in range(NODES)}
    holdout = [[x, y if rng.random() < 0.95 else f"{y}0"] for x, ys in truth.items() for y in ys]
    rows(folder / "people.csv", ["id", "name"], [[x, f"name {x[1:]}"] for x in truth])
    rows(folder / "others.csv", ["id", "name"], [[f"b{i}", f"name {i}"] for i in range(NODES)])
    rows(folder / "holdout.csv", ["x", "y"], holdout[: NODES * 3 // 4])
    rows(folder / "complete.csv", ["x", "y"], holdout)
    return folder, truth


if __name__ == "__main__":
    main()
