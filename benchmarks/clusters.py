"""One cluster of 100,000 records on each side, ten thousand million pairs: seconds and memory."""

import resource
import time

import pyarrow as pa

import matchbound as mb

N = 100_000


def main():
    ids = [f"a{i}" for i in range(N)] + [f"b{i}" for i in range(N)]
    clusters = pa.table({"id": ids, "cluster_id": [1] * (2 * N)})
    population = pa.table({"id": ids[:N]})
    draw = mb.draw(population, labels=100, seed="big", link=True)
    start = time.perf_counter()
    certificate = mb.certify(
        draw, population=population, holdout=clusters, complete=clusters, labels=clusters
    )
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"gap cells {certificate.tallies['all'].gap}: {seconds:.1f} s, peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
