"""Table scans from the load to the published table, on the engines in process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Done, about, aspect, events

Igen = Callable[[str], Done]
SHORT = "--duration 0.3s --warmup 0.1s --repeats 1"
ROWS = 1_000_000 // 112


@pytest.fixture(params=["duckdb", "sqlite"])
def target(request: pytest.FixtureRequest, store: Path, with_duckdb: Callable[[], None]) -> str:
    """A database of 1 MB a table that is not there yet."""
    if request.param == "duckdb":
        with_duckdb()
    return f"--target {request.param}:///{store.parent}/scan.db --set size_bytes=1MB"


def test_a_scan_is_loaded_measured_and_shown_as_published(igen: Igen, store: Path, target: str) -> None:
    done = igen(f"run scan {target} --set table=hundred --set predicate=complex {SHORT} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    (level,) = system["levels"]
    scan = aspect(level, "scan")
    assert level["errors"] == 0
    assert level["counters"]["records"]["per_transaction"] == about(ROWS, level)
    for name in scan.keys() - {"kind"}:
        estimate = scan[name]
        assert estimate["value"] > 0, name
        assert estimate["n"] == 1, name
    # The same quantities by different ways; between two scans of one user a busy machine takes its time, and
    # the first scan may have begun before it was measured, and taken the longest.
    times = level["response_time_ms"]
    most = 1.1 * ROWS * (1 + times["max"] / times["mean"] / level["transactions"])
    assert 0 < scan["records_per_s"]["value"] * scan["time_s"]["value"] <= most
    cpu_fraction = scan["cpu_s"]["value"] / scan["time_s"]["value"]
    assert scan["cpu_percent"]["value"] == pytest.approx(
        100 * cpu_fraction, rel=0.05 + 1 / level["transactions"]
    )
    assert scan["bytes_per_s"]["value"] == pytest.approx(112 * scan["records_per_s"]["value"])
    assert level["rates"]["records_per_ms"]["value"] == pytest.approx(scan["records_per_s"]["value"] / 1e3)
    facts = system["facts"]
    assert facts["scan.cache"] == "warm"
    assert facts["scan.load_rows_per_s"] > 0

    shown = igen("show last --all").out.splitlines()
    (title, row) = [line.split() for line in shown if "hundred" in line or "scan s" in line]
    assert title[:2] == ["query", "table"]
    assert row[:2] == ["complex", "hundred"]
    for name in ("r.md", "r.html"):
        assert igen(f"show last -o {name}").code == 0
        assert "cpu µs/rec" in Path(name).read_text()
    assert igen(f"data cleanup scan {target}").code == 0
    assert not (store.parent / "scan.db").exists()


@pytest.mark.parametrize("target", ["sqlite", pytest.param("duckdb", marks=pytest.mark.slow)], indirect=True)
def test_a_cold_scan_says_what_was_dropped(igen: Igen, store: Path, target: str) -> None:
    # Each scan takes the cache away from all others on the machine.
    flags = f"{SHORT} --think-time 500ms --duration 5s --json"
    done = igen(f"run scan {target} --set table=page predicate=payload cold=true {flags}")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    operations = system["levels"][0]["operations"]
    cold = system["facts"]["scan.cache"] == "cold"
    assert cold or "stays in memory" in system["facts"]["scan.cache_reason"]
    assert (operations["drop_caches"]["count"] > 0) == cold
    assert igen(f"run scan {target} --set cold=true --users 2 {SHORT}").code == 2


def test_a_database_that_another_process_uses_is_left_alone(
    igen: Igen, store: Path, with_duckdb: Callable[[], None]
) -> None:
    with_duckdb()
    duckdb = pytest.importorskip("duckdb")
    target = f"--target duckdb:///{store.parent}/scan.db --set size_bytes=100kB"
    duckdb.connect("scan.db").close()
    refused = igen(f"run scan {target} {SHORT}")
    assert refused.code != 0
    assert "was not changed" in refused.err
    assert igen(f"data cleanup scan {target}").code != 0
    Path("scan.db").unlink()
    assert igen(f"data prepare scan {target}").code == 0
    program = (
        "import duckdb, sys; held = duckdb.connect('scan.db'); print('open', flush=True); sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", program], **pipes) as other:
        assert other.stdout.readline() == b"open\n"
        busy = igen(f"run scan {target} {SHORT}")
    assert busy.code != 0
    assert "in use by another process" in busy.err


def test_without_the_library_the_error_says_how_to_get_it(
    igen: Igen, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IGEN_DUCKDB", str(store / "absent.so"))
    done = igen(f"run scan {SHORT}")
    assert done.code == 2
    assert "igen install duckdb" in done.err
    assert not events(store, "snapshot")
