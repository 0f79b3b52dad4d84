from __future__ import annotations

import sys
from pathlib import Path

import pytest

from igen import __version__


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program that stands in for the agent where faults are injected."""
    program = tmp_path / "stand-in"
    script = Path(__file__).with_name("fleet") / "stand_in.py"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("STAND_IN_VERSION", __version__)
    return program
