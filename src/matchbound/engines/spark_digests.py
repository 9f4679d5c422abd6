"""Digests of sorted rows, computed on Spark's executors: only the digests come to the driver."""

from collections.abc import Collection, Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING

from matchbound.engines.engine import CHUNK, Chunk

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

IN_PARTITION = 33  # bits of `monotonically_increasing_id` that number a partition's rows
EIGHT_BYTES = "lpad(hex({}), 16, '0')"


def chunk_digests(
    session: "SparkSession", scan: str, columns: Mapping[str, str], numbers: Collection[str]
) -> list[Chunk]:
    """Digest a table's rows, as `Engine.digests` specifies."""
    names = ", ".join(columns)
    order = ", ".join(f"{name} nulls first" for name in columns)
    selected = ", ".join(f"{sql} as {name}" for name, sql in columns.items())
    rows = session.sql(
        f"select {names} from (select {selected} from {scan}) group by {names} order by {order}"
    ).persist()
    try:
        values = [_bits(name) if name in numbers else name for name in columns]
        numbered = rows.selectExpr(*values, f"{_ordinal(rows)} as ordinal")
        chunks = numbered.selectExpr(
            f"ordinal div {CHUNK} as chunk", f"struct(ordinal, {names}) as r"
        ).groupBy("chunk")
        sorted_rows = chunks.agg({"r": "collect_list"}).toDF("chunk", "unsorted")
        digests = sorted_rows.selectExpr("chunk", "sort_array(unsorted) as rs").selectExpr(
            "chunk", "size(rs) as n", f"sha2(concat({_bytes(columns, numbers)}), 256) as digest"
        )
        collected = sorted(tuple(row) for row in digests.collect())
    finally:
        rows.unpersist()
    return [(count, bytes.fromhex(digest)) for _, count, digest in collected]


def _ordinal(rows: "DataFrame") -> str:
    """SQL for a row's number, from 0, in the sorted rows: all partitions before its own count.

    Spark numbers rows within partitions only: the high bits of its number are the partition's.
    """
    from pyspark.sql.functions import spark_partition_id

    counts = dict(tuple(row) for row in rows.groupBy(spark_partition_id()).count().collect())
    sizes = [counts.get(i, 0) for i in range(max(counts, default=0) + 1)]
    before = ", ".join(f"{start}L" for start in accumulate(sizes, initial=0))
    number = "monotonically_increasing_id()"
    within = f"({number} & {(1 << IN_PARTITION) - 1}L)"
    return f"element_at(array({before}), int(shiftright({number}, {IN_PARTITION})) + 1) + {within}"


def _bits(name: str) -> str:
    """SQL for the bits of a double; Java's function gives every NaN the same bits."""
    bits = f"reflect('java.lang.Double', 'doubleToLongBits', coalesce({name}, 0D))"
    return f"if({name} is null, null, cast({bits} as bigint)) as {name}"


def _bytes(columns: Iterable[str], numbers: Collection[str]) -> str:
    """SQL for the parts of a chunk's bytes."""
    parts = [f"unhex({EIGHT_BYTES.format('size(rs)')})"]
    for name in columns:
        parts.append(_hex(f"if(r.{name} is null, '01', '00')"))
        if name in numbers:
            parts.append(_hex(EIGHT_BYTES.format(f"coalesce(r.{name}, 0L)")))
        else:
            text = f"coalesce(r.{name}, '')"
            parts.append(_hex(EIGHT_BYTES.format(f"octet_length({text})")))
            parts.append(f"cast(array_join(transform(rs, r -> {text}), '') as binary)")
    return ", ".join(parts)


def _hex(sql: str) -> str:
    return f"unhex(array_join(transform(rs, r -> {sql}), ''))"
