"""An audit to label, a real server for it, and a client that asks as the page does."""

import http.client
import json
import random
import signal
import subprocess
import sys
from contextlib import contextmanager
from copy import copy
from urllib.parse import urlencode, urlsplit

from support.audits import run_seeded, write_csv
from support.forked import CAN_FORK, Forked

FIRST = ["James", "Mary", "Robert", "Patricia", "John", "Jennifer", "Michael", "Linda", "David"]
LAST = ["Smith", "Johnson", "Williams", "Brown", "Jones", "Garcia", "Miller", "Davis", "Moore"]
CITIES = ["Leeds", "York", "Bradford", "Hull", "Sheffield", "Wakefield", "Doncaster", "Halifax"]
FIELDS = ["id", "first_name", "surname", "city", "born"]


def make_records(folder, nodes=400, seed=1):
    """Two tables of people; person i of the left is person i of the right, four in five are there.

    Candidates hold each node's match, save for every seventh node's, and somebody else.
    """
    rng = random.Random(seed)
    folder.mkdir(exist_ok=True)
    left, right, candidates, holdout, truth = [], [], [], [], {}
    for i in range(nodes):
        born = f"{rng.randrange(1930, 2000)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        person = [rng.choice(FIRST), rng.choice(LAST), rng.choice(CITIES), born]
        left.append([f"a{i}", *person])
        if i % 5:
            truth[f"a{i}"] = f"b{i}"
            right.append([f"b{i}", *(_typo(word, rng) for word in person[:3]), born])
            if i % 7:
                candidates.append((f"a{i}", f"b{i}"))
            if i % 11:
                holdout.append((f"a{i}", f"b{i}" if i % 13 else f"b{i - i % 5 + 6}"))
        candidates.append((f"a{i}", f"b{(i + 7) // 5 * 5 + 1}"))
    rng.shuffle(right)
    write_csv(folder / "people.csv", FIELDS, left)
    write_csv(folder / "right.csv", FIELDS, right)
    write_csv(folder / "candidates.csv", ["x", "y"], dict.fromkeys(candidates))
    write_csv(folder / "holdout.csv", ["x", "y"], holdout)
    return truth


def _typo(word, rng):
    if rng.random() < 0.7:
        return word
    place = rng.randrange(1, len(word) - 1)
    return word[:place] + word[place + 1 :]


def make_desk(folder, *options, labels=20, train=5, nodes=400):
    """A folder to label, and the truth."""
    truth = make_records(folder, nodes)
    arguments = ["draw", folder / "people.csv", "--labels", labels, "--train", train]
    assert run_seeded("s", *arguments, "--link", "--out", folder / "audit", *options) == 0
    return folder / "audit", truth


MAIN = "import sys; from matchbound.commands.main import main; sys.exit(main())"
READY = """
import os, sys
import matchbound.commands.main, matchbound.desk.requests, matchbound.desk.server, pyarrow, uvicorn
from matchbound.desk.search import Search
Search({"": pyarrow.array(["compiled"])}).find("now")
for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(matchbound.commands.main.main(sys.argv[1:]))
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


def _words(audit, options, tables=True):
    given = ["--records", audit.parent / "people.csv", "--against", audit.parent / "right.csv"]
    return ["label", audit, *(given if tables else []), *options]


def _started(program, words, **surroundings):
    command = [sys.executable, "-c", program, *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([*map(str, command)], text=True, **pipes, **surroundings)


@contextmanager
def running(audit, *options, tables=True, **surroundings):
    """A server that runs until the end, and is then stopped as a person would.

    Without `surroundings` of its own, such as variables, it starts at once where it can.
    """
    words = _words(audit, options, tables)
    is_forked = CAN_FORK and not surroundings
    with Forked(words) if is_forked else _started(MAIN, words, **surroundings) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)


@contextmanager
def serving(audit, *options, **surroundings):
    """A client of such a server."""
    with running(audit, "--no-browser", *options, **surroundings) as process:
        yield Client(next_address(process), process)


def next_address(process):
    """The address that the server printed next: one that nobody has opened."""
    return process.stdout.readline().split()[-1]


@contextmanager
def restarting(audit):
    """A function that starts a server in a process of its own, with everything loaded before."""
    with _started(READY, _words(audit, ["--no-browser"])) as process:

        def start():
            print(file=process.stdin, flush=True)
            first, second = (process.stdout.readline().strip() for _ in range(2))
            child, address = sorted((first, second), key=len)
            return int(child), Client(address)

        def wait():
            while process.stdout.readline().strip() != "ended":
                pass

        yield start, wait
        process.stdin.close()


class Client:
    """Asks as the page does, with the cookie of a session that an address opened."""

    def __init__(self, address, process=None, labeller="Ann", tls=None):
        parts = urlsplit(address)
        self.process, self.labeller, self.tls = process, labeller, tls
        self.origin, self.host = f"{parts.scheme}://{parts.netloc}", parts.netloc
        self.port, self.token = parts.port, parts.query.removeprefix("token=")
        _, headers, _ = self.ask("GET", f"/?token={self.token}", headers={"Cookie": None})
        self.set_cookie = headers.get("set-cookie", "")
        self.cookie = self.set_cookie.partition(";")[0]

    def as_(self, labeller):
        """The same session under another name."""
        other = copy(self)
        other.labeller = labeller
        return other

    def new_address(self):
        """An address that nobody has opened: the server prints one whenever one was used."""
        return next_address(self.process)

    def connection(self, timeout=20, source=None):
        host = urlsplit(self.origin).hostname
        if self.tls is None:
            return http.client.HTTPConnection(host, self.port, timeout, source)
        return http.client.HTTPSConnection(
            host, self.port, timeout=timeout, source_address=source, context=self.tls
        )

    def ask(self, method, path, body=None, headers=None, timeout=20, source=None):
        """Status, headers and the body; `headers` replace those that the page would send."""
        sent = {"Host": self.host, "Origin": self.origin}
        sent |= {"Cookie": getattr(self, "cookie", None)}
        if method == "POST":
            sent["Content-Type"] = "application/json"
        sent |= headers or {}
        connection = self.connection(timeout, source)
        try:
            connection.putrequest(method, path, skip_host=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if body is not None and "Transfer-Encoding" not in sent:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def get(self, name, **asked):
        path = f"/api/{name}?{urlencode({'labeller': self.labeller, **asked})}"
        return self._answer(self.ask("GET", path))

    def post(self, name, **asked):
        body = json.dumps({"labeller": self.labeller, **asked}).encode()
        return self._answer(self.ask("POST", f"/api/{name}", body))

    def _answer(self, answer):
        status, _, body = answer
        assert status == 200, (status, body)
        return json.loads(body)

    def refusal(self, name, **asked):
        """The sentence with which a request is refused."""
        body = json.dumps({"labeller": self.labeller, **asked}).encode()
        status, _, body = self.ask("POST", f"/api/{name}", body)
        assert status == 422, (status, body)
        return json.loads(body)["error"]
