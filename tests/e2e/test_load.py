"""Load models with known answers, from the command line to the document."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import PATIENCE_S, UNWATCHED, Done, document_of

pytestmark = pytest.mark.xdist_group("load")
"""One worker starts the long lines, once."""
Igen = Callable[[str], Done]
Level = dict[str, Any]

LINES = {
    "stall": "run model --rate 100 --users 1 --arrivals poisson --set service_time=5ms --set stall_time=1s"
    " --set stall_every=10s --duration 10s --repeats 1",
    # So long that who was kept waiting by a busy machine catches up with the timetable.
    "paced": "run model --users 4 --pace 10/s --set servers=4 --set service=deterministic"
    " --set service_time=5ms --duration 10s --warmup 0s --repeats 1",
    # So long that it does not matter how late a busy machine wakes who has thought.
    "thinking": "run model --users 4 --think-time 450ms --set servers=4 --set service=deterministic"
    " --set service_time=50ms --duration 10s --warmup 0s --repeats 1",
}


@pytest.fixture(scope="module", autouse=True)
def running(
    tmp_path_factory: pytest.TempPathFactory, launch: Callable[..., subprocess.Popen[str]]
) -> dict[str, subprocess.Popen[str]]:
    """All lines at once: their users only wait."""
    return {
        name: launch(f"{line} --json --quiet --store {tmp_path_factory.mktemp(name)}")
        for name, line in LINES.items()
    }


@pytest.fixture(scope="module")
def levels(running: dict[str, subprocess.Popen[str]]) -> dict[str, Level]:
    """The one level of each line."""
    found = {}
    for name, process in running.items():
        out, err = process.communicate(timeout=PATIENCE_S)
        # A pause of the machine makes a level invalid.
        assert process.returncode in (0, 1), err
        ((found[name],),) = (system["levels"] for system in document_of(out)["systems"])
    return found


# 14 s: tests/study/test_order.py asks for the same executions, tests/judge/test_sweep.py finds peaks.
@pytest.mark.slow
def test_the_search_finds_the_peak_and_confirms_it(igen: Igen) -> None:
    # Two servers, and a think time of the service's length: 4 users keep both busy, fewer do not.
    Path("peak.toml").write_text(
        f"""
        plan = {{ mode = "peak" }}
        [job]
        {UNWATCHED}
        workload = "model"
        params = {{ servers = 2, service = "deterministic", service_time = "20ms" }}
        load = {{ closed = {{ think_time_s = "20ms" }} }}
        phases = {{ measure_s = "0.4s", warmup_s = 0 }}
        [axes]
        "load.closed.users" = [1, 4]
        """
    )
    done = igen("study run peak.toml --json --quiet")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    assert (system["peak"]["users"], system["peak"]["confirmed"]) == (4, True)
    purposes = {repeat["purpose"] for level in system["levels"] for repeat in level["repeats"]}
    assert purposes == {"search", "choose", "confirm"}


def test_a_stall_is_seen_in_the_response_time_and_not_in_the_service_time(levels: dict[str, Level]) -> None:
    level = levels["stall"]
    assert level["load"] == {"open": {"rate_per_s": 100.0, "arrivals": "poisson", "users": 1}}
    assert level["response_time_ms"]["p99"] > 500
    assert level["service_time_ms"]["p99"] < level["response_time_ms"]["p99"] / 2


def test_paced_users_keep_to_their_timetable(levels: dict[str, Level]) -> None:
    level = levels["paced"]
    assert level["offered_per_s"] == 40
    assert level["throughput_per_s"]["value"] == pytest.approx(40, rel=0.15)
    assert 5 <= level["service_time_ms"]["p50"] < 50, "it does not wait for the timetable in its service"


def test_users_that_think_obey_littles_law(levels: dict[str, Level]) -> None:
    level = levels["thinking"]
    rate = level["throughput_per_s"]["value"]
    assert level["offered_per_s"] is None
    # Each user begins with a transaction, not with a thought: one more than thoughts fit into 10 s.
    assert rate <= 4 / 0.5 * 1.1
    assert rate * (level["response_time_ms"]["mean"] / 1e3 + 0.45) == pytest.approx(4, rel=0.2)
