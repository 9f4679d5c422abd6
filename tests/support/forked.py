"""Servers of the labelling page that start at once: forked from a process that has loaded all."""

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

LOADED = """
import json, os, signal, sys
import matchbound.commands.main, matchbound.desk.requests, matchbound.desk.server, pyarrow, uvicorn
from matchbound.desk.search import Search
Search({"": pyarrow.array(["compiled"])}).find("now")
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children that ended are gone at once
for line in sys.stdin:
    words, pipe = json.loads(line)
    child = os.fork()
    if not child:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(pipe, os.O_WRONLY), 1)
        status = matchbound.commands.main.main(words)
        sys.stdout.flush()
        os._exit(status)
    print(child, flush=True)
"""
CAN_FORK = hasattr(os, "fork") and hasattr(os, "mkfifo")


@cache
def _loaded():
    """The process that forks, one for this process and its tests."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", LOADED], text=True, **pipes)
    atexit.register(process.communicate)  # closes its input, which ends it
    return process


class Forked:
    """A `matchbound` command in a process of its own, as `subprocess.Popen` has it."""

    def __init__(self, words):
        with tempfile.TemporaryDirectory() as folder:
            pipe = str(Path(folder) / "pipe")
            os.mkfifo(pipe)
            print(
                json.dumps([[str(word) for word in words], pipe]), file=_loaded().stdin, flush=True
            )
            self.stdout = open(pipe)  # noqa: SIM115
            self.pid = int(_loaded().stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stdout.close()
        self.wait()

    def send_signal(self, number):
        if self.is_running:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    @property
    def is_running(self):
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def wait(self):
        while self.is_running:
            time.sleep(0.01)
