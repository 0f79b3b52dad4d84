from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from bench import agent, pgbench, steady, sysbench_sql
from bench.steady import Client, Mark, Window


def marks(*values: tuple[float, float, float]) -> list[Mark]:
    return [Mark(at_s, cpu_s, rate_per_s) for at_s, cpu_s, rate_per_s in values]


def test_only_the_window_counts() -> None:
    reports = marks(
        (11.0, 5.0, 900.0),  # start-up was expensive
        (12.0, 5.5, 700.0),
        (13.0, 5.6, 1000.0),
        (14.5, 5.8, 2000.0),  # came late: three thousand transactions in a second and a half
        (15.5, 99.0, 1.0),
    )
    measured = steady.between(reports, Window(warmup_s=2, measure_s=2))
    assert measured.throughput_per_s == pytest.approx(4000 / 2.5)
    assert measured.cpu_us_per_transaction == pytest.approx(0.3 / 4000 * 1e6)


def test_the_report_after_the_window_may_be_missing() -> None:
    reports = marks((1.0, 0.1, 10.0), (2.0, 0.2, 10.0), (3.0, 0.3, 10.0))
    assert steady.between(reports, Window(1, 2)).throughput_per_s == pytest.approx(10)
    with pytest.raises(RuntimeError, match="3 reports are too few"):
        steady.between(reports, Window(1, 3))


def test_a_client_that_does_nothing_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="no transactions"):
        steady.between(marks((1.0, 0.1, 0.0), (2.0, 0.2, 0.0)), Window(1, 1))


def test_the_processor_time_is_that_of_all_threads_of_the_client() -> None:
    """It says its own before and after it waits; in between it is read from outside."""
    program = (
        "import threading, time\n"
        "def spin():\n"
        "    while time.thread_time() < 0.05: pass\n"
        "other = threading.Thread(target=spin)\n"
        "other.start(); other.join(); spin()\n"
        "print(time.process_time(), flush=True)\n"
        "input()\n"
        "print(time.process_time(), flush=True)\n"
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        before_s = float(process.stdout.readline())
        cpu_s = time.clock_gettime(steady.process_clock(process.pid))
        process.stdin.write("\n")
        process.stdin.close()
        after_s = float(process.stdout.readline())
    assert 0.1 <= before_s <= cpu_s <= after_s


def test_a_failing_client_tells_its_last_words() -> None:
    client = Client([sys.executable, "-c", "raise SystemExit('no such database')"], lambda line: None)
    with pytest.raises(RuntimeError, match="exit code 1: no such database"):
        steady.run(client, Window(1, 1))


def test_a_client_that_reports_an_error_is_ended() -> None:
    def refuse(line: str) -> float:
        raise RuntimeError(f"failed: {line}")

    program = "import time; print('all', flush=True); time.sleep(600)"
    with pytest.raises(RuntimeError, match="failed: all"):
        steady.run(Client([sys.executable, "-c", program], refuse), Window(1, 1))


@pytest.mark.parametrize(
    ("rate_per_s", "line", "expected"),
    [
        (pgbench.rate_per_s, "progress: 1.0 s, 6849.7 tps, lat 2.225 ms stddev 1.207, 0 failed\n", 6849.7),
        (pgbench.rate_per_s, "tps = 7000.1 (without initial connection time)\n", None),
        (sysbench_sql.rate_per_s, "[ 1s ] thds: 16 tps: 5414.04 qps: 43376.22 (r/w/o: 1/2/3)\n", 5414.04),
        (sysbench_sql.rate_per_s, "    transactions:        5918   (1182.84 per sec.)\n", None),
        (agent.rate_per_s, '{"fact":{"name":"cpu.model","value":"x"}}\n', None),
    ],
)
def test_reports_are_told_from_other_lines(
    rate_per_s: Callable[[str], float | None], line: str, expected: float | None
) -> None:
    assert rate_per_s(line) == expected


def snapshot(phase: str, count: int, failed: int) -> str:
    transactions = {"count": count, "failed": failed}
    described = {"phase": phase, "start_s": 2.0, "end_s": 2.5, "transactions": transactions, "failures": {}}
    return json.dumps({"snapshot": described}) + "\n"


def test_snapshots_under_load_are_reports() -> None:
    assert agent.rate_per_s(snapshot("measure", 500, 5)) == 1000
    assert agent.rate_per_s(snapshot("warmup", 500, 0)) == 1000
    assert agent.rate_per_s(snapshot("drain", 500, 0)) is None
    with pytest.raises(RuntimeError, match="6 transactions failed"):
        agent.rate_per_s(snapshot("measure", 500, 6))
