from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import io
from bench.comparison import Comparison
from bench.costs import Costs
from bench.fio import Fio, Ios, Reports
from bench.outcome import Outcome
from bench.steady import Client, Steady, Window

IOS = Ios(Path("/data/f"), 4096, 512, "io_uring", 64, threads=2, direct=True)


def document(total_ios: int, runtime_ms: int, error: int = 0) -> list[str]:
    # Three of ten write; what one kind has done in its time is not all.
    kinds = {"read": total_ios * 7 // 10, "write": total_ios * 3 // 10}
    job = {"error": error} | {
        kind: {"total_ios": ios, "runtime": runtime_ms if ios else 0} for kind, ios in kinds.items()
    }
    return json.dumps({"fio version": "fio-3.33", "jobs": [job]}, indent=2).splitlines(keepends=True)


def test_each_document_tells_what_was_read_since_the_last() -> None:
    reports = Reports()
    lines = ["fio: a warning\n", *document(900, 900), "\n", *document(2900, 1900), *document(2900, 1900)]
    rates = [rate for line in lines if (rate := reports.ios_per_s(line)) is not None]
    assert rates == [pytest.approx(1000), pytest.approx(2000)]


def test_an_error_of_fio_is_told() -> None:
    reports = Reports()
    *lines, last = document(0, 10, error=5)
    assert [reports.ios_per_s(line) for line in lines] == [None] * len(lines)
    with pytest.raises(RuntimeError, match="error 5: Input/output error"):
        reports.ios_per_s(last)


def test_fio_reads_and_writes_what_igen_does() -> None:
    client = Fio(("/opt/fio",), "fio-3.42").client(IOS, Window(1, 2), ["--fixedbufs"])
    assert client.command[0] == "/opt/fio"
    expected = {"--filename=/data/f", "--bs=512", "--iodepth=64", "--direct=1", "--numjobs=2", "--runtime=4"}
    assert expected <= set(client.command)
    assert {"--norandommap", "--invalidate=0", "--readonly"} <= set(client.command)
    assert client.command[-1] == "--fixedbufs"
    mixed = Fio(("/opt/fio",), "fio-3.42").client(replace(IOS, read_percent=70), Window(1, 2))
    assert {"--rw=randrw", "--rwmixread=70"} <= set(mixed.command)
    assert "--readonly" not in mixed.command


def test_tuning_keeps_the_statistics() -> None:
    assert "--iodepth_batch_submit=16" in IOS.tuning
    assert not any("gtod_reduce" in option or "disable" in option for option in IOS.tuning)


def test_goals_are_about_geometric_means() -> None:
    outcome = Outcome("io", ())
    ratios = io.Ratios()
    for times in (1.0, 4.0):
        throughput = Comparison({"iGen": [100.0 * times], "fio": [100.0]})
        cpu_us = Comparison({"iGen": [1.0], "fio": [times]})
        ratios.add(Costs(cpu_us, throughput), "fio")
    ratios.add_goals(outcome, "cached_fio", io.PLAIN_GOALS)
    iops, cpu = outcome.goals["cached_fio_iops_ratio"], outcome.goals["cached_fio_cpu_ratio"]
    assert (iops.value, iops.met) == (pytest.approx(2.0), True)
    assert (cpu.value, cpu.met) == (pytest.approx(0.5), True)


def test_both_sides_have_the_same_processors_from_the_page_cache_too(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(client: Client, window: Window) -> Steady:
        commands.append(client.command)
        return Steady(1.0, 1.0)

    monkeypatch.setattr(io.steady, "run", run)
    monkeypatch.setattr(io, "_resident_bytes", lambda file: IOS.size_bytes)
    monkeypatch.setattr(io.os, "sched_getaffinity", lambda pid: {7, 3, 5})
    for direct in (True, False):
        for client in (Client(["iGen"], lambda line: None), Client(["fio"], lambda line: None)):
            io._run(client, replace(IOS, file=Path("/dev/null"), direct=direct), Window(1, 2))
    assert commands == [["taskset", "--cpu-list", "3,5", name] for name in ("iGen", "fio")] * 2


def test_one_io_at_a_time_has_another_goal_than_several() -> None:
    assert io.goals_of(shallow=True) == {"iops": ">= 1.0", "cpu": "<= 1.0"}
    assert io.goals_of(shallow=False) == {"iops": ">= 1.0", "cpu": "<= 0.8"}
    jobs = {(depth, threads, read) for depth, threads, read in io.DIRECT_JOBS}
    assert {(16, 1, 70), (8, 2, 100)} <= jobs
