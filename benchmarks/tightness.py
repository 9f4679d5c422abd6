"""The betting gap beside the exact and the Bernstein gap, with plans that fit and that do not."""

import numpy as np

from matchbound import bounds

S, N, DELTA, DRAWS = 667, 80_000_000, 0.05, 1000
CASES = {
    "0/1, mean 0.95": ([0, 1], [0.05, 0.95]),
    "0/1, mean 0.85": ([0, 1], [0.15, 0.85]),
    "{0, ½, ⅔, 1}": ([0, 1 / 2, 2 / 3, 1], [0.02, 0.05, 0.05, 0.88]),
}
PLANS = {"¼×": 0.25, "½×": 0.5, "fits": 1, "2×": 2, "4×": 4, "default": None}


def main():
    rng = np.random.default_rng(2024)
    print(f"{'values':16} {'exact':>7} {'bernstein':>9} " + " ".join(f"{p:>7}" for p in PLANS))
    for name, (support, chances) in CASES.items():
        values, chances = np.array(support, float), np.array(chances)
        variance = chances @ values**2 - (chances @ values) ** 2
        samples = [rng.choice(values, S, p=chances) for _ in range(DRAWS)]

        def gap(samples=samples, **how):
            return np.mean(
                [x.mean() - bounds.lower(x, size=N, delta=DELTA, **how) for x in samples]
            )

        exact = f"{gap(method='hypergeometric'):7.4f}" if len(values) == 2 else f"{'—':>7}"
        planned = [gap(variance=variance * p if p else None) for p in PLANS.values()]
        print(
            f"{name:16} {exact} {gap(method='bernstein'):9.4f} "
            + " ".join(f"{g:7.4f}" for g in planned)
        )


if __name__ == "__main__":
    main()
