"""The command that draws what a plan planned."""

from matchbound.plans.question import Question
from matchbound.theorems import Choices

VALUES = (
    "delta",
    "theorem",
    "bound",
    "gap",
    "most_true_matches",
    "among_records_with_at_most",
)
PROMISES = ("one_to_one", "at_most_one_match")


def draw_command(question: Question, labels: int) -> str:
    """The `matchbound draw` command with all choices that are not defaults.

    Numbers have all their digits, so that the draw reads the same values.
    """
    choices, default = question.choices, Choices()
    words = ["matchbound draw POPULATION", f"--labels {labels}"]
    if question.train:
        words.append(f"--train {question.train}")
    if question.dedupe:
        words.append("--dedupe")
    if choices.metrics != default.metrics:
        words += [f"--metric {metric}" for metric in choices.metrics]
    for name in VALUES:
        if getattr(choices, name) != getattr(default, name):
            words.append(f"{_option(name)} {getattr(choices, name)}")
    words += [_option(name) for name in PROMISES if getattr(choices, name)]
    words += [f"--guess {metric}={value!r}" for metric, value in choices.guesses.items()]
    return " ".join([*words, f"--matched {choices.matched!r}", "--out AUDIT"])


def _option(choice: str) -> str:
    return f"--{choice.replace('_', '-')}"
