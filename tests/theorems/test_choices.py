"""Choices: every field has a rule, and every row of what cannot go together is reached."""

from dataclasses import fields

import pytest

from matchbound import Choices, InputError
from matchbound.theorems.choices import CONFLICTS
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.rules import RULES

PAPER = {"theorem": "paper"}
THRESHOLD = {"choose_threshold": {"precision": 0.9}}
PROVED = {"limit_by_sample": True}
MATCHED = {"every_node_matched": True}
PAIRS = {"metrics": ("pairwise-recall",)}
BY_LINKS = {"metrics": ("pairwise-precision",), "weigh": "pairwise-precision"}

TOGETHER = [
    ({"candidates": (0.5,)}, "candidates and allowance must be left out where no threshold"),
    ({**THRESHOLD, "allowance": 0.2}, "choose_threshold and its allowance must be above 0"),
    ({"rounds": 2}, "rounds must be a number up to 20 and options different whole numbers"),
    ({"metrics": ("paperless",), **PAPER}, "metric must have the theorem paper for these choices"),
    ({"bound": "hypergeometric"}, "bound must not be hypergeometric for recall without one-to-one"),
    ({**PAPER, "gap": 9, "bound": "star"}, "bound must not be star for the paper's theorem with a"),
    ({**PAPER, "gap": 9}, "at_most_one_match must be promised for the paper's theorem"),
    ({**PAPER, "future": True}, "theorem must be sharp with anytime, until, among or future"),
    ({**THRESHOLD, "gap": 9}, "choose_threshold must come with the sharp theorem, a census"),
    ({**THRESHOLD, "bands": (0.5,)}, "choose_threshold must not come with bands or several"),
    ({**THRESHOLD, "metrics": ("recall",)}, "metric must include precision to choose a threshold"),
    ({"bound": "anytime", "gap": 9}, "anytime must not come with gap, future, until or among"),
    ({"until": {"recall": 9}, "future": True}, "until must not come with among or future"),
    ({"among": True}, "among must come with a kind of precision alone and a census"),
    ({"one_to_one": True, "most_true_matches": 2}, "most_true_matches, among_records_with_at_most"),
    ({**PROVED, "most_true_matches": 2}, "limit_by_sample must be left out where a limit is given"),
    (
        {**PAIRS, **PROVED, "bound": "anytime"},
        "most_true_matches must be given for pairwise recall and F1 at any time",
    ),
    ({**PAIRS, "brought": True}, "pairwise-recall must come with a draw of a fixed number of"),
    ({**PAIRS, "bound": "star"}, "bound must be auto for pairwise-recall, got 'star'"),
    ({**BY_LINKS, "bound": "anytime"}, "weigh must come with the sharp theorem, a census and"),
    ({**BY_LINKS, "bands": (0.5,)}, "weigh must come with one matcher without bands"),
    ({"weigh": "pairwise-f1"}, "most_true_matches or among_records_with_at_most must be given to"),
    ({"weigh": "pairwise-precision"}, "weigh by pairwise-precision must come with kinds of"),
    ({**MATCHED, "metrics": ("precision",)}, "every_node_matched must come with recall, got prec"),
    ({**MATCHED, "until": {"recall": 9}}, "until recall must be left out with every_node_matched"),
    ({**MATCHED, "matched": 0.9}, "matched must be 1 or left out with every_node_matched, got 0.9"),
    ({"until": {"precision": 9}, "gap": 9}, "until precision must come with one holdout matcher"),
    ({"rounds": 1, "options": (2,), "gap": 9}, "rounds must come with the sharp theorem, a census"),
    (
        {"among": True, "metrics": ("precision",), "algorithms": ("a", "b")},
        "among must come with one holdout matcher, got several algorithms",
    ),
    ({"future": True, "bound": "serfling"}, "bound must be auto, hoeffding or star for future"),
    ({"brought": True, "bound": "star"}, "anytime, until, among, gap and the bounds star and"),
    ({"brought": True, **PAPER, "bound": "serfling"}, "bound must be auto for the paper's theorem"),
]


@pytest.fixture
def paperless(monkeypatch):
    row = METRICS["recall"]
    theorems = {"sharp": row.theorems["sharp"]}
    monkeypatch.setitem(METRICS, "paperless", type(row)(**{**vars(row), "theorems": theorems}))


def test_every_field_has_a_rule():
    assert set(RULES) == {field.name for field in fields(Choices)}


def test_every_row_is_tried():
    assert len(TOGETHER) == len(CONFLICTS)


@pytest.mark.parametrize("place", range(len(TOGETHER)))
def test_what_cannot_be_had_together(paperless, place):
    """Its own row refuses it, none before it."""
    given, message = TOGETHER[place]
    with pytest.raises(InputError) as error:
        Choices(**given)
    assert str(error.value).startswith(message)
    allowed = object.__new__(Choices)
    for name, rule in RULES.items():
        object.__setattr__(allowed, name, rule(given.get(name, getattr(Choices(), name))))
    broken = [i for i, (is_broken, _) in enumerate(CONFLICTS) if is_broken(allowed)]
    assert broken[0] == place
