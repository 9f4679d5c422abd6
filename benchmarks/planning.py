"""CPU seconds of a plan at 100,000 nodes: 2 s is the limit for precision and recall together, 3 s
for pairwise and B-cubed metrics.

And of a power from bets against the target alone, beside one from whole guarantees of as many
draws, in one run.
"""

import time

from matchbound import plan
from matchbound.plans.outlooks import Prospects
from matchbound.plans.question import Question, choices_for
from matchbound.plans.simulation import FEW, FEWER, Whole

LIMIT, NEW_LIMIT = 2.0, 3.0
SIZE, MATCHED = 100_000, 2 / 3
SETTINGS = {  # precision and recall, as guessed and wanted
    "0.95, 0.90 for 0.93, 0.87": ((0.95, 0.9), (0.93, 0.87)),
    "0.95, 0.70 for 0.90, 0.62": ((0.95, 0.7), (0.9, 0.62)),
    "0.95, 0.80 for 0.90, 0.72": ((0.95, 0.8), (0.9, 0.72)),
    "0.95, 0.85 for 0.92, 0.82": ((0.95, 0.85), (0.92, 0.82)),
    "0.99, 0.97 for 0.98, 0.95": ((0.99, 0.97), (0.98, 0.95)),
}
KINDS = {
    "fractions": {},
    "fractions, two matchers": {"gap_rate": 0.001},
    "one-to-one": {"one_to_one": True},
    "one-to-one, two matchers": {"one_to_one": True, "gap_rate": 0.001},
}
NEW = {  # guesses, targets, and the choices that the metrics need
    "pairs": (
        {"pairwise-precision": 0.95, "pairwise-recall": 0.9},
        {"pairwise-precision": 0.92, "pairwise-recall": 0.86},
        {"most_true_matches": 5},
    ),
    "pairwise F1": ({"pairwise-f1": 0.9}, {"pairwise-f1": 0.86}, {"most_true_matches": 20}),
    "clusters": (
        {"b3-precision": 0.95, "b3-recall": 0.93},
        {"b3-precision": 0.93, "b3-recall": 0.9},
        {"dedupe": True},
    ),
}


def by_metric(values):
    return dict(zip(("precision", "recall"), values, strict=True))


def cpu(function):
    start = time.process_time()
    found = function()
    return time.process_time() - start, found


def planned(guesses, targets, **more):
    return of(by_metric(guesses), by_metric(targets), **more)


def of(guesses, targets, **more):
    return plan(size=SIZE, matched=MATCHED, guesses=guesses, targets=targets, **more)


def say(worst, limit):
    print(f"at most {worst:.2f} s: {'within' if worst <= limit else 'above'} {limit:g} s")


def main():
    for more in KINDS.values():  # compiled once
        planned((0.95, 0.9), (0.85, 0.8), **more)
    of({"pairwise-f1": 0.9}, {"pairwise-f1": 0.7}, most_true_matches=2, gap_rate=0.001)
    worst = 0.0
    print(f"{'precision, recall':26} {'kind':26} {'labels':>7} {'CPU s':>6}")
    for name, (guesses, targets) in SETTINGS.items():
        for kind, more in KINDS.items():
            seconds, made = cpu(lambda g=guesses, t=targets, m=more: planned(g, t, **m))
            worst = max(worst, seconds)
            print(f"{name:26} {kind:26} {made.needed or 0:7} {seconds:6.2f}", flush=True)
    say(worst, LIMIT)
    worst = 0.0
    for name, (guesses, targets, choices) in NEW.items():
        for kind, more in (("one matcher", {}), ("two matchers", {"gap_rate": 0.001})):
            seconds, made = cpu(lambda g=guesses, t=targets, m=choices | more: of(g, t, **m))
            worst = max(worst, seconds)
            print(f"{name:26} {kind:26} {made.needed or 0:7} {seconds:6.2f}", flush=True)
    say(worst, NEW_LIMIT)

    choices = choices_for({"recall": 0.9}, MATCHED)
    prospects = Prospects(Question(SIZE, choices, {"recall": 0.87}))
    draws = FEW // FEWER
    slow, _ = cpu(lambda: Whole(prospects.margins["recall"]).power(2000, 0.87, FEW))
    fast, _ = cpu(lambda: prospects.chances["recall"].power(2000, 0.87, draws))
    print(f"{draws} draws of 2000 labels: {slow:.3f} s whole, {fast:.3f} s against the target")


if __name__ == "__main__":
    main()
