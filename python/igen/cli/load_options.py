"""The options for load, target and load machines: questions of `igen.ask`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from igen.ask.asked import QUESTIONS, Group
from igen.cli import parameters as p


def asked_options(*groups: Group) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the options of these groups to a command; values come as `**flags`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name, question in reversed(QUESTIONS.items()):
            if question.group in groups:
                command = p.question_option(name)(command)
        return command

    return add
