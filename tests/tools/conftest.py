"""Tools as a user meets them: command line and real agent."""

from __future__ import annotations

import pytest
from tool_said import Said, Tool

from igen.cli import run_arguments


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str]) -> Tool:
    """Runs `igen tool` in this process."""

    def run(*words: str) -> Said:
        capsys.readouterr()
        code = run_arguments(["tool", *words])
        return Said(code, *capsys.readouterr())

    return run
