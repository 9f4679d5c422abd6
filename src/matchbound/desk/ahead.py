"""The next node's records are looked for while the present one is read."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

Found = TypeVar("Found")
KEPT = 32  # nodes whose records are kept: more than people have open at once


class Ahead(Generic[Found]):
    """Results of a slow function of a node, begun before they are needed."""

    def __init__(self, compute: Callable[[str], Found]) -> None:
        self._compute, self._lock = compute, Lock()
        self._begun: dict[str, Future[Found]] = {}
        self._worker = ThreadPoolExecutor(1, "ahead")

    def begin(self, node: str) -> None:
        """Compute it soon, in another thread."""
        with self._lock:
            if node not in self._begun:
                self._begun[node] = self._worker.submit(self._compute, node)
            for old in list(self._begun)[:-KEPT]:
                self._begun.pop(old).cancel()

    def get(self, node: str) -> Found:
        """The result; computed here and now if nobody has begun."""
        with self._lock:
            future = self._begun.get(node)
        if future is None or future.cancel() or future.cancelled():
            return self._compute(node)
        return future.result()
