"""Metrics for a collector of OpenTelemetry: OTLP over HTTP, version 1.10 of the protocol, in JSON."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any, Self

from igen.telemetry.families import UPPER_BOUNDS_S, Family, Labels, Point, Times
from igen.version import VERSION

_EVERY_S = 5.0
_PATIENCE_S = 3.0
_CUMULATIVE = 2


def request_of(families: Sequence[Family], start_ns: int, now_ns: int) -> dict[str, Any]:
    """An `ExportMetricsServiceRequest`; times in ns since 1970."""
    metrics = [_metric(family, start_ns, now_ns) for family in families if family.points]
    resource = {"attributes": _attributes((("service.name", "igen"), ("service.version", VERSION)))}
    scope = {"name": "igen", "version": VERSION}
    return {
        "resourceMetrics": [{"resource": resource, "scopeMetrics": [{"scope": scope, "metrics": metrics}]}]
    }


def _metric(family: Family, start_ns: int, now_ns: int) -> dict[str, Any]:
    points = [_point(point, start_ns, now_ns) for point in family.points]
    # Of a gauge whose unit is 1 Prometheus makes a ratio.
    described = {"name": family.name, "description": family.help, "unit": "s" if family.unit else ""}
    match family.kind:
        case "gauge":
            return {**described, "gauge": {"dataPoints": points}}
        case "counter":
            return {
                **described,
                "sum": {"dataPoints": points, "aggregationTemporality": _CUMULATIVE, "isMonotonic": True},
            }
        case "histogram":
            return {
                **described,
                "histogram": {"dataPoints": points, "aggregationTemporality": _CUMULATIVE},
            }


def _point(point: Point, start_ns: int, now_ns: int) -> dict[str, Any]:
    # Integers of 64 bits are strings in JSON.
    at = {"startTimeUnixNano": str(start_ns), "timeUnixNano": str(now_ns)}
    described = {"attributes": _attributes(point.labels), **at}
    if isinstance(point.value, Times):
        return {
            **described,
            "count": str(sum(point.value.counts)),
            "sum": point.value.sum_s,
            "bucketCounts": [str(count) for count in point.value.counts],
            "explicitBounds": list(UPPER_BOUNDS_S),
        }
    return {**described, "asDouble": point.value}


def _attributes(labels: Labels) -> list[dict[str, Any]]:
    return [{"key": name, "value": {"stringValue": value}} for name, value in labels]


class Sender:
    """Sends every five seconds, and once more when it is closed, from a thread of its own.

    A collector that is not there is told once; the run goes on.
    """

    def __init__(self, url: str, families: Callable[[], list[Family]], warn: Callable[[str], None]) -> None:
        """`url` is that of the collector (`http://collector:4318`); the path of metrics is added."""
        self.url = f"{url.rstrip('/')}/v1/metrics"
        self._families, self._warn = families, warn
        self._start_ns = time.time_ns()
        self._warned = False
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Sends the last state, behind one that is still being sent: each has three seconds."""
        self._closed.set()
        self._thread.join(2 * _PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while not self._closed.wait(_EVERY_S):
            self._send()
        self._send()

    def _send(self) -> None:
        body = json.dumps(request_of(self._families(), self._start_ns, time.time_ns())).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE_S):
                pass
        except (OSError, ValueError) as error:
            if not self._warned:
                reason = getattr(error, "reason", error)
                self._warn(f"no metrics reach {self.url}: {reason}")
            self._warned = True
