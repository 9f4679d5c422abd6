"""The published schemas, and a watch that checks all that is made against them."""

import json
from functools import cache
from pathlib import Path

from jsonschema_rs import Draft202012Validator

import matchbound
from matchbound.audits.ledger import Ledger, Transaction
from matchbound.audits.written import Written
from matchbound.certificates.certificate import Certificate

NAMES = ("certificate", "draw", "ledger")


@cache
def schema(name):
    path = Path(matchbound.__file__).parent / "schemas" / f"{name}.json"
    return json.loads(path.read_text("utf-8"))


@cache
def validator(name):
    return Draft202012Validator(schema(name))


def problems(name, content):
    """What in a file's content, or in an entry of the ledger, is not as the schema has it."""
    if validator(name).is_valid(content):
        return []
    errors = validator(name).iter_errors(content)
    return [f"{name}, at {error.instance_path}: {error.message}" for error in errors]


def watch(tell):
    """From now on, tell what is wrong with a certificate, a draw.json or an entry that is made."""
    record, as_dict, add = Certificate.record.fget, Written.as_dict, Transaction.add

    def checked(name, content):
        for problem in problems(name, content):
            tell(problem)

    def checked_record(certificate):
        made = record(certificate)
        checked("certificate", made.content)
        return made

    def checked_dict(written):
        made = as_dict(written)
        checked("draw", made)
        return made

    def checked_add(transaction, kind, **facts):
        is_version1 = Ledger(tuple(transaction.entries)).is_version1
        entry = add(transaction, kind, **facts)
        if not is_version1:  # whose entries are of another form
            *_, line = transaction.waiting[transaction.path].splitlines()
            checked("ledger", json.loads(line))
        return entry

    Certificate.record = property(checked_record)
    Written.as_dict = checked_dict
    Transaction.add = checked_add
