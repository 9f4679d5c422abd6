"""Make `fcntl` unimportable for whatever is imported from now on, as it is on Windows.

Python runs this first in every process whose path has this folder. The standard library's own
users of `fcntl` are imported before: what is tested is matchbound without it, not Python.
"""

import asyncio  # noqa: F401
import sys
import warnings

assert "filelock" not in sys.modules, "filelock was imported with fcntl"
sys.modules["fcntl"] = None
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns that lock files are the locks now
    import filelock  # noqa: F401
