"""What must hold after a fault: the ledger is sound, nothing is lost, the next command works."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from matchbound.audits import OLD_LEDGER, read_ledger
from matchbound.certificates import Certificate
from matchbound.errors import MatchboundError
from support.faults import faults_of
from support.forks import Job

LOCKS = (".ledger.lock", ".page.lock")
CERTIFICATES = ("audit/certificate.json", "one.json", "elsewhere/one.json")
TRIES = 3
"""How many commands a user runs before a folder counts as stuck."""
DONE = ("the last, says that ids were erased.", "release must be a name that this folder does not")
"""What `forget` says of ids that it had erased before it was killed, or that were never there; and
`certify --release` of a release that is on record and in its file."""


@dataclass(frozen=True)
class Failure:
    """A point at which something went wrong."""

    row: str
    how: str
    at: int
    operation: str
    problem: str

    def __str__(self):
        return f"{self.row}: {self.how} at {self.at} ({self.operation}): {self.problem}"


class Trials:
    """What is run in a folder of its own again and again, each time with another fault."""

    def __init__(self, forks, folder):
        self.forks, self.operations = forks, ()
        self.case, self.kept = Path(folder) / "case", Path(folder) / "kept"

    def faults(self):
        return list(faults_of(self.operations))

    def failures(self, faults=None):
        """The failures of these faults, or of all."""
        return [failure for fault in faults or self.faults() for failure in self.of(fault)]

    def begin(self, fault):
        """Put the folder back as it was, and return the operation that is to go wrong."""
        shutil.rmtree(self.case)
        shutil.copytree(self.kept, self.case)
        return [*self.operations, "end"][fault.at - 1]


class Trial(Trials):
    """A row of the table."""

    def __init__(self, row, forks, folder):
        super().__init__(forks, folder)
        self.row = row
        self._do("support.fault_rows:make", kind=row.make, folder=str(self.case))
        shutil.copytree(self.case, self.kept)
        self.before = files(self.case)
        self.entries = entries(self.case)
        ended = self.run(self.words)
        assert ended.status == 0, ended.said
        self.operations, self.after = ended.operations, files(self.case)
        assert not leftovers(self.case), "a run without faults leaves temporary files"
        assert list(self.ends()) == []
        self.standing = standing(self.case)

    @property
    def words(self):
        return [word.replace("{f}", str(self.case)) for word in self.row.words]

    def run(self, words, fault=None):
        job = Job("support.fault_rows:act", {"words": list(words)}, str(self.case), fault)
        return self.forks.one(job)

    def _do(self, function, **arguments):
        ended = self.forks.one(Job(function, arguments))
        assert ended.status == 0, ended.said
        return ended.returned

    def of(self, fault):
        """Do one fault, and yield what goes wrong then."""
        operation = self.begin(fault)
        for problem in self.problems(fault, operation):
            yield Failure(self.row.name, fault.how, fault.at, plain(operation), problem)

    def problems(self, fault, operation):
        ended = self.run(self.words, fault)
        now = files(self.case)
        if ended.was_killed != (fault.how in ("kill", "half")):
            yield f"ended with {ended.status}: {last_line(ended.said)}"
        yield from self._kept_sound(ended)
        yield from self._kept_files(now)
        if not ended.was_killed:
            yield from self._left_in_order(ended.status, now, operation)
        if now != self.before or locks(self.case):  # else it is as if it had never been run
            yield from self._verified(now)
            yield from self._goes_on(ended.status)

    def _left_in_order(self, status, now, operation):
        """What a command leaves that says how it ended; only what it cannot remove may stay."""
        if operation.startswith("unlink"):
            now = {name: content for name, content in now.items() if not is_temporary(name)}
        elif left := leftovers(self.case):
            yield f"exit {status} leaves {', '.join(left)}"
        changed = [n for n in now.keys() | self.before.keys() if now.get(n) != self.before.get(n)]
        if status == 2 and changed:
            yield f"exit 2, but changed: {', '.join(sorted(map(plain, changed)))}"
        if status not in (0, 1, 2):
            yield f"exit {status}"

    def _goes_on(self, status):
        """The command works again, what follows works, and nothing is left or costs more."""
        if status != 0:
            yield from self._repeated()
        for problem in self.ends():
            yield f"afterwards, {problem}"
        if standing(self.case) != self.standing:
            yield f"afterwards, it holds with {standing(self.case)}, not {self.standing}"
        if left := leftovers(self.case):
            yield f"the next commands leave {', '.join(left)}"

    def _kept_sound(self, ended):
        """The ledger's chain is sound, and what was entered is there."""
        try:
            found = entries(self.case)
        except MatchboundError as error:
            yield str(error)
            return
        if found[: len(self.entries)] != self.entries:
            yield "entries were lost"
        name = "audit/ledger.jsonl"
        ledger = files(self.case).get(name, b"\n")
        is_torn = not ledger.endswith(b"\n") and ledger != self.before.get(name)
        if is_torn and not ended.was_killed:
            yield "the ledger's last line is unfinished"

    def _kept_files(self, now):
        for name, content in self.before.items():
            if name.endswith("ledger.jsonl"):
                continue
            if name not in now and name in self.after:
                yield f"{name} is gone"
            elif name not in self.after and name not in now:
                continue
            elif self.after.get(name) == content != now[name]:
                yield f"{name} was changed"
        for name in self.row.outputs:
            if now.get(name) not in (None, self.before.get(name), self.after[name]):
                yield f"{name} is neither as before nor whole"

    def _verified(self, now):
        """Every certificate that is there verifies, or `verify` says what to run."""
        for name in CERTIFICATES:
            if name in now:
                words = ["verify", str(self.case / name), "--inputs", str(self.case)]
                ended = self.run(words)
                if ended.status != 0 and way_out(ended.said, words) is None:
                    yield f"verify {name} ends with {ended.status}: {last_line(ended.said)}"
        if files(self.case) != now:
            yield "verify wrote something"

    def _repeated(self):
        """Repeat the command, and do what it says until it succeeds."""
        words = self.words
        for _ in range(TRIES):
            ended = self.run(words)
            if ended.status == 0 or any(done in ended.said for done in DONE):
                return
            if ended.crashed or (way := way_out(ended.said, words)) is None:
                break
            words = way
            if words[0] == "repair" != self.row.words[0]:
                self.run(words)
                words = self.words
        yield f"repeated, it ends with {ended.status}: {last_line(ended.said)}"

    def ends(self):
        """Run the row's last commands; a `verify` that says to repair is given its repair."""
        for end in self.row.ends:
            words = [word.replace("{f}", str(self.case)) for word in end]
            ended = self.run(words)
            if ended.status == 1 and (way := way_out(ended.said, words)) and way[0] == "repair":
                self.run(way)
                ended = self.run(words)
            if ended.status != 0:
                yield f"{words[0]} ends with {ended.status}: {last_line(ended.said)}"
                return


