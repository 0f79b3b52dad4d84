"""Reasons of failed transactions, taken apart: workloads of several steps begin them with the step."""

from __future__ import annotations

import re

_STEP = re.compile(r"(?P<step>(?:search|bind|modify)(?: \d+)?): (?P<why>.+)")


def step_and_why(reason: str) -> tuple[str, str]:
    """`search 3: no such object (32)` in two; an empty step where none is told."""
    match = _STEP.fullmatch(reason)
    return (match["step"], match["why"]) if match else ("", reason)
