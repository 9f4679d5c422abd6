"""Networks with known truth: withhold and gap, and guided reconciliation (needs ../shared)."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.network_audits import Networks
from support.networks import halves_of, real


def withhold(draws=100):
    networks = Networks(real("acm-dblp"))
    print(f"acm-dblp, 250 nodes to validate on and 250 to train on, {draws} draws")
    for name, how in {"witness": {"threshold": 2}, "expand": {"method": "expand"}}.items():
        runs = [networks.withhold(str(seed), 250, 250, **how) for seed in range(draws)]
        for kind in runs[0]:
            bounds, truth = (np.array([run[kind][i] for run in runs]) for i in (0, 1))
            for i, metric in enumerate(("precision", "recall")):
                print(
                    f"  {name:8} {kind:12} {metric:10} bound {bounds[:, i].mean():.4f}, truth "
                    f"{truth[:, i].mean():.4f}, broken {(bounds[:, i] > truth[:, i]).sum()}"
                )


def guided(draws=20, labels=3000, target=0.95):
    networks = Networks(halves_of("email-enron", 0.5, seed=1))
    train = len(networks.nodes) // 10
    print(f"Enron, {labels} nodes to validate on, {train} to train on, {draws} draws")
    how = {"rounds": 2, "options": (2, 3, 4, 5, 6), "metrics": ("precision",)}
    rows = []
    for seed in map(str, range(draws)):
        matches, bound, truth = networks.guided(seed, labels, train, target, **how)
        fixed = [networks.fixed(seed, labels, train, t) for t in (2, 3, 4, 5, 6, 8)]
        best = max((len(m) for m, value, _ in fixed if value >= target), default=0)
        rows.append((len(matches), bound, truth, best))
    found, bound, truth, best = np.array(rows).T
    print(f"  guided: {found.mean():.0f} matches, precision bound {bound.mean():.4f}, ", end="")
    print(f"truth {truth.mean():.4f}, broken {(bound > truth).sum()}")
    print(
        f"  the best fixed threshold whose certificate has {target}: {best.mean():.0f} matches; ",
        end="",
    )
    print(f"guided has more in {(found > best).sum()}, fewer in {(found < best).sum()}")


if __name__ == "__main__":
    withhold()
    guided()
