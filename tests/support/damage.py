"""Damage to the files of an audit: of any kind, and such that their digests fit again."""

import csv
import hashlib
import io
import json
import os
from copy import copy

import pyarrow as pa
import pyarrow.parquet as pq

from matchbound.certificates.record import leaves
from matchbound.files import digest_of_json, digest_of_text

DEEP = json.loads("[" * 200 + "]" * 200)
ODD = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    10**30,
    0.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
]
ODD += ["NaN", "0", "\ud800", "\x00", "a" * 5000, "../../x", [], {}, [None], {"": {}}, DEEP]
CELLS = [
    "",
    "NA",
    "0",
    "-1",
    "1e5",
    "nan",
    '"',
    "x",
    "y",
    "id",
    "a1",
    "b1",
    "a1 ",
    " ",
    "\x00",
    "\ufeff",
]
CELLS += ["ü" * 300, "a\nb", "a\rb", "a,b", "a;b", "=1+1", "9" * 400, "true", "\u202e", "null"]


def damage(rng, path):
    """Damage a file in a way that fits its kind, or in any way."""
    if rng.random() < 0.25:
        return _any(rng, path)
    kind = path.suffix
    if kind == ".jsonl":  # its lines are entries, openings or paths
        return _ledger(rng, path)
    if kind == ".json":
        return _json(rng, path)
    if kind == ".parquet":
        return _parquet(rng, path)
    return _csv(rng, path)


