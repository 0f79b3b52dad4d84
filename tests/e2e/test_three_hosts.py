"""Three hosts, one with igen and two that load: what the server was asked for is held against the run.

Agents are carried over the network between namespaces by a stand-in for a cluster, which is cheap; where Ray
is installed, it carries them too.
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
    [
        "normal",
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ("agent_killed", "cut_off_and_healed", "carrier_killed", "igen_killed")
        ),
    ],
)
def test_what_was_sent_is_what_was_counted(scenario: str, tmp_path: Path) -> None:
    play(scenario, tmp_path)


@pytest.mark.usefixtures("namespaces")
@pytest.mark.parametrize("scenario", ["cut_off_and_healed", "carrier_killed", "igen_killed"])
def test_it_is_so_where_ray_carries_the_agents(scenario: str, tmp_path: Path) -> None:
    """Up to 20 s of processor time each: the daemon of a node dies, a node is cut off, igen is killed."""
    pytest.importorskip("ray", reason="Ray is not installed: the extra `cluster` brings it")
    play(scenario, tmp_path, "ray")


def play(scenario: str, folder: Path, *carrier: str) -> None:
    """Fails with what a scenario says."""
    program = (sys.executable, "-m", "tests.fleet.three_hosts_scenarios", scenario, folder, *carrier)
    done = subprocess.run(
        [*IN_OWN_NAMESPACES, *program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
