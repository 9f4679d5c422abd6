"""Run functions in forked children of a process that has everything imported: tens of ms each.

A child can be killed at any file operation (`support.faults`), can hang and can crash. What it
printed, returned and did to files comes back as an `Ended`.
"""

import importlib
import io
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from support import schemas
from support.faults import Fault, Watch

CRASHED = 70
"""The exit status of a child in which an exception was not caught."""
LONGEST = 20
"""Seconds of processor time after which a child counts as hanging.

A child that waits for something counts as hanging too, after six times as long: other processes
may keep it waiting.
"""


@dataclass(frozen=True)
class Job:
    """A function, named `module:function`, and its arguments, which must be JSON.

    File operations below `watched` are counted, and the one that `fault` names goes wrong.
    """

    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    watched: str = ""
    fault: Fault | None = None
    seconds: int = LONGEST


@dataclass(frozen=True)
class Ended:
    """How a child ended: `status` is its exit status, or minus the signal that killed it."""

    status: int
    said: str
    returned: Any
    operations: tuple[str, ...]

    @property
    def was_killed(self) -> bool:
        return self.status == -signal.SIGKILL

    @property
    def crashed(self) -> bool:
        """Whether it ended in any way that a user must never see."""
        return self.hung or self.status == CRASHED or "Traceback" in self.said

    @property
    def hung(self) -> bool:
        return self.status in (-signal.SIGALRM, -signal.SIGPROF)


def command(words):
    """Run a command line in a job; its exit status is the child's."""
    from matchbound.commands.main import main

    sys.exit(main(words))


def line(*words, watched="", fault=None):
    """The job of a command line."""
    return Job("support.forks:command", {"words": [*map(str, words)]}, str(watched), fault)


class Forks:
    """The process that forks; use it with `with`."""

    def __enter__(self):
        program = [sys.executable, "-c", "from support.forks import serve; serve()"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._folder = tempfile.TemporaryDirectory(prefix="forks-")
        tests = str(Path(__file__).parent.parent)
        path = os.pathsep.join(filter(None, [tests, os.environ.get("PYTHONPATH")]))
        # OpenBLAS would start threads at its import.
        env = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": path}
        command = [*program, self._folder.name]
        self._process = subprocess.Popen(command, text=True, env=env, **pipes)
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._folder.cleanup()

    def run(self, *jobs):
        """Run jobs at the same time, and return how each ended."""
        print(json.dumps([asdict(job) for job in jobs]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer, "the process that forks has ended"
        return [
            _ended(Path(self._folder.name, str(i)), one) for i, one in enumerate(json.loads(answer))
        ]

    def one(self, job):
        return self.run(job)[0]


def _ended(place, status):
    returned = place.with_suffix(".json")
    return Ended(
        status,
        place.with_suffix(".txt").read_text("utf-8", "replace"),
        json.loads(returned.read_text()) if returned.exists() else None,
        tuple(place.with_suffix(".log").read_text().splitlines()),
    )


def serve():
    """Fork for every list of jobs that stdin has, and print their exit statuses."""
    folder = Path(sys.argv[1])
    _import_all()
    for text in sys.stdin:
        children = []
        for number, given in enumerate(json.loads(text)):
            fault = given.pop("fault")
            job = Job(fault=None if fault is None else Fault(**fault), **given)
            place = folder / str(number)
            place.with_suffix(".json").unlink(missing_ok=True)
            child = os.fork()
            if not child:
                _live(job, place)
            children.append(child)
        ends = [os.waitpid(child, 0)[1] for child in children]
        print(json.dumps([os.waitstatus_to_exitcode(end) for end in ends]), flush=True)


def _live(job, place):
    """The life of a child."""
    try:
        output = os.open(place.with_suffix(".txt"), os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        log = os.open(place.with_suffix(".log"), os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        limit(job.seconds)
        module, _, name = job.function.partition(":")
        function = getattr(importlib.import_module(module), name)
        returned, status = None, 0
        with Watch(job.watched, job.fault, log) as watch:
            try:
                returned = function(**job.arguments)
            except SystemExit as exit:
                status = exit.code
        watch.end()
        place.with_suffix(".json").write_text(json.dumps(returned))
    except BaseException:
        traceback.print_exc()
        status = CRASHED
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def limit(seconds):
    """Let this process be killed if it hangs from now on."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(6 * seconds)


def _fail(problem):
    raise AssertionError(problem)


def _import_all():
    """Import every module and compile what small audits call, so that no child has to."""
    import numba  # noqa: F401

    import matchbound

    for module in pkgutil.walk_packages(matchbound.__path__, "matchbound."):
        if not module.name.endswith("__main__") and "spark" not in module.name:
            importlib.import_module(module.name)
    schemas.watch(_fail)
    from support.audits import certify, make_audit, run

    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        for kind in ([], ["--anytime"]):
            audit = make_audit(Path(folder, *kind), *kind, labels=40, train=20)
            assert certify(audit) == run("verify", audit) == 0
    assert threading.active_count() == 1, "a fork would lose threads"
