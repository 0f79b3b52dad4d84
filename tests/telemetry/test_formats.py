"""Metrics that are told while a run goes, read by the formats' own libraries."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from igen.store.run import Run
from igen.study.levels import PlannedLevel
from igen.study.order import Execution
from igen.study.plans import SweepPlan
from igen.study.study import Study
from igen.telemetry.families import UPPER_BOUNDS_S
from igen.telemetry.openmetrics import text_of
from igen.telemetry.otlp import request_of
from igen.telemetry.totals import Totals
from tests.judge.synthetic import encoded, histogram

BOARD = Path(__file__).parents[2] / "docs" / "grafana.json"
LEVEL = PlannedLevel(number=0, values={"load.closed.users": 4}, job={})
EXECUTION = Execution(level=LEVEL, repeat=0, purpose="sweep")
STUDY = Study(name='a "quoted" study', job={"workload": "oltp"}, plan=SweepPlan(1))


def snapshot(phase: str, values_ms: list[float], failed: int = 0) -> dict[str, Any]:
    times = encoded(histogram([round(1e6 * value) for value in values_ms]))
    transactions = {"count": len(values_ms), "failed": failed, "response_time": times}
    return {"snapshot": {"phase": phase, "users": 4, "transactions": transactions}}


@pytest.fixture
def totals() -> Totals:
    """Three transactions in WARMUP, five and a failure in MEASURE, which goes on."""
    totals = Totals()
    totals.run_started(Run(Path("run-1")), STUDY, [LEVEL])
    totals.job_started(EXECUTION)
    totals.event({"phase": {"phase": "warmup", "at_s": 0.0}})
    totals.event(snapshot("warmup", [1.5, 1.5, 1.5]))
    totals.event({"phase": {"phase": "measure", "at_s": 1.0}})
    totals.event(snapshot("measure", [0.15, 0.3]))
    totals.event(snapshot("measure", [3.0, 30.0, 90_000.0], failed=1))
    totals.event(snapshot("drain", [7.0]))
    return totals


def test_prometheus_reads_what_was_counted(totals: Totals) -> None:
    families = {family.name: family for family in text_string_to_metric_families(text_of(totals.families()))}
    of_level = {"run": "run-1", "study": 'a "quoted" study', "workload": "oltp", "level": LEVEL.label}
    counted = {each.labels["phase"]: each.value for each in families["igen_transactions"].samples}
    assert counted == {"warmup": 3, "measure": 5}
    (failed,) = (each for each in families["igen_failed_transactions"].samples if each.value)
    assert failed.labels == {**of_level, "phase": "measure"}
    measured = [
        each for each in families["igen_response_time_seconds"].samples if each.labels["phase"] == "measure"
    ]
    buckets = {each.labels["le"]: each.value for each in measured if each.name.endswith("_bucket")}
    assert [buckets[bound] for bound in ("0.0001", "0.0002", "0.0005", "0.005", "0.05", "50.0", "+Inf")] == [
        0, 1, 2, 3, 4, 4, 5,
    ]  # fmt: skip
    (total_s,) = (each.value for each in measured if each.name.endswith("_sum"))
    assert total_s == pytest.approx(90.03345)
    (phase,) = families["igen_phase"].samples
    assert phase.labels == {**of_level, "phase": "measure"}
    (users,) = families["igen_users"].samples
    assert (users.labels, users.value) == (of_level, 4)


def test_a_finished_execution_is_counted_by_its_verdict(totals: Totals) -> None:
    totals.job_finished(EXECUTION, None)
    families = {family.name: family for family in text_string_to_metric_families(text_of(totals.families()))}
    (executions,) = families["igen_executions"].samples
    assert (executions.labels["verdict"], executions.value) == ("nothing measured", 1)
    assert families["igen_phase"].samples == []
    assert families["igen_users"].samples[0].value == 0


def test_opentelemetry_reads_the_same(totals: Totals) -> None:
    request = ExportMetricsServiceRequest()
    ParseDict(json.loads(json.dumps(request_of(totals.families(), 1, 2))), request)
    (scope,) = request.resource_metrics[0].scope_metrics
    metrics = {metric.name: metric for metric in scope.metrics}
    counter = metrics["igen_transactions"].sum
    assert counter.is_monotonic
    assert sorted(point.as_double for point in counter.data_points) == [3, 5]
    assert metrics["igen_response_time_seconds"].unit == "s"
    histogram = max(metrics["igen_response_time_seconds"].histogram.data_points, key=lambda each: each.count)
    assert (histogram.count, histogram.sum) == (5, pytest.approx(90.03345))
    assert len(histogram.bucket_counts) == len(UPPER_BOUNDS_S) + 1
    assert (histogram.bucket_counts[-1], sum(histogram.bucket_counts)) == (1, 5)
    assert (histogram.start_time_unix_nano, histogram.time_unix_nano) == (1, 2)


def test_a_run_that_has_not_begun_has_nothing_to_tell() -> None:
    families = Totals().families()
    assert list(text_string_to_metric_families(text_of(families)))
    assert not any(family.points for family in families)


def test_the_board_asks_for_metrics_that_there_are(totals: Totals) -> None:
    totals.job_finished(EXECUTION, None)
    totals.job_started(EXECUTION)
    names = {
        sample.name
        for family in text_string_to_metric_families(text_of(totals.families()))
        for sample in family.samples
    }
    board = json.loads(BOARD.read_text())
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked = {name for expression in expressions for name in re.findall(r"igen_\w+", expression)}
    assert len(asked) == 6
    assert asked - names - {"igen_phase"} == set()


def test_each_of_several_loads_at_once_is_counted_by_itself(totals: Totals) -> None:
    both = snapshot("measure", [0.15, 0.3, 3.0])
    parts = {
        name: snapshot("measure", values)["snapshot"] for name, values in (("a", [0.15]), ("b", [0.3, 3]))
    }
    both["snapshot"]["personas"] = parts
    totals.event(both)
    families = {family.name: family for family in text_string_to_metric_families(text_of(totals.families()))}
    counted = {
        each.labels["persona"]: each.value
        for each in families["igen_transactions"].samples
        if "persona" in each.labels
    }
    assert counted == {"a": 1, "b": 2}
    assert [each.labels["persona"] for each in families["igen_users"].samples] == ["a", "b"]
