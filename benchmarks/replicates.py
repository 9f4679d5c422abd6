"""The mean bounds of `paper` and `sharp` on real data, beside the truth (needs ../shared)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from replicates import DATASETS, certify_all


def main():
    print(f"{'data set':18} {'metric':10} {'paper':>7} {'sharp':>7} {'truth':>7}  broken of 100")
    for name in DATASETS:
        values = certify_all(name)
        for i, metric in enumerate(("precision", "recall")):
            paper, sharp, truth = (values[kind][:, i] for kind in ("paper", "sharp", "truth"))
            broken = f"{(paper > truth).sum()}, {(sharp > truth).sum()}"
            print(
                f"{name:18} {metric:10} {paper.mean():7.4f} {sharp.mean():7.4f} "
                f"{truth.mean():7.4f}  {broken}"
            )


if __name__ == "__main__":
    main()
