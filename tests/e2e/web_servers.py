"""Web servers of a test's own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import web
from tests.own_ports import own_ports
from tests.web import Web

Start = Callable[..., Web]


@pytest.fixture
def nginx() -> Iterator[Start]:
    """Starts an nginx of the test's own."""
    web.need()
    started: list[Web] = []
    with tempfile.TemporaryDirectory(prefix="igen-web-", dir="/var/tmp") as folder:

        def start(**settings: Any) -> Web:
            own = Path(folder) / str(len(started))
            own.mkdir()
            started.append(Web(own, own_ports(), **settings))
            started[-1].start()
            return started[-1]

        Path(folder).chmod(0o755)
        try:
            yield start
        finally:
            for each in started:
                each.stop()
