"""The command that draws what a plan planned."""

from matchbound.plans.question import Question
from matchbound.theorems import Choices


def draw_command(question: Question, labels: int) -> str:
    """The `matchbound draw` command with all choices that are not defaults.

    Numbers have all their digits, so that the draw reads the same values.
    """
    choices, default = question.choices, Choices()
    words = ["matchbound draw POPULATION", f"--labels {labels}"]
    if question.train:
        words.append(f"--train {question.train}")
    if choices.metrics != default.metrics:
        words += [f"--metric {metric}" for metric in choices.metrics]
    for name in ("delta", "theorem", "bound", "gap"):
        if getattr(choices, name) != getattr(default, name):
            words.append(f"--{name} {getattr(choices, name)}")
    for name in ("one_to_one", "at_most_one_match"):
        if getattr(choices, name):
            words.append(f"--{name.replace('_', '-')}")
    words += [f"--guess {metric}={value!r}" for metric, value in choices.guesses.items()]
    return " ".join([*words, f"--matched {choices.matched!r}", "--out AUDIT"])
