"""What happens at the same moment: certificates, and people who label meanwhile."""

import shutil
import threading
from pathlib import Path

from matchbound.audits import Draw, sound_ledger
from matchbound.certificates import Certificate
from matchbound.desk.desk import Desk
from support.desks import make_desk
from support.fault_rows import match
from support.forks import Job, line

CLIENTS = 4


def make_half_labelled(folder):
    """An anytime audit to label, the first ten nodes done."""
    audit, _ = make_desk(Path(folder), "--anytime", labels=60, train=0, nodes=200)
    desk = Desk(audit, Draw.load(audit))
    for _ in range(10):
        _label(desk, "Ann")


def _label(desk, labeller):
    place = desk.next(labeller)
    if place is not None:
        desk.label(labeller, place, match(desk.order[place - 1]))
    return place


def label_the_rest(audit):
    """Let four people label at one desk until nothing is left; return how many labels there are."""
    desk = Desk(Path(audit), Draw.load(audit))

    def work(labeller):
        while _label(desk, labeller) is not None:
            pass

    people = [threading.Thread(target=work, args=[f"person {i}"]) for i in range(CLIENTS)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    return len(desk.book.settled())


def problems_of_certificates(forks, folder, number, *, labelling):
    """Issue certificates at the same moment, also while people label, and say what is wrong."""
    audit = folder / "audit"
    matchers = [folder / "holdout.csv", folder / f"{'candidates' if labelling else 'complete'}.csv"]
    paths = [folder / f"{i}.json" for i in range(number)]
    jobs = [
        line("certify", audit, "--holdout", matchers[i % 2], "--unlabelled", "worst", "--out", path)
        for i, path in enumerate(paths)
    ]
    desk = [Job("support.races:label_the_rest", {"audit": str(audit)})] if labelling else []
    for ended in forks.run(*desk, *jobs):
        if ended.status != 0:
            yield f"ended with {ended.status}: {ended.said[-300:]}"
    verify = [line("verify", path, "--inputs", folder) for path in paths]
    for path, ended in zip(paths, forks.run(*verify), strict=True):
        if ended.status != 0:
            yield f"verify {path.name}: {ended.status}: {ended.said[-300:]}"
    entered = [e["certificate"] for e in sound_ledger(audit).of_kind("certificate")]
    issued = [Certificate.load(path) for path in paths if path.exists()]
    if sorted(entered) != sorted(one.as_dict()["digest"] for one in issued):
        yield f"the ledger has {len(entered)} certificates, not those {len(issued)}"
    counts = sorted(one.ledger.certificates for one in issued)
    if counts != list(range(1, number + 1)):
        yield f"the certificates count {counts}"


def rounds(forks, kept, folder, times, number, *, labelling):
    """All problems of so many rounds, each in a fresh copy of the folder `kept`."""
    for turn in range(times):
        shutil.copytree(kept, folder)
        for problem in problems_of_certificates(forks, folder, number, labelling=labelling):
            yield f"round {turn + 1}: {problem}"
        shutil.rmtree(folder)
