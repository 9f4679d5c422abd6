"""The draw that a plan leads to."""

from matchbound.plans.question import Question
from matchbound.theorems import Choices


def draw_command(question: Question, labels: int) -> str:
    """Every choice that is not the default, numbers in full: read back, they are the same."""
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