def _any(rng, path):
    """Damage that is blind to what the file is."""
    data = bytearray(path.read_bytes())
    how = rng.choice(["flip", "cut", "insert", "empty", "zeros", "folder", "gone", "loop", "half"])
    if how in ("folder", "gone", "loop"):
        path.unlink()
        if how == "folder":
            path.mkdir()
        elif how == "loop":
            path.symlink_to(path.name)
        return how
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(data) + 1)
        if how == "flip":
            data[place : place + 1] = rng.randbytes(1)
        elif how == "insert":
            data[place:place] = rng.randbytes(rng.randint(1, 30))
        elif how == "cut":
            del data[place : place + rng.randint(1, 60)]
    changed = {"empty": b"", "zeros": data + bytes(rng.choice([1, 100, 5000]))}
    changed["half"] = data[: len(data) // 2]
    path.write_bytes(changed.get(how, data))
    return how


def odd_file(rng, path):
    """Put what is no regular file in place of one."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return "fifo"


def _csv(rng, path):
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    for _ in range(rng.randint(1, 3)):
        _damage_rows(rng, rows)
    text = io.StringIO()
    ends = {
        "delimiter": rng.choice(",,,,;\t|"),
        "lineterminator": rng.choice(["\n"] * 4 + ["\r\n", "\r"]),
    }
    csv.writer(text, quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), **ends).writerows(rows)
    coding = rng.choice(["utf-8"] * 5 + ["utf-16", "latin-1", "utf-8-sig"])
    path.write_bytes(text.getvalue().encode(coding, "replace"))
    return "rows"


def _damage_rows(rng, rows):
    if not rows:
        return
    place = rng.randrange(len(rows)) if rng.random() < 0.8 else 0
    row = rows[place]
    how = rng.choice(["cell", "cell", "drop", "double", "longer", "shorter", "move", "column"])
    if how == "cell" and row:
        row[rng.randrange(len(row))] = rng.choice(CELLS)
    elif how == "drop":
        del rows[place]
    elif how == "double":
        rows.insert(place, list(row))
    elif how == "longer":
        row.append(rng.choice(CELLS))
    elif how == "shorter" and row:
        row.pop()
    elif how == "move":
        rows.insert(rng.randrange(len(rows)), rows.pop(place))
    elif how == "column":
        for number, one in enumerate(rows):
            one.append(rng.choice(["score", "x", "y", "id", "cluster"]) if not number else "1")


def _parquet(rng, path):
    table = pq.read_table(path)
    name = rng.choice(table.column_names)
    rows = table.num_rows
    columns = {
        "numbers": pa.array(range(rows)),
        "fractions": pa.array([i / 7 for i in range(rows)]),
        "none": pa.nulls(rows, pa.string()),
        "lists": pa.array([["a"]] * rows),
        "structs": pa.array([{"a": 1}] * rows),
        "bytes": pa.array([b"\xff\x00"] * rows),
        "moments": pa.array([0] * rows, pa.timestamp("ns")),
        "words": table.column(name).dictionary_encode(),
    }
    how = rng.choice([*columns, "drop", "rename", "empty", "twice"])
    if how in columns:
        table = table.set_column(table.column_names.index(name), name, columns[how])
    elif how == "drop":
        table = table.drop_columns([name])
    elif how == "rename":
        table = table.rename_columns([rng.choice(CELLS) for _ in table.column_names])
    elif how == "empty":
        table = table.slice(0, 0)
    else:
        table = pa.concat_tables([table, table])
    pq.write_table(table, path)
    return how


def _json(rng, path):
    record = json.loads(path.read_text("utf-8"))
    for _ in range(rng.randint(1, 2)):
        _damage_value(rng, record)
    if isinstance(record, dict) and rng.random() < 0.75:
        record = resealed(record)
    _write(path, json.dumps(record, indent=2))
    return "json"


def _damage_value(rng, value, depth=0):
    """Change, drop or add one value somewhere inside."""
    if not isinstance(value, dict | list) or not value:
        return
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = rng.choice(keys)
    inner = value[key]
    how = rng.random()
    if isinstance(inner, dict | list) and inner and depth < 6 and rng.random() < 0.75:
        _damage_value(rng, inner, depth + 1)
    elif how < 0.65:
        value[key] = rng.choice(ODD)
    elif how < 0.75:
        value[key] = _near(rng, inner)
    elif how < 0.9:
        del value[key]
    elif isinstance(value, dict):
        value[rng.choice(["x", "", "digest", "kind"])] = rng.choice(ODD)
    else:
        value.insert(key, rng.choice(ODD))


def _near(rng, value):
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{value}x"
    return value + rng.choice([-1, 1, 0.5])


def resealed(record):
    """The record of a draw or of a certificate, with digests that fit."""
    body = {name: value for name, value in record.items() if name not in ("digest", "digests")}
    try:
        if "digests" in record:
            body["digests"] = {place: digest_of_json(leaf)[:16] for place, leaf in leaves(body)}
            return body | {"digest": digest_of_json(body)}
        return body | {"digest": digest_of_text(json.dumps(body, sort_keys=True))}
    except (TypeError, ValueError, RecursionError):
        return record


def _ledger(rng, path):
    lines = path.read_bytes().split(b"\n")[:-1]  # a last line may be torn
    entries = [json.loads(line) for line in lines]
    for _ in range(rng.randint(1, 2)):
        if not entries:
            break
        place, how = rng.randrange(len(entries)), rng.random()
        if how < 0.7 and isinstance(entries[place], str):
            entries[place] = rng.choice(ODD)
        elif how < 0.7:
            _damage_value(rng, entries[place])
        elif how < 0.8:
            del entries[place]
        elif how < 0.9:
            entries.insert(rng.randrange(len(entries)), copy(entries[place]))
        else:
            entries.insert(rng.randrange(len(entries)), entries.pop(place))
    if path.name == "ledger.jsonl" and rng.random() < 0.8:
        entries = chained(entries)
    _write(path, "".join(f"{json.dumps(entry)}\n" for entry in entries))
    return "ledger"


def chained(entries):
    """Entries with numbers and digests made anew."""
    before, made = "", []
    for number, entry in enumerate(entries, start=1):
        body = {name: value for name, value in entry.items() if name != "digest"}
        body |= {"entry": number, "before": before}
        before = digest_of_text(json.dumps(body, sort_keys=True, ensure_ascii=False))
        made.append(body | {"digest": before})
    return made


def _write(path, text):
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def carry(audit, before, after):
    """Let draw, ledger and certificate name a file's new digest, as a forger would.

    `before` and `after` are the file's bytes.
    """
    renamed = {_digest(before): _digest(after)}
    for name in ("draw.json", "ledger.jsonl", "certificate.json"):
        try:
            _rename(audit / name, renamed)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # it is too damaged


def _digest(data):
    """The digest that a record has of its own, or else that of its bytes."""
    try:
        return str(json.loads(data)["digest"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return hashlib.sha256(data).hexdigest()


def _rename(path, renamed):
    """Put new digests in place of old ones, make the file's own anew, and add them to `renamed`."""
    text = path.read_text("utf-8")
    for old, new in renamed.items():
        text = text.replace(old, new)
    if path.suffix == ".json":
        record = resealed(json.loads(text))
        renamed[json.loads(text)["digest"]] = record["digest"]
        _write(path, json.dumps(record, indent=2))
    else:
        entries = [json.loads(line) for line in text.splitlines()]
        made = chained(entries)
        renamed |= {old["digest"]: new["digest"] for old, new in zip(entries, made, strict=True)}
        _write(path, "".join(f"{json.dumps(entry)}\n" for entry in made))
