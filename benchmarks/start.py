"""The first command in a fresh environment: what it costs beside the second one.

Builds the wheel, installs it in an environment of its own, and runs `certify`, `verify` and `plan`
twice, each run a process: the first without any cache of compiled kernels, the second with what the
first left. Also without Python's bytecode, as installers leave it that do not compile it. Medians
of several repetitions, of wall time and of processor time; `--settings` limits the audits.
Prints the time that imports take, and the size of what is installed.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
H = (
    "--holdout matches.csv --threshold 0.9 --pairs --link "
    "--columns x=unique_id_l,y=unique_id_r,score=match_probability"
)
LARGE = """
import csv, random
rng = random.Random(21)
def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
nodes = range(20_000)
truth = {i: [f"b{i}", f"c{i}"][: rng.choice((0, 1, 1, 2))] for i in nodes}
found = [(f"a{i}", y if rng.random() < 0.97 else f"d{y}") for i in nodes for y in truth[i]]
write("large.csv", ["id"], [[f"a{i}"] for i in nodes])
write("found.csv", ["x", "y"], [pair for pair in found if rng.random() < 0.95])
write("truth.csv", ["x", "y"], [(f"a{i}", y) for i in nodes for y in truth[i] or [""]])
"""
LABEL_LARGE = """
import csv
drawn = {row["id"] for row in csv.DictReader(open("audit/sample.csv"))}
rows = [row for row in csv.DictReader(open("truth.csv")) if row["x"] in drawn]
with open("audit/labels.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, ["x", "y"])
    writer.writeheader()
    writer.writerows(rows)
"""
BRING = """
import os
os.rename("audit/labels.csv", "brought.csv")
"""
PEOPLE, ANSWER = "example people", "example people --answer audit"
DRAW = f"draw crm.csv --out audit --labels 300 {H}"


class Setting(NamedTuple):
    """Commands that make an audit; those with a line break are Python's."""

    prepare: tuple[str, ...]
    certify: str = "certify audit --force"


SETTINGS = {
    "README": Setting(
        (
            PEOPLE,
            "audit matches.csv --records crm.csv --against billing.csv --labels 300 "
            "--threshold 0.9 --pairs --out audit",
            ANSWER,
        )
    ),
    "one to one": Setting((PEOPLE, f"{DRAW} --one-to-one", ANSWER)),
    "at any time": Setting((PEOPLE, f"{DRAW} --anytime", ANSWER)),
    "0 or 1 at any time": Setting((PEOPLE, f"{DRAW} --anytime --one-to-one", ANSWER)),
    "until": Setting((PEOPLE, f"{DRAW} --until recall=150", ANSWER)),
    "pairwise": Setting(
        (
            PEOPLE,
            f"{DRAW} --metric pairwise-precision --metric pairwise-recall --most-true-matches 2",
            ANSWER,
        )
    ),
    "by weight": Setting(
        (
            PEOPLE,
            f"{DRAW} --weigh pairwise-f1 --metric pairwise-f1 --most-true-matches 2",
            ANSWER,
        )
    ),
    "deduplication": Setting(
        (
            "example customers",
            "audit duplicates.csv --records customers.csv --labels 300 --threshold 0.9 "
            "--clusters --out audit",
            "example customers --answer audit",
        )
    ),
    "labels brought along": Setting(
        (PEOPLE, DRAW, ANSWER, BRING),
        f"certify --labels brought.csv --population crm.csv {H} --assume-uniform "
        "--out brought.json --force",
    ),
    "2,000 labels": Setting(
        (
            LARGE,
            "draw large.csv --labels 2000 --holdout found.csv --out audit --link",
            LABEL_LARGE,
        )
    ),
    "2,000 labels at any time": Setting(
        (
            LARGE,
            "draw large.csv --labels 2000 --holdout found.csv --out audit --link --anytime",
            LABEL_LARGE,
        )
    ),
}
PLANS = {
    "plan, 0 or 1": "plan --size 100000 --matched 0.7 --one-to-one "
    "--guess recall=0.95 --target recall=0.9",
    "plan, fractions": "plan --size 100000 --matched 0.7 "
    "--guess precision=0.97 --target precision=0.95",
}


class Environment:
    """A virtual environment in which the wheel is installed, as `pip` does it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.kernels = folder / "environment", folder / "kernels"
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", str(ROOT)]
        subprocess.run([*pip, "--wheel-dir", str(folder)], check=True)
        subprocess.run([sys.executable, "-m", "venv", str(self.folder)], check=True)
        (wheel,) = folder.glob("matchbound-*.whl")
        install = [self.python, "-m", "pip", "install", "--quiet", str(wheel)]
        subprocess.run([*install, "--disable-pip-version-check"], check=True)

    @property
    def python(self) -> str:
        return str(next(self.folder.glob("[bS][ic][nr]*/python*")))

    @property
    def packages(self) -> Path:
        return next(self.folder.glob("**/site-packages"))

    def forget(self, *, bytecode: bool) -> None:
        """Remove all that runs have left: compiled kernels, and Python's bytecode if asked."""
        shutil.rmtree(self.kernels, ignore_errors=True)
        if bytecode:
            for cache in list(self.packages.glob("**/__pycache__")):
                shutil.rmtree(cache)

    def run(self, command: str, folder: Path) -> tuple[float, float]:
        """Seconds of wall time and of processor time."""
        words = ["-c", command] if "\n" in command else ["-m", "matchbound", *command.split()]
        before, started = os.times(), time.perf_counter()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        environment["NUMBA_CACHE_DIR"] = str(self.kernels)
        done = subprocess.run(
            [self.python, *words], cwd=folder, env=environment, capture_output=True, text=True
        )
        wall, after = time.perf_counter() - started, os.times()
        if done.returncode:
            raise SystemExit(f"{command}: {done.stderr}")
        used = after.children_user + after.children_system
        return wall, used - before.children_user - before.children_system

    def sizes(self) -> dict[str, float]:
        """Megabytes by package, without what pip itself needs; the wheel's libraries with it."""
        sizes: dict[str, float] = {}
        for path in self.packages.rglob("*"):
            name = re.split(r"[.-]", path.relative_to(self.packages).parts[0])[0].strip("_")
            if path.is_file() and name not in ("pip", "setuptools", "pkg_resources", "distutils"):
                sizes[name] = sizes.get(name, 0.0) + path.stat().st_size / 1e6
        return sizes


def compare(environment: Environment, command: str, folder: Path, times: int, *, bytecode: bool):
    """Medians of the first and the second run: wall, then processor."""
    runs = []
    for _ in range(times):
        environment.forget(bytecode=bytecode)
        runs.append([environment.run(command, folder) for _ in range(2)])
    first, second = zip(*runs, strict=True)
    return [
        tuple(statistics.median(run[kind] for run in which) for which in (first, second))
        for kind in (0, 1)
    ]


def show(name: str, wall: tuple[float, float], used: tuple[float, float]) -> None:
    figures = [f"{a:6.2f} {b:6.2f} s, ratio {a / b:4.2f}" for a, b in (wall, used)]
    print(f"{name:44} wall {figures[0]}   processor {figures[1]}", flush=True)


def time_imports(environment: Environment, folder: Path) -> None:
    for name in ("pass", "import matchbound", "import numpy", "import duckdb", "import numba"):
        runs = [environment.run(f"{name}\n", folder)[1] for _ in range(5)]
        print(f"python -c '{name}': {statistics.median(runs):.2f} s processor")
    loaded = (
        "import sys\nfrom matchbound.commands.main import main\nmain({words!r})\n"
        "print(*sorted({{'numba', 'pyarrow', 'pandas', 'scipy'}} & set(sys.modules)), "
        "file=sys.stderr)"
    )
    words = SETTINGS["README"].certify.split()
    command = [environment.python, "-c", loaded.format(words=words)]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    print(f"certify loads of numba, pyarrow and pandas: {done.stderr.strip() or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="repetitions (default: 5)")
    parser.add_argument("--settings", nargs="*", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--no-plans", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        environment = Environment(Path(temporary))
        sizes = environment.sizes()
        numba = sizes["numba"] + sizes["llvmlite"]
        print(f"installed: {sum(sizes.values()):.0f} MB, of which numba and llvmlite {numba:.0f}")
        largest = sorted(sizes.items(), key=lambda item: -item[1])[:6]
        print("  " + ", ".join(f"{name} {size:.0f}" for name, size in largest))
        for name, setting in SETTINGS.items():
            if name not in {*options.settings, "README"}:
                continue
            folder = Path(temporary) / name.replace(" ", "-")
            folder.mkdir()
            for command in setting.prepare:
                environment.run(command, folder)
            show(
                f"certify, {name}",
                *compare(environment, setting.certify, folder, options.times, bytecode=False),
            )
            if name == "README":
                time_imports(environment, folder)
                runs = compare(environment, setting.certify, folder, options.times, bytecode=True)
                show(f"certify, {name}, without bytecode", *runs)
            if "brought" not in name:
                show(
                    f"verify, {name}",
                    *compare(environment, "verify audit", folder, options.times, bytecode=False),
                )
        for name, command in {} if options.no_plans else PLANS.items():
            show(name, *compare(environment, command, Path(temporary), 3, bytecode=False))


if __name__ == "__main__":
    main()
