"""The same faults while people label: what was answered is on disk, what was refused is not."""

import json
import shutil
from pathlib import Path

from matchbound.audits import Draw, sound_ledger
from matchbound.desk.desk import Desk
from matchbound.errors import MatchboundError
from matchbound.files import digest_of_file
from matchbound.tables import Digest, Reading, Recorded
from support.audits import read_csv
from support.desks import make_desk
from support.fault_checks import Failure, Trials, last_line, leftovers, plain
from support.forks import Job


def _label(place, matches, note="", labeller="Ann"):
    def act(desk):
        desk.next(labeller)
        desk.label(labeller, place, matches, note)

    return act


def _watch(desk):
    holdout = Path(desk.draw.folder).parent / "holdout.csv"
    desk.watch(Recorded("", Digest(digest_of_file(holdout), None), Reading()))


ACTIONS = {
    "label": _label(2, ["b1", "b2"]),
    "label by another": _label(3, [], labeller="Ben"),
    "undo": lambda desk: desk.undo("Ann"),
    "answer": lambda desk: desk.show_answer("Ann", 1),
    "unsure": _label(2, None, "with a note, and a “quote”"),
    "watch": _watch,
    "label again": _label(1, []),
}


def make(folder):
    """A folder with one label, so that the desk has something to read and to write at once."""
    audit, _ = make_desk(Path(folder), nodes=60)
    _opened(audit).label("Ann", 1, ["b3"])


def _opened(audit):
    desk = Desk(audit, Draw.load(audit))
    desk.next("Ann")
    return desk


def act(audit):
    """Do all actions, print how each ended; do again, once, what was refused."""
    audit = Path(audit)
    for _ in range(2):
        try:
            desk = _opened(audit)
            break
        except MatchboundError as error:
            _say(refused="opening", why=str(error))
    else:
        return
    _say(did="opening", state=state(desk, audit))
    for name, action in ACTIONS.items():
        for _ in range(2):
            try:
                action(desk)
            except MatchboundError as error:
                _say(refused=name, why=str(error))
            else:
                _say(did=name, state=state(desk, audit))
                break


def _say(**facts):
    print(json.dumps(facts), flush=True)


def state(desk, audit):
    """All that people said, and all that is on record."""
    verdicts = [[v.place, v.node, v.labeller, v.matches, v.note] for v in desk.book.live.values()]
    kinds = [entry["kind"] for entry in sound_ledger(audit).entries]
    return json.loads(json.dumps({"verdicts": verdicts, "kinds": kinds, "csv": desk.book.to_csv()}))


def reopened(audit):
    """What a desk that is opened afterwards finds; then it takes one more label."""
    audit = Path(audit)
    desk = _opened(audit)
    found = state(desk, audit) | {"on disk": (audit / "labels.csv").read_text()}
    place = desk.next("Cem")
    desk.label("Cem", place, [])
    assert desk.order[place - 1] in {x for x, _ in read_csv(audit / "labels.csv")}
    return found


class DeskTrial(Trials):
    """All actions at a desk."""

    def __init__(self, forks, folder):
        super().__init__(forks, folder)
        made = forks.one(Job("support.fault_desk:make", {"folder": str(self.case)}))
        assert made.status == 0, made.said
        shutil.copytree(self.case, self.kept)
        ended = self._run("act", None)
        assert ended.status == 0, ended.said
        self.operations = ended.operations
        said = [json.loads(line) for line in ended.said.splitlines()]
        assert [one["did"] for one in said] == ["opening", *ACTIONS]
        self.states = [one["state"] for one in said]

    def _run(self, function, fault):
        job = Job(f"support.fault_desk:{function}", {"audit": str(self.case / "audit")})
        return self.forks.one(Job(job.function, job.arguments, str(self.case), fault))

    def of(self, fault):
        operation = self.begin(fault)
        ended = self._run("act", fault)
        said = [json.loads(line) for line in ended.said.splitlines() if line.startswith("{")]
        done = [one for one in said if "did" in one]
        begun = ["opening", *ACTIONS][min(len(done), len(ACTIONS))]
        for problem in self._problems(fault, ended, said, done):
            what = f"{begun}: {plain(operation)}" if ended.was_killed else plain(operation)
            yield Failure("desk", fault.how, fault.at, what, problem)

    def _problems(self, fault, ended, said, done):
        if ended.crashed:
            yield f"status {ended.status}: {last_line(ended.said)}"
        refused = [one for one in said if "refused" in one]
        if fault.how == "fails" and [one["did"] for one in done] != ["opening", *ACTIONS]:
            yield f"stopped for good: {refused[-1]}"
        for one, expected in zip(done, self.states, strict=False):
            if one["state"] != expected:
                yield f"after {one['did']}: {_difference(one['state'], expected)}"
                break
        again = self._run("reopened", None)
        if again.status != 0:
            yield f"opened again: {last_line(again.said)}"
            return
        if ended.was_killed:  # what was under way may be there, or not
            allowed = self.states[max(len(done) - 1, 0) : len(done) + 1]
        else:
            allowed = [self.states[max(len(done) - 1, 0)]]
        found = dict(again.returned)
        if found.pop("on disk") != found["csv"]:
            yield "labels.csv is not what the ledger gives"
        if found not in allowed and not _begun(found, *allowed):
            what = "" if ended.was_killed else f" (refused: {[one['refused'] for one in refused]})"
            yield f"opened again: {_difference(found, allowed[0])}{what}"
        if left := leftovers(self.case):
            yield f"the next commands leave {', '.join(left)}"


def _begun(found, before, after=None):
    """Whether a kill kept the first entries of an action (a name) and nothing that people said."""
    if after is None or found | {"kinds": before["kinds"]} != before:
        return False
    return found["kinds"] == after["kinds"][: max(len(found["kinds"]), len(before["kinds"]))]


def _difference(found, expected):
    for name, value in expected.items():
        if found[name] != value:
            return f"{name}: {str(found[name])[-120:]}, expected {str(value)[-120:]}"
    return "nothing differs"
