"""Digests of sorted rows, computed from Arrow's buffers: a chunk of rows at a time."""

import hashlib
import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from matchbound.engines.engine import CHUNK, Chunk


def chunk_digests(batches: Iterable[Any]) -> list[Chunk]:
    """Digest sorted record batches of text and doubles, as `Engine.digests` specifies."""
    chunks = _chunks(_each_once(map(_as_bits, batches)))
    return [(chunk.num_rows, _digest(chunk)) for chunk in chunks]


def _as_bits(batch: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    arrays = []
    for array in batch.columns:
        if pa.types.is_floating(array.type):
            values = array.fill_null(0.0).to_numpy(zero_copy_only=False)
            bits = np.where(np.isnan(values), np.nan, values).astype(np.float64).view(np.int64)
            missing = array.is_null().to_numpy(zero_copy_only=False)
            arrays.append(pa.array(bits, mask=missing))
        else:
            arrays.append(array.cast(pa.large_string()).cast(pa.large_binary()))
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _each_once(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the sorted rows without those that repeat the row before."""
    import pyarrow as pa

    last = None
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = pa.Table.from_batches([batch])
        before = rows.slice(0, rows.num_rows - 1)
        if last is not None:
            before = pa.concat_tables([last, before])
            differs = _differs(rows, before)
        else:
            differs = _differs(rows.slice(1), before)
            differs = pa.chunked_array([pa.array([True]), *differs.chunks])
        last = rows.slice(rows.num_rows - 1)
        yield rows if _all(differs) else rows.filter(differs)


def _differs(rows: Any, before: Any) -> Any:
    """Return a flag for each row: whether it differs from the row before it."""
    import pyarrow.compute as pc

    differs = None
    for values, values_before in zip(rows.columns, before.columns, strict=True):
        changed = pc.fill_null(pc.not_equal(values, values_before), False)
        changed = pc.or_(changed, pc.xor(pc.is_null(values), pc.is_null(values_before)))
        differs = changed if differs is None else pc.or_(differs, changed)
    return differs


def _all(flags: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(flags, min_count=0).as_py())


def _chunks(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield the same rows in tables of exactly CHUNK rows; the last may have fewer."""
    import pyarrow as pa

    waiting, count = [], 0
    for table in tables:
        waiting.append(table)
        count += table.num_rows
        while count >= CHUNK:
            joined = pa.concat_tables(waiting)
            yield joined.slice(0, CHUNK)
            waiting, count = [joined.slice(CHUNK)], count - CHUNK
    if count:
        yield pa.concat_tables(waiting)


def _digest(rows: Any) -> bytes:
    """SHA-256 of a chunk's bytes, laid out as `Engine.digests` specifies."""
    import numpy as np
    import pyarrow as pa

    digest = hashlib.sha256(rows.num_rows.to_bytes(8))
    for column in rows.columns:
        array = pa.concat_arrays(column.chunks)
        digest.update(array.is_null().to_numpy(zero_copy_only=False).tobytes())
        if pa.types.is_integer(array.type):
            digest.update(array.fill_null(0).to_numpy().astype(">i8").tobytes())
            continue
        array = array.fill_null(b"")
        _, offsets, data = array.buffers()
        ends = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
        digest.update(np.diff(ends).astype(">u8").tobytes())
        if data is not None:
            digest.update(memoryview(data)[ends[0] : ends[-1]])
    return digest.digest()


def digests_of_few(rows: Iterable[Sequence[str | float | None]]) -> list[Chunk]:
    """The same from rows of Python's values, without loading pyarrow, which takes longer."""
    parts = [tuple(map(_as_bytes, row)) for row in rows]
    unique = [row for row, _ in groupby(parts)]
    starts = range(0, len(unique), CHUNK)
    return [_digest_of_few(unique[start : start + CHUNK]) for start in starts]


def _as_bytes(value: str | float | None) -> tuple[bool, bytes | None]:
    """Whether a value is a number, and its bytes; None for a null, whose kind does not matter."""
    if value is None:
        return False, None
    if isinstance(value, str):
        return False, value.encode()
    return True, struct.pack(">d", value if value == value else math.nan)


def _digest_of_few(rows: Sequence[Sequence[tuple[bool, bytes | None]]]) -> Chunk:
    digest = hashlib.sha256(len(rows).to_bytes(8))
    for column in zip(*rows, strict=True):
        digest.update(bytes(value is None for _, value in column))
        values = [value or b"" for _, value in column]
        if any(is_number for is_number, _ in column):  # nulls alone: 8 zeros each, either way
            digest.update(b"".join(value or bytes(8) for value in values))
            continue
        digest.update(b"".join(len(value).to_bytes(8) for value in values))
        digest.update(b"".join(values))
    return len(rows), digest.digest()
