"""Mean bounds of all metrics on real data, beside the truth and published values (needs ../shared).

100 seeded draws a row, one metric at δ = 0.05. `false` is the number of bounds above the truth, of
100. The last column is the difference to the published value.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.metric_tables import (
    DEDUPLICATED,
    EXCHANGED,
    SIZES,
    a_wrong_cluster,
    closed_to_clusters,
    few_labels,
    limits_of_other_kinds,
    one_draw_for_all,
    pairs_as_given,
)


def show(title, rows):
    print(f"\n{title}")
    print(f"{'data set':28} {'metric':19} {'weights':19} {'mean':6} {'truth':6} false published")
    for row in rows:
        print(row, flush=True)


def main():
    for name in SIZES:
        show(f"{name}: pairs as given, |D| + |S| = {SIZES[name]}", pairs_as_given(name))
    for name in DEDUPLICATED:
        show(f"{name}: pairs closed to clusters", closed_to_clusters(name))
    for name in EXCHANGED:
        show(f"{name}: |D| and |S| exchanged", few_labels(name))
    show("Other limits on true matches", limits_of_other_kinds())
    show("One draw by the weights of F1", one_draw_for_all())
    show("1,000 records, 450 right pairs, one wrong cluster of 100", a_wrong_cluster())


if __name__ == "__main__":
    main()
