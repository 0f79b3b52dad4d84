"""What the words after `igen run` mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from igen.cli.run import run as run_command

_OUTPUT = ("store", "report", "junit", "as_json", "quiet", "strict", "resume", "openmetrics", "otlp")
"""What says nothing of the study."""


def run_flags(words: Sequence[str]) -> dict[str, Any]:
    """The flags of the study."""
    context = run_command.make_context("run", [*words])
    return {name: value for name, value in context.params.items() if name not in _OUTPUT}
