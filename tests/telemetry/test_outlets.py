"""Runs that tell what they are at: from the agent's events to a collector and a scrape."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from igen.errors import InputError
from igen.telemetry.endpoint import Endpoint
from igen.telemetry.otlp import Sender

RUN = "run model --users 2 --repeats 1 --duration 1s --warmup 0.2s --json --quiet --set service_time=2ms"
MODEL = [*RUN.split(), "servers=2"]
PATIENCE_S = 60.0


@pytest.fixture
def collector() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Its URL, and the requests that it got."""
    got: list[dict[str, Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            got.append({"path": self.path, "body": body})
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    server.server_close()


def igen(*arguments: str, store: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "igen.cli", *arguments, "--store", str(store)],
        check=False, capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip


def test_a_collector_gets_what_the_run_measured(
    collector: tuple[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    url, got = collector
    done = igen(*MODEL, "--otlp", url, store=tmp_path)
    assert done.returncode == 0, done.stderr
    (level,) = json.loads(done.stdout)["systems"][0]["levels"]
    assert {each["path"] for each in got} == {"/v1/metrics"}
    metrics = {
        metric["name"]: metric
        for metric in got[-1]["body"]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]
    }
    measured = {
        attribute["value"]["stringValue"]: point["asDouble"]
        for point in metrics["igen_transactions"]["sum"]["dataPoints"]
        for attribute in point["attributes"]
        if attribute["key"] == "phase"
    }
    assert measured["measure"] == level["transactions"]
    (executed,) = metrics["igen_executions"]["sum"]["dataPoints"]
    assert executed["asDouble"] == 1


def test_a_run_goes_on_without_its_collector(tmp_path: Path) -> None:
    done = igen(
        *[each for each in MODEL if each != "--quiet"], "--otlp", "http://127.0.0.1:1", store=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("no metrics reach http://127.0.0.1:1/v1/metrics: ") == 1
    assert json.loads(done.stdout)["systems"]


def scraped(url: str) -> dict[str, float]:
    """The sum of the values of each metric."""
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        return {family.name: sum(sample.value for sample in family.samples) for family in families}


def test_a_run_can_be_scraped_while_it_goes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "igen.cli", "run", "model", "--users", "2", "--duration", "1h"]
    with subprocess.Popen(
        [*command, "--openmetrics", "0", "--store", str(tmp_path)], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            told = (line for line in process.stderr if line.startswith("metrics at "))
            url = next(told).split()[-1]
            deadline_s = time.monotonic() + PATIENCE_S
            while not scraped(url).get("igen_transactions"):
                assert time.monotonic() < deadline_s
                time.sleep(0.1)
            assert scraped(url)["igen_users"] == 2
        finally:
            process.terminate()


def test_where_the_endpoint_cannot_listen_is_told() -> None:
    with Endpoint("127.0.0.1", 0, list) as first:
        port = int(first.url.split(":")[-1].split("/")[0])
        with urllib.request.urlopen(first.url, timeout=PATIENCE_S) as answer:
            assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
            assert list(text_string_to_metric_families(answer.read().decode())) == []
        with pytest.raises(urllib.error.HTTPError, match="the metrics are at /metrics"):
            urllib.request.urlopen(first.url.replace("/metrics", "/"), timeout=PATIENCE_S)
        with pytest.raises(InputError, match=f"cannot listen at 127.0.0.1:{port}: address already in use"):
            Endpoint("127.0.0.1", port, list)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--openmetrics", "here", "is not an address to listen on"),
        ("--openmetrics", "127.0.0.1:99999", "is not an address to listen on"),
        ("--otlp", "collector:4318", "is not the URL of a collector"),
        ("--otlp", "http://user:secret@collector:4318", "the URL contains a password"),
    ],
)
def test_what_cannot_be_told_to_is_refused(option: str, value: str, said: str, tmp_path: Path) -> None:
    done = igen(*MODEL, option, value, store=tmp_path)
    assert done.returncode == 2
    assert f"{option}: " in done.stderr
    assert said in done.stderr
    assert "secret" not in done.stderr


def test_a_sender_tells_the_last_state_when_it_is_closed(
    collector: tuple[str, list[dict[str, Any]]],
) -> None:
    url, got = collector
    warned: list[str] = []
    with Sender(url, list, warned.append):
        pass
    assert len(got) == 1
    assert warned == []
