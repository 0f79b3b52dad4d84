from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """The program that stands in for the agent where faults are injected."""
    program = tmp_path / "stand-in"
    script = Path(__file__).with_name("stand_in.py")
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" "$@"\n')
    program.chmod(0o755)
    return program
