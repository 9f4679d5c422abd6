"""A table written in every form of file that is read; each function returns its path."""

import gzip
import json
import shutil
import sqlite3

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from support.audits import write_csv


def compressed(path, name):
    shell = {".gz": gzip.compress, ".zst": lambda data: pa.compress(data, "zstd", asbytes=True)}
    out = path.with_name(name)
    out.write_bytes(shell[out.suffix](path.read_bytes()))
    path.unlink()
    return out


def as_csv(folder, name, header, rows):
    return write_csv(folder / f"{name}.csv", header, rows)


def as_csv_gz(folder, name, header, rows):
    return compressed(as_csv(folder, name, header, rows), f"{name}.csv.gz")


def as_csv_zst(folder, name, header, rows):
    return compressed(as_csv(folder, name, header, rows), f"{name}.csv.zst")


def as_jsonl(folder, name, header, rows):
    lines = [json.dumps(dict(zip(header, row, strict=True))) for row in rows]
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def as_ndjson(folder, name, header, rows):
    return as_jsonl(folder, name, header, rows).rename(folder / f"{name}.ndjson")


def as_jsonl_gz(folder, name, header, rows):
    return compressed(as_jsonl(folder, name, header, rows), f"{name}.jsonl.gz")


def in_parts(folder, name, rows):
    """A folder as Spark leaves it, and the rows of each of its files."""
    place = folder / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for mark in ("_SUCCESS", "._SUCCESS.crc", ".part-0.crc"):
        (place / mark).write_bytes(b"crc")
    return place, [(f"part-0000{i}-1f7c.c000", rows[i::3]) for i in range(3)]


def table_of(header, rows):
    return pa.table(dict(zip(header, map(list, zip(*rows, strict=True)), strict=True)))


def as_parquet_folder(folder, name, header, rows):
    place, parts = in_parts(folder, name, rows)
    for part, some in parts:
        pq.write_table(table_of(header, some), place / f"{part}.snappy.parquet")
    return place


def as_csv_folder(folder, name, header, rows):
    place, parts = in_parts(folder, name, rows)
    for part, some in parts:
        write_csv(place / f"{part}.csv", header, some)
    return place


def as_parquet_pattern(folder, name, header, rows):
    return as_parquet_folder(folder, name, header, rows) / "*.parquet"


def as_csv_pattern(folder, name, header, rows):
    return as_csv_folder(folder, name, header, rows) / "part-*"


def in_duckdb(folder, name, header, rows):
    path = folder / "all.duckdb"
    with duckdb.connect(str(path)) as con:
        con.register("given", table_of(header, rows))
        con.execute("create schema if not exists s").fetchall()
        con.execute(f"create or replace table s.{name} as from given").fetchall()
    return f"{path}::s.{name}"


def in_sqlite(folder, name, header, rows):
    path = folder / "all.sqlite"
    with sqlite3.connect(path) as con:
        con.execute(f"drop table if exists {name}")
        con.execute(f"create table {name} ({', '.join(header)})")
        con.executemany(f"insert into {name} values ({', '.join('?' * len(header))})", rows)
    con.close()
    return f"{path}::{name}"


FORMS = [
    as_csv_gz,
    as_csv_zst,
    as_jsonl,
    as_ndjson,
    as_jsonl_gz,
    as_parquet_folder,
    as_csv_folder,
    as_parquet_pattern,
    as_csv_pattern,
    in_duckdb,
    in_sqlite,
]
