"""Answers as the command line that asks the same."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from igen.ask import kinds
from igen.ask.asked import Asked, Group


def command_of(workload: str, asked: Asked) -> str:
    """Return the `igen run` that means these answers, to be pasted into a shell."""
    return shlex.join(["igen", "run", workload, *_options(asked)])


def ab_command(workload: str, asked: Asked, a: str, b: str) -> str:
    """Return the `igen ab` of these answers whose sides have the settings `a` and `b`."""
    of_load = [*_options(asked, "load")]
    sides = [word for option, text in (("--a", a), ("--b", b)) if text for word in (option, text)]
    return shlex.join(["igen", "ab", workload, *of_load, *sides])


def _options(asked: Asked, group: Group | None = None) -> Iterator[str]:
    """Yield the options of all questions, or of the questions of a group."""
    for _, question, value in asked.given():
        if group not in (None, question.group):
            continue
        if question.kind is kinds.YES:
            yield question.option
        elif question.kind is kinds.YES_OR_NO:
            yield question.option if value else question.option.replace("--", "--no-", 1)
        else:
            for text in question.kind.write(value):
                yield from (question.option, text)