def way_out(said, words):
    """The command that a sentence says to run; None if it says none."""
    if found := re.search(r"matchbound repair (\S+)", said):
        return ["repair", found[1].rstrip("`,.")]
    if "use --force" in said and "--force" not in words:
        return [*words, "--force"]
    if re.search(r"[Rr]epeat (it|that `draw`|the command|the `draw)", said):
        return words
    return None


def files(folder):
    """The contents of all files but locks, by name."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in LOCKS
    }


def locks(folder):
    return [path.name for path in folder.rglob("*") if path.name in LOCKS]


def leftovers(folder):
    """Temporary files, as the start of their names."""
    return sorted({plain(path.name) for path in folder.rglob(".*") if path.name not in LOCKS})


def is_temporary(name):
    return name.rpartition("/")[2].startswith(".")


def plain(name):
    """A name without the random end of a temporary file's."""
    return re.sub(r"(^|[ /])(\.\S*\.)\w{8}$", r"\1\2*", name)


def entries(folder):
    """The digests of the ledger's entries, which stay when what they commit to is erased.

    A moved folder has those of version 1 in a file of their own.
    """
    audit = folder / "audit"
    if not (audit / "ledger.jsonl").exists():
        return []
    ledgers = [read_ledger(audit)]
    if ledgers[0].is_moved:
        ledgers.insert(0, read_ledger(audit, OLD_LEDGER))
    for ledger in ledgers:
        ledger.refuse_changed()
    return [entry["digest"] for ledger in ledgers for entry in ledger.entries]


def standing(folder):
    """The probability with which the latest certificate holds, and of how many matchers it is."""
    path = folder / "audit" / "certificate.json"
    if not path.exists():
        return None
    try:
        ledger = Certificate.load(path).ledger
    except MatchboundError as error:  # it is of version 1
        return str(error)
    return ledger.together, ledger.matchers


def last_line(said):
    return (said.strip().splitlines() or ["(nothing said)"])[-1]
