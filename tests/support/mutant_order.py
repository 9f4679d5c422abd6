"""A pytest plugin for the runs of `mutants.py`: the quickest test first, and none for ever.

MUTANTS_TIMES names a file with the seconds of each test. A run writes it if it is not there; else
it goes by it, and dies if a test computes for MUTANTS_GRACE seconds and ten times as long.
MUTANTS_LONGEST leaves out tests that compute for more seconds than that.
"""

import json
import math
import os
import resource
import signal
from pathlib import Path

import pytest

TIMES = Path(os.environ.get("MUTANTS_TIMES", ""))
GRACE = float(os.environ.get("MUTANTS_GRACE", "10"))
LONGEST = float(os.environ.get("MUTANTS_LONGEST", "inf"))
KNOWN = json.loads(TIMES.read_text()) if TIMES.is_file() else {}
MEMORY = 8 << 30
taken: dict[str, float] = {}


def pytest_configure(config):
    import matchbound

    assert Path(matchbound.__file__).is_relative_to(config.rootpath), "the copy must be imported"
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if KNOWN.get(item.nodeid, 0.0) <= LONGEST]
    items.sort(key=lambda item: KNOWN.get(item.nodeid, 0.0))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    if KNOWN:  # the signal's default is to end the process, even within compiled code
        signal.setitimer(signal.ITIMER_PROF, GRACE + 10 * KNOWN.get(item.nodeid, 0.0))
    elif not math.isinf(LONGEST):
        signal.signal(signal.SIGPROF, lambda *_: _leave_out(item))
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _leave_out(item):
    taken[item.nodeid] = math.inf
    pytest.skip("it takes too long")


def pytest_runtest_logreport(report):
    taken[report.nodeid] = taken.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish(exitstatus):
    if not KNOWN and exitstatus == 0:
        TIMES.write_text(json.dumps(taken))
