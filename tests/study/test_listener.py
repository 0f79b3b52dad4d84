"""What a listener answers to a measurement that may be extended, and how often it decodes its events."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock, patch
from weakref import ref

import numpy as np

from igen.judge.record import recording
from igen.study.listener import EXTENSIONS, MOST_KEPT, JobListener
from igen.study.observer import Observer
from tests.judge.synthetic import encoded, histogram


def snapshot(second: int, per_s: int) -> dict[str, Any]:
    times = encoded(histogram(np.full(per_s, 1_000_000 + second)))
    done = {"count": per_s, "failed": 0, "service_time": times}
    return {
        "snapshot": {
            "phase": "measure",
            "start_s": float(second),
            "end_s": second + 1.0,
            "users": 1,
            "transactions": done,
            "operations": {},
            "counters": {},
            "failures": {},
        }
    }


def listener_of(measure_s: float) -> JobListener:
    job = {"workload": "model", "load": {"closed": {"users": 1}}, "seed": 1}
    job["phases"] = {"measure_s": measure_s, "interval_s": 1.0, "extendable": True}
    start = {"run": "r", "name": "n", "system": "s", "title": "", "level": 0, "repeat": 0}
    writer = Mock(start=start | {"purpose": "sweep", "job": job, "started_unix_s": 0.0})
    return JobListener(writer, job, Mock(**{"others.return_value": 0}), Observer(), lambda text: None)


def test_each_event_is_decoded_once_however_often_the_measurement_is_extended() -> None:
    listener = listener_of(20.0)
    decoded: list[Any] = []

    def decode_all(payloads: list[Any]) -> Any:
        decoded.extend(payloads)
        return real(payloads)

    real, answers, second = recording.decode_all, [], 0
    with patch.object(recording, "decode_all", decode_all):
        for length in (20, 10, 10, 10):
            for _ in range(length):
                listener.event(snapshot(second, 100 if second < 12 else 80))
                second += 1
            answers.append(listener.event({"measured": {"at_s": float(second)}}))
    assert answers == [{"extend": {"measure_s": 10.0}}] * EXTENSIONS + ["finish"]
    assert len(decoded) == len(set(decoded)) == 40, "the last look is not taken: it would change nothing"


class Told(dict[str, Any]):
    """An event that can be referred to weakly."""


def test_a_long_measurement_is_judged_without_keeping_its_events() -> None:
    listener, first, told = listener_of(3000.0), snapshot(0, 100)["snapshot"], []
    for second in range(3000):
        event = Told(snapshot=first | {"start_s": float(second), "end_s": second + 1.0})
        told.append(ref(event))
        listener.event(event)
    del event
    assert sum(each() is not None for each in told) < MOST_KEPT
    assert listener.event({"measured": {"at_s": 3000.0}}) == "finish"
