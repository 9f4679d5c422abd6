"""Mean bounds on real data, beside the truth (needs ../shared).

The replicates' labels are brought along, so their fractions get the order-free bound. The same
labels in random orders, as a draw has them, get star bets: means over three orders.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from matchbound.theorems.others import holdout_alone, patched_holdout
from support.replicates import DATASETS, as_drawn, bounds_of, certify_all, old_bounds_of

ORDERS = 3


def main():
    print("data set           metric     kind                       mean    broken of 100")
    for name, (one_to_one, *_) in DATASETS.items():
        tallies, values = certify_all(name)
        rows = {kind: values[kind] for kind in ("paper", "sharp")}
        drawn = [as_drawn(t, one_to_one, i) for i in range(ORDERS) for t in tallies]
        rows["drawn"] = np.array([bounds_of(*one) for one in drawn])
        rows["drawn, old formula"] = np.array([old_bounds_of(*one) for one in drawn])
        rows["drawn, holdout"] = np.array([bounds_of(holdout_alone(t), c) for t, c in drawn])
        rows["drawn, patched holdout"] = np.array(
            [bounds_of(patched_holdout(t), c) for t, c in drawn]
        )
        for i, metric in enumerate(("precision", "recall")):
            truth = values["truth"][:, i]
            print(f"{name:18} {metric:10} {'truth of complete':24} {truth.mean():8.4f}")
            for kind, bounds in rows.items():
                broken = (bounds[:, i] > np.tile(truth, len(bounds) // len(truth))).sum()
                told = "" if "holdout" in kind else f"{100 * broken / len(bounds):.1f}"
                print(f"{'':18} {'':10} {kind:24} {bounds[:, i].mean():8.4f}    {told}")


if __name__ == "__main__":
    main()
