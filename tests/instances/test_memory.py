"""How much memory is left: what the agent reports, which knows the limits of control groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.errors import IgenError
from igen.instances.memory import available_bytes


def test_the_agent_of_this_machine_reports_it() -> None:
    assert available_bytes() > 0


@pytest.mark.parametrize(
    ("script", "expected_bytes"),
    [
        ("""echo '{"fact": {"name": "environment.available_memory_bytes", "value": 7000}}'""", 7000),
        ("""echo '{"fact": {"name": "memory.total_bytes", "value": 7000}}'""", None),
        ("echo no facts", None),
        ("exit 1", None),
    ],
)
def test_an_answer_that_does_not_have_it_is_an_error(
    script: str, expected_bytes: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = tmp_path / "agent"
    agent.write_text(f"#!/bin/sh\n{script}\n")
    agent.chmod(0o755)
    monkeypatch.setenv("IGEN_AGENT", str(agent))
    if expected_bytes is None:
        with pytest.raises(IgenError):
            available_bytes()
    else:
        assert available_bytes() == expected_bytes
