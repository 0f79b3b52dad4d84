"""The synthetic job files are what agent and store write, and the truth behind them is the truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from jsonschema import Draft202012Validator

from igen.judge.record.histogram import lower_edge_ns
from igen.judge.record.recording import recording_from_events
from igen.judge.trust.machine_checks import fault
from igen.store.job_file import read_job_file
from tests.pipeline import histograms
from tests.pipeline.curve_study import write_curve
from tests.pipeline.judged import claims_difference
from tests.pipeline.systems import OTHER, Blocks, ClosedQueue, ClosedTarget, OpenQueue, Target
from tests.pipeline.transactions import Floats, Phases, Transactions

ROOT = Path(__file__).parents[2]
LONG = Phases(measure_s=100.0, interval_s=1.0)


def within(run: Transactions, phases: Phases) -> Floats:
    """Response times in s of what ended in MEASURE."""
    counts = (run.end_s >= 0) & (run.end_s < phases.measure_s)
    times: Floats = (run.end_s - run.start_s)[counts]
    return times


def test_lines_are_as_the_schema_says(tmp_path: Path) -> None:
    run = write_curve(tmp_path / "run", levels=2, runs=1)
    schema = json.loads((ROOT / "schema" / "event.schema.json").read_text())
    validator = Draft202012Validator(schema)
    for path in run.job_paths():
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        first, *events, last = lines
        assert (first.keys(), last.keys()) == ({"job_start"}, {"job_end"})
        for number, event in enumerate(events):
            validator.validate(event | {"seq": number})


def test_a_job_file_is_read_as_it_was_meant(tmp_path: Path) -> None:
    run = write_curve(tmp_path / "run", levels=2, runs=1)
    job_file = read_job_file(run.job_paths()[1])
    assert job_file.warnings == []
    recording = recording_from_events(job_file.events)
    assert not any(fault(recording))
    assert (recording.users, recording.interval_s, len(recording.measure)) == (2, 1.0, 10)
    for snapshot in recording.snapshots:
        done = snapshot.transactions
        assert done.count == done.service_time.count
        assert [each.count for each in snapshot.operations.values()] == [done.count] * 3


def test_payloads_are_those_of_the_reference() -> None:
    random = np.random.default_rng(3)
    values = np.concatenate(
        ([0, 1, 127, 128, 2**41], random.lognormal(13, 2, 3000).astype(np.int64), np.full(40_000, 777))
    )
    intervals = random.integers(0, 4, len(values))
    intervals[intervals == 2] = 3
    counts, first = histograms.counted(values, intervals, 5)
    for interval, text in enumerate(histograms.encoded(counts, first)):
        mine = values[intervals == interval]
        if not len(mine):
            assert text == ""
            continue
        reference = HdrHistogram(1, 2**42 - 1, 2)
        buckets, often = np.unique(histograms.buckets_of(mine), return_counts=True)
        for value, count in zip(lower_edge_ns(buckets).tolist(), often.tolist(), strict=True):
            reference.record_value(value, count)
        read = HdrHistogram.decode(text)
        assert read.get_total_count() == len(mine)
        for share in (1, 50, 90, 99, 100):
            assert read.get_value_at_percentile(share) == reference.get_value_at_percentile(share)


@pytest.mark.parametrize(
    "target",
    [
        ClosedTarget(run_noise=0.0, phases=LONG),
        ClosedTarget(users=(8,), capacity=5.0, run_noise=0.0, factor=1.1, phases=LONG),
        OpenQueue(rates_per_s=(350.0,), factor=0.9, phases=LONG),
        ClosedQueue(think_s=0.0515, phases=LONG),
    ],
)
def test_the_truth_is_what_a_long_run_comes_to(target: Target) -> None:
    random = np.random.default_rng(4)
    (runs,) = target.executions(random, OTHER, 5, Blocks(np.zeros(5), np.ones((1, 5), bool)))
    times = np.concatenate([within(run, target.phases) for run in runs])
    truth = target.truth(OTHER, 0)
    assert len(times) / (5 * LONG.measure_s) == pytest.approx(truth.throughput_per_s, rel=0.01)
    assert 1e3 * times.mean() == pytest.approx(truth.mean_ms, rel=0.03)
    assert 1e3 * np.quantile(times, 0.99) == pytest.approx(truth.p99_ms, rel=0.06)


@pytest.mark.parametrize(
    ("line", "claims"),
    [
        ("beta is 1.2 % faster than alpha at 4 users (97 % interval 0.4 to 2.2 %).", True),
        ("beta is 3.20 × as fast as alpha at 4 users (97 % interval 2.91 to 3.52 ×).", True),
        (
            "beta and alpha cannot be told apart at 4 users (97 % interval 1.0 % slower to 2.2 % faster).",
            False,
        ),
        ("beta measured 1.2 % faster than alpha, but not side by side (…): `igen ab` decides.", False),
        ("beta and alpha are equivalent within ±3 % at 4 users (90 % interval 0.4 to 2.2 %).", False),
        ("The peak of beta is higher: 1.1 × (1.05 to 1.15) that of alpha.", True),
        ("The most of beta at the loads tried is lower: 0.9 × (0.85 to 0.95) that of alpha.", True),
        ("The most of both at the loads tried cannot be told apart: 1 × (0.98 to 1.02).", False),
        ("beta holds the offered rate at 40/s, alpha does not.", True),
        ("    4  beta    998.8  1.013  1.004 to 1.022           4.00  faster", True),
        ("At 4 users, beta cannot be told from alpha: throughput 1.012 × (0.99 to 1.03).", False),
        ("beta and alpha are equivalent within ±3 % at 1 of 1 load: 1.001 × (0.99 to 1.01).", False),
        ("beta is equivalent at 1 load; the p99 of beta is longer than that of alpha.", True),
    ],
)
def test_a_claim_is_known_by_its_words(line: str, claims: bool) -> None:
    assert claims_difference(line) == claims
