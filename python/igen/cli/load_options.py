"""The options that say which load is driven, against what and from where: questions of `igen.ask`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from igen.ask.asked import QUESTIONS, Group
from igen.cli import parameters as p


def asked_options(*groups: Group) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what adds the options of these groups to a command, which takes their values as `**flags`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name, question in reversed(QUESTIONS.items()):
            if question.group in groups:
                command = p.question_option(name)(command)
        return command

    return add
