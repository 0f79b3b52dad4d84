from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from igen import __version__
from tests.needed import missing

# A pause of the machine is no defect, and what is found once is found again.
settings.register_profile(
    "any machine", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

# Where the tests are started by nohup, the programs that they start would ignore a closed terminal too.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

GARBAGE_AFTER = 20_000
"""New objects until the collector of garbage looks; else 700."""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program that stands in for the agent where faults are injected."""
    program = tmp_path / "stand-in"
    script = Path(__file__).with_name("fleet") / "stand_in.py"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("IGEN_STAND_IN_VERSION", __version__)
    return program


@pytest.fixture
def with_duckdb() -> Callable[[], None]:
    """Skips the test where the library of DuckDB is not there: `make test` fetches it, given a network."""

    def require() -> None:
        from igen.fetch import duckdb

        if not duckdb.is_there():
            missing("no library of DuckDB: `igen install duckdb` gets it")

    return require


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuses to run where pytest-xdist takes the tests of a group apart: each worker would start servers.

    What is imported and collected stays to the end, and is looked through for garbage no more: that took an
    eighth of the workers' processor time.
    """
    if session.config.getoption("loadgroup", default=False):
        apart = [item for item in session.items if item.get_closest_marker("xdist_group")]
        if any("@" not in item.nodeid for item in apart):
            pytest.exit("pytest-xdist does not group tests with this pytest: install pytest<9.2", 4)
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)
