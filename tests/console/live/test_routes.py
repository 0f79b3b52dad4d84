"""What browsers ask for, over HTTP: only those who were let in, and only what there is."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from igen.store.active import ActiveRun
from igen.store.run import Run
from igen.store.store import Store
from tests.console.live.growing import INTERVALS, grow, job_bytes, new_run
from tests.console.live.serving import PATIENCE_S, Serving


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = new_run(tmp_path)
    grow(run, 1, job_bytes(1))
    with ActiveRun(tmp_path, run.id):
        yield run


@pytest.fixture
def serving(tmp_path: Path, run: Run) -> Iterator[Serving]:
    with Serving(Store(tmp_path)) as serving:
        yield serving


def ask(serving: Serving, path: str, **headers: str) -> HTTPResponse:
    cookie = f"{serving.cookie['name']}={serving.cookie['value']}"
    request = urllib.request.Request(serving.url(path), headers={"Cookie": cookie, **headers})
    answer: HTTPResponse = urllib.request.urlopen(request, timeout=PATIENCE_S)
    return answer


def told(serving: Serving, path: str) -> dict[str, Any]:
    with ask(serving, path) as answer:
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.headers["Cache-Control"] == "no-store"
        found: dict[str, Any] = json.load(answer)
    return found


def test_series_and_what_is_new_behind_it(serving: Serving, run: Run) -> None:
    series = told(serving, f"/runs/{run.id}/series?points=4")
    assert len(series["points"]["per_s"]) <= 4
    assert sum(series["points"]["count"]) == 100 * INTERVALS
    grow(run, 2, job_bytes(2))
    new: list[dict[str, Any]] = []
    since = series["next"]
    while len(new) < INTERVALS:
        answer = told(serving, f"/runs/{run.id}/digest?since={since}")
        since, new = answer["next"], new + answer["digests"]
    assert [each["start_s"] for each in new] == [30.5 + second for second in range(INTERVALS)]


def test_a_stream_goes_on_behind_the_last_event_id(serving: Serving, run: Run) -> None:
    path = f"/runs/{run.id}/events"
    with ask(serving, path) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert stream.headers["X-Accel-Buffering"] == "no"
        assert "Access-Control-Allow-Origin" not in stream.headers
        ids = [_next_id(stream) for _ in range(INTERVALS)]
    with ask(serving, path, **{"Last-Event-ID": ids[-2]}) as stream:
        assert _next_id(stream) == ids[-1]
    with ask(serving, f"/events?runs={run.id}@{ids[-2]}") as stream:
        assert _next_id(stream) == f"{run.id}@{ids[-1]}"


def test_a_stream_ends_with_its_shared_link(serving: Serving, run: Run) -> None:
    link = serving.shared(run.id)
    with urllib.request.urlopen(f"{link}/events", timeout=PATIENCE_S) as stream:
        ids = [_next_id(stream) for _ in range(INTERVALS)]
        serving.put_clock_forward(7_200.0)
        grow(run, 2, job_bytes(2))
        for line in stream:
            assert not line.startswith(b"id: 0002:")
    assert ids[-1].startswith("0001:")
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(f"{link}/events", timeout=PATIENCE_S)


def test_an_open_stream_ends_with_the_console(serving: Serving, run: Run) -> None:
    with ask(serving, f"/runs/{run.id}/events") as stream:
        _next_id(stream)
        serving.end()
        assert b"event: " not in stream.read()
    serving.start()


@pytest.mark.parametrize(
    "path",
    [
        "/runs/nobody/series", "/runs/nobody/events", "/runs/nobody/live", "/events?runs=", "/events?runs=..",
        "/runs/{run}/series?points=0", "/runs/{run}/series?points=99999999999", "/runs/{run}/series?points=x",
        "/runs/{run}/digest?since=x", "/runs/{run}/events?after=0001",
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused(serving: Serving, run: Run, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(serving, path.format(run=run.id))
    assert refused.value.code == 400


@pytest.mark.parametrize("what", ["live", "events", "series", "digest"])
def test_only_those_who_were_let_in_see_anything(serving: Serving, run: Run, what: str) -> None:
    with urllib.request.urlopen(serving.url(f"/runs/{run.id}/{what}"), timeout=PATIENCE_S) as answer:
        assert "/login" in answer.url


def _next_id(stream: HTTPResponse) -> str:
    while line := stream.readline():
        if line.startswith(b"id: "):
            return line[4:].strip().decode()
    raise AssertionError("the stream has ended")
