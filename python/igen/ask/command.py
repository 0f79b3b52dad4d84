"""Answers as the command line that asks the same."""

from __future__ import annotations

import shlex

from igen.ask import kinds
from igen.ask.asked import Asked


def command_of(workload: str, asked: Asked) -> str:
    """Return the `igen run` that means these answers, to be pasted into a shell."""
    words = ["igen", "run", workload]
    for _, question, value in asked.given():
        if question.kind is kinds.YES:
            words.append(question.option)
        elif question.kind is kinds.YES_OR_NO:
            words.append(question.option if value else question.option.replace("--", "--no-", 1))
        else:
            for text in question.kind.write(value):
                words += [question.option, text]
    return shlex.join(words)
