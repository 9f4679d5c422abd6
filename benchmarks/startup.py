"""What a command costs before it does anything: `--help`, and `certify` of a small audit.

Best of several runs of a process each, beside the least that any could take: Python itself, and
Python with DuckDB. `--imports` shows the modules that take longest to load.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.audits import make_audit

CERTIFY = ["certify", "audit", "--holdout", "holdout.csv", "--complete", "complete.csv", "--force"]
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "python -c 'import duckdb'": ["-c", "import duckdb"],
    "python -c 'import duckdb, numpy'": ["-c", "import duckdb, numpy"],
    "matchbound --help": ["-m", "matchbound", "--help"],
    "matchbound certify --help": ["-m", "matchbound", "certify", "--help"],
    "matchbound certify": ["-m", "matchbound", *CERTIFY],
    "matchbound verify": ["-m", "matchbound", "verify", "audit"],
}


def best_of(times: int, arguments: list[str], folder: Path) -> tuple[float, float]:
    """Least seconds of wall time, and of processor time, of several runs."""
    seconds = []
    for _ in range(times):
        before, started = os.times(), time.perf_counter()
        subprocess.run(
            [sys.executable, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        wall, after = time.perf_counter() - started, os.times()
        used = after.children_user + after.children_system
        seconds.append((wall, used - before.children_user - before.children_system))
    return min(wall for wall, _ in seconds), min(used for _, used in seconds)


def slow_imports(arguments: list[str], folder: Path, count: int) -> list[tuple[float, str]]:
    """The packages that a command loads, by the milliseconds that their modules take themselves."""
    command = [sys.executable, "-X", "importtime", *arguments]
    shown = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stderr
    packages: dict[str, float] = {}
    for own, name in re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)", shown):
        parts = name.split(".")
        package = ".".join(parts[:2]) if parts[0] == "matchbound" else parts[0]
        packages[package] = packages.get(package, 0.0) + int(own) / 1000
    return sorted(((own, name) for name, own in packages.items()), reverse=True)[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=7, help="runs of each command (default: 7)")
    parser.add_argument("--imports", action="store_true", help="show the slowest imports too")
    options = parser.parse_args()
    os.environ.setdefault("COLUMNS", "80")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # Bytecode is kept, as of a package that is installed, and a first run is not counted.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
            make_audit(folder / "small")
        for name, arguments in COMMANDS.items():
            best_of(1, arguments, folder / "small")
            wall, used = best_of(options.times, arguments, folder / "small")
            print(f"{name:34} {wall:6.3f} s wall {used:6.2f} s processor")
        if options.imports:
            for own, name in slow_imports(COMMANDS["matchbound certify"], folder / "small", 20):
                print(f"{own:8.1f} ms  {name}")


if __name__ == "__main__":
    main()
