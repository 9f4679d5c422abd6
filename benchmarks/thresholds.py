"""The threshold chosen on DBLP–ACM with Splink's scores, beside the truth (needs ../shared)."""

import sys
from collections import Counter
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from matchbound import Choices
from matchbound.choices import CANDIDATES
from thresholds import Scored


def main():
    scored = Scored(CANDIDATES)
    truth = {score: scored.true_metrics(score) for score in CANDIDATES}
    for score, (precision, recall) in truth.items():
        print(f"threshold {score:4g}: true precision {precision:.4f}, recall {recall:.4f}")
    for target, labels in ((0.95, 200), (0.95, 400), (0.95, 800), (0.975, 1000)):
        choices = Choices(choose_threshold={"precision": target})
        runs = [scored.choose(str(seed), labels, choices) for seed in range(100)]
        chosen = Counter(score for score, _ in runs)
        broken = sum(
            any(v > t for v, t in zip(values, truth[score], strict=True))
            for score, values in runs
            if score is not None
        )
        below = sum(truth[score][0] < target for score, _ in runs if score is not None)
        recalls = [values[1] for score, values in runs if score == 0.5]
        print(
            f"target {target}, {labels} labels: chosen {dict(chosen)}; below the target {below}, "
            f"bounds broken {broken}; mean recall bound at 0.5: "
            f"{fmean(recalls) if recalls else float('nan'):.4f}"
        )


if __name__ == "__main__":
    main()
