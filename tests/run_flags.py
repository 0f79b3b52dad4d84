"""What the words after `igen run` mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from igen.ask.asked import QUESTIONS, Asked
from igen.ask.study import study_of_asked
from igen.cli.run import run as run_command
from igen.study.study import Study
from igen.workbench.run_defaults import with_run_defaults


def run_asked(words: Sequence[str]) -> tuple[str, Asked]:
    """The workload and the answers."""
    context = run_command.make_context("run", [*words])
    params = context.params
    return params["workload"], Asked(**{name: params[name] for name in QUESTIONS})


def run_study(words: Sequence[str], defaults: Mapping[str, Any] | None = None) -> Study:
    """The study, with the defaults of a workload."""
    workload, asked = run_asked(words)
    return study_of_asked(workload, with_run_defaults(asked, defaults))
