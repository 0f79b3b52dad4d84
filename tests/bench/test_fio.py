from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import io
from bench.comparison import Comparison
from bench.costs import Costs
from bench.fio import Fio, Reads, Reports
from bench.outcome import Outcome
from bench.steady import Window

READS = Reads(Path("/data/f"), 4096, 512, "io_uring", 64, threads=2, direct=True)


def document(total_ios: int, runtime_ms: int, error: int = 0) -> list[str]:
    job = {"error": error, "read": {"total_ios": total_ios, "runtime": runtime_ms}}
    return json.dumps({"fio version": "fio-3.33", "jobs": [job]}, indent=2).splitlines(keepends=True)


def test_each_document_tells_what_was_read_since_the_last() -> None:
    reports = Reports()
    lines = ["fio: a warning\n", *document(900, 900), "\n", *document(2900, 1900), *document(2900, 1900)]
    rates = [rate for line in lines if (rate := reports.reads_per_s(line)) is not None]
    assert rates == [pytest.approx(1000), pytest.approx(2000)]


def test_an_error_of_fio_is_told() -> None:
    reports = Reports()
    *lines, last = document(0, 10, error=5)
    assert [reports.reads_per_s(line) for line in lines] == [None] * len(lines)
    with pytest.raises(RuntimeError, match="error 5: Input/output error"):
        reports.reads_per_s(last)


def test_fio_reads_what_igen_reads() -> None:
    client = Fio(("/opt/fio",), "fio-3.42").client(READS, Window(1, 2), ["--fixedbufs"])
    assert client.command[0] == "/opt/fio"
    expected = {"--filename=/data/f", "--bs=512", "--iodepth=64", "--direct=1", "--numjobs=2", "--runtime=4"}
    assert expected <= set(client.command)
    assert {"--norandommap", "--invalidate=0", "--readonly"} <= set(client.command)
    assert client.command[-1] == "--fixedbufs"


def test_tuning_keeps_the_statistics() -> None:
    assert "--iodepth_batch_submit=16" in READS.tuning
    assert not any("gtod_reduce" in option or "disable" in option for option in READS.tuning)


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
