"""The threshold chosen on DBLP–ACM with Splink's scores, beside the truth (needs ../shared)."""

import sys
from collections import Counter
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from matchbound import Choices
from matchbound.theorems.choices import CANDIDATES
from support.thresholds import Scored


def main():
    scored = Scored(CANDIDATES)
    truth = {score: scored.true_metrics(score) for score in CANDIDATES}
    for target, labels in ((0.95, 200), (0.95, 400), (0.95, 800), (0.975, 1000)):
        choices = Choices(choose_threshold={"precision": target})
        runs = [scored.choose(str(seed), labels, choices) for seed in range(100)]
        chosen = Counter(score for score, _ in runs)
        broken = sum(
            any(v > t for v, t in zip(values, truth[score], strict=True))
            for score, values in runs
            if score is not None
        )
        print(f"target {target}, {labels} labels: none {chosen[None]}, bounds broken {broken}")
        for score in CANDIDATES:
            if chosen[score]:
                recall = fmean(values[1] for found, values in runs if found == score)
                true = "{:.4f}, {:.4f}".format(*truth[score])
                print(f"  {score:4g}: {chosen[score]:3}, P ≥ {target}, R ≥ {recall:.4f}; {true}")


if __name__ == "__main__":
    main()
