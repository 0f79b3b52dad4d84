from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from igen.console import analyst
from tests.console.site import Site, site


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Site]:
    """A console for those who may do everything."""
    made = site(tmp_path / "runs")
    yield made
    made.close()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions that the process for analysis was asked to call, in order."""
    asked: list[Any] = []
    really = analyst.Analyst.ask

    async def ask(self: analyst.Analyst, work: Any, *arguments: Any, **how: Any) -> Any:
        asked.append(work)
        return await really(self, work, *arguments, **how)

    monkeypatch.setattr(analyst.Analyst, "ask", ask)
    return asked


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """A named pipe, and the end from which it is read."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield str(path), end
    os.close(end)
