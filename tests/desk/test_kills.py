"""Kill the server while people label: what was acknowledged is there, once, after a restart."""

import os
import random
import signal
import threading
from collections import Counter
from contextlib import suppress
from http.client import HTTPException

import pytest

from matchbound.audits import Draw, sound_ledger
from matchbound.desk.desk import Desk
from support.desks import make_desk, restarting


class Work:
    """What clients were told: by node, the note of the label that was acknowledged last."""

    def __init__(self, truth, seed):
        self.truth, self.rng, self.lock = truth, random.Random(seed), threading.Lock()
        self.acknowledged, self.under_way, self.serial = {}, {}, 0

    def live(self, start, clients):
        """One life of a server: label until it is killed, at a moment that is random."""
        process, client = start()
        self.left = self.rng.randrange(1, 20)
        self.kill = threading.Event()
        people = [
            threading.Thread(target=self._label, args=[client.as_(f"person {i}")])
            for i in range(clients)
        ]
        for person in people:
            person.start()
        self.kill.wait()
        threading.Event().wait(self.rng.uniform(0, 0.02))
        os.kill(process, signal.SIGKILL)
        for person in people:
            person.join()

    def _label(self, client):
        with suppress(OSError, HTTPException):
            shown = client.post("next")
            while shown.get("record"):
                node = shown["record"]["id"]
                note = self._begin(node)
                verdict = {"place": shown["place"], "matches": self._matches(node), "note": note}
                saved = client.post("label", **verdict, go_on=True)  # as the page does
                self._done(node, note)
                if self.serial % 7 == 0:
                    self._begin(node)  # until the answer comes, it may or may not be there
                    client.post("undo")
                    self._done(node, None)
                shown = saved.get("next") or client.post("next")
                client.post("ahead", place=shown["place"] or 1)
        self.kill.set()  # nothing is left to label

    def _matches(self, node):
        return [self.truth[node]] if node in self.truth else []

    def _begin(self, node):
        with self.lock:
            self.serial += 1
            self.under_way[node] = f"label {self.serial}"
            return self.under_way[node]

    def _done(self, node, note):
        with self.lock:
            self.acknowledged[node] = note
            del self.under_way[node]
            self.left -= 1
            if not self.left:
                self.kill.set()

    def check(self, audit):
        """What was acknowledged is in the book, once; nothing else but what was under way."""
        sound_ledger(audit)
        desk = Desk(audit, Draw.load(audit))
        verdicts = list(desk.book.live.values())
        assert max(Counter(verdict.place for verdict in verdicts).values(), default=0) <= 1
        found = {verdict.node: verdict.note for verdict in verdicts}
        for node in found.keys() | self.acknowledged.keys():
            allowed = {self.acknowledged.get(node)}
            if node in self.under_way:
                allowed |= {self.under_way[node], None}
            assert found.get(node) in allowed, node
            self.acknowledged[node] = found.get(node)
        self.under_way.clear()
        return sum(note is not None for note in self.acknowledged.values())


def test_killed_a_few_times_while_people_label(tmp_path):
    label_and_kill(tmp_path, clients=4, labels=60, least=30, seed=8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 16))
def test_killed_while_people_label(tmp_path, seed):
    """Fifteen audits, so that opening them again takes less time: about 1,000 kills in all."""
    label_and_kill(tmp_path, clients=20, labels=1000, least=850, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(21, 31))
def test_killed_while_two_people_label(tmp_path, seed):
    """Ten audits of at least 50 kills each."""
    assert label_and_kill(tmp_path, clients=2, labels=700, least=650, seed=seed) >= 50


def label_and_kill(tmp_path, *, clients, labels, least, seed):
    """Kill the server until so many nodes have a label: some are left to the last. Return how often
    it was killed.
    """
    audit, truth = make_desk(tmp_path / "data", labels=labels, train=0, nodes=labels * 6 // 5)
    work, done, kills = Work(truth, seed), 0, 0
    with restarting(audit) as (start, wait):
        while done < least:
            work.live(start, clients)
            wait()
            done, kills = work.check(audit), kills + 1
    return kills
