"""Three hosts, one with igen and two that load: what the server was asked for is held against the run.

Agents are carried over the network between namespaces by a stand-in for a cluster, because Ray would take
minutes of processor time; what igen decides is the same.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fleet.three_hosts import IN_OWN_NAMESPACES
from tests.needed import missing

pytestmark = pytest.mark.xdist_group("three hosts")
PATIENCE_S = 300.0


@pytest.fixture(scope="module")
def namespaces() -> None:
    """Skips the test where this user cannot make any."""
    done = subprocess.run([*IN_OWN_NAMESPACES, "ip", "link"], capture_output=True, text=True, check=False)
    if done.returncode:
        missing(f"no namespaces for this user: {done.stderr.strip()}")


@pytest.mark.usefixtures("namespaces")
@pytest.mark.parametrize(
    "scenario",
    ["normal", "agent_killed", "cut_off_and_healed", "carrier_killed", "igen_killed"],
)
def test_what_was_sent_is_what_was_counted(scenario: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*IN_OWN_NAMESPACES, sys.executable, "-m", "tests.fleet.three_hosts_scenarios", scenario, tmp_path],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
