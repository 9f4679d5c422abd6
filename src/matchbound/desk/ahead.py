"""What comes next is looked up while the present node is read."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

Found = TypeVar("Found")
KEPT = 256  # nodes whose records are kept: more than people have open or prepared at once


class Ahead(Generic[Found]):
    """Results of a slow function of a node, begun before they are needed.

    They are kept, so they must depend on the node alone: never on labels.
    """

    def __init__(self, compute: Callable[[str], Found]) -> None:
        self._compute, self._lock = compute, Lock()
        self._begun: dict[str, Future[Found]] = {}
        self._worker = ThreadPoolExecutor(1, "ahead")

    def begin(self, node: str) -> None:
        """Compute it soon, in another thread."""
        with self._lock:
            if node not in self._begun:
                self._begun[node] = self._worker.submit(self._compute, node)
                self._drop_old()

    def get(self, node: str) -> Found:
        """The result; computed here and now unless somebody is at it."""
        with self._lock:
            future = self._begun.get(node)
            if future is not None and _has_failed(future):
                future = None  # what went wrong then may go well now
            is_mine = future is None or future.cancel()
            if future is None or is_mine:
                future = self._begun[node] = Future()
                future.set_running_or_notify_cancel()  # nobody else cancels it
                self._drop_old()
        return self._fill(node, future) if is_mine else future.result()

    def _fill(self, node: str, future: "Future[Found]") -> Found:
        try:
            future.set_result(self._compute(node))
        except BaseException as error:
            with self._lock:
                self._begun.pop(node, None)
            future.set_exception(error)
        return future.result()

    def _drop_old(self) -> None:
        for old in list(self._begun)[:-KEPT]:
            self._begun.pop(old).cancel()


def _has_failed(future: "Future[Found]") -> bool:
    return future.done() and not future.cancelled() and future.exception() is not None
