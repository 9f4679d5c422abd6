"""Loops in two forms: as they are written, and compiled by numba where that pays."""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Any

PATIENCE = 1_000_000
"""Steps that Python takes before kernels are compiled: about a second.

Loading numba and the compiled kernels of one bound takes half a second, compiling them two seconds
more.
"""

_steps = 0  # taken in Python so far


def compiled(function: Any) -> Any:
    """A function that numba compiles when it is first called, and that threads run side by side."""
    return Kernel(function)


class Kernel:
    """A function in two forms: compiled, and `plain` as it is written; calls run the compiled.

    Both do the same arithmetic in the same order (numba neither reorders sums nor joins a product
    and a sum), so their results are equal, as long as kernels leave sums of arrays to loops: NumPy
    adds in another order than numba. Other kernels that it calls take the same form.
    """

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        update_wrapper(self, function)

    def __call__(self, *values: Any) -> Any:
        return self.machine(*values)

    def over(self, steps: int) -> Any:
        """The form to use for a job of so many steps, each about a microsecond in Python."""
        return self.machine if worth_compiling(steps) else self.plain

    @cached_property
    def machine(self) -> Any:
        return self._formed("machine", _njit)

    @cached_property
    def plain(self) -> Any:
        return self._formed("plain", lambda function: function)

    def _formed(self, form: str, make: Callable[[FunctionType], Any]) -> Any:
        """A copy of the function whose globals are the same form of the kernels it calls."""
        names = dict(self._function.__globals__)
        made = make(FunctionType(self._function.__code__, names, self._function.__name__))
        for name in self._function.__code__.co_names:
            if isinstance(kernel := names.get(name), Kernel):
                names[name] = made if kernel is self else getattr(kernel, form)
        return made


def worth_compiling(steps: int) -> bool:
    """Whether a job of so many steps is better left to compiled kernels than to plain ones.

    It is once Python has taken many steps in this process. An audit of a few thousand labels needs
    fewer, so it neither loads numba nor waits for a compiler.
    """
    global _steps
    _steps += steps
    return _steps > PATIENCE


def thread_count() -> int:
    """How many threads numba would use: its setting, or the number of processors."""
    from numba import config

    return int(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


def _njit(function: FunctionType) -> Any:
    from numba import njit

    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # nowhere to write, as in a read-only container
        return njit(nogil=True)(function)
