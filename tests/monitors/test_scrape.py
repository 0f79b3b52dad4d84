"""A scrape is bounded in time and size, whatever answers."""

from __future__ import annotations

from socket import socket
from ssl import SSLSocket
from threading import Event
from types import SimpleNamespace

import pytest

from igen.monitors import scrape as scraping
from igen.monitors.machines import Machine
from igen.monitors.said import NotRead, Said, Trouble
from igen.monitors.scrape import read_by_scraping, scrape
from tests.monitors.exporters import Answer, dripping, dripping_handshake, endless, exporter, says
from tests.own_ports import own_ports


def test_an_answer_is_taken() -> None:
    with exporter(says("node_forks_total 5\n")) as url:
        assert scrape(url) == "node_forks_total 5\n"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (endless(b"node_forks_total 1\n" * 1000), "a scrape had more than 0.5 MiB"),
        (endless(b"node_forks_total" * 4096), "a scrape had more than 0.5 MiB"),
        (endless(b"\n" * 65536), "a scrape had more than 200,000 lines"),
        (
            lambda held, _over: held.sendall(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000),
            "it is no web server: LineTooLong",
        ),
        (dripping, "a scrape took longer than 0.5 s"),
        (says("", "404 Not Found"), "it answered 404"),
        (says("", "302 Found\r\nLocation: http://127.0.0.1:1/"), "it answered 302"),
        (lambda held, _over: held.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), "it is no web server: BadStatusLine"),
        (
            lambda held, _over: held.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"),
            "its answer was cut",
        ),
        (says("node_forks_total 1"), "its answer was cut off"),
        (says("5\r\nnode_", "200 OK\r\nTransfer-Encoding: chunked"), "its answer was cut off"),
    ],
)
def test_what_is_no_answer_is_told(answer: Answer, why: str) -> None:
    with exporter(answer) as url, pytest.raises(NotRead) as caught:
        # The endless one says half a MiB long before its time is over, also on a busy machine.
        scrape(url, within_s=0.5 if answer is dripping else 60, most_bytes=1 << 19)
    assert str(caught.value).startswith(why)


@pytest.fixture
def bounds(monkeypatch: pytest.MonkeyPatch) -> list[tuple[socket, float]]:
    """What was bounded by a deadline, and the time that was left for it."""
    found: list[tuple[socket, float]] = []

    class Seen(scraping._Deadline):
        def __init__(self, held: socket, within_s: float) -> None:
            found.append((held, within_s))
            super().__init__(held, within_s)

    monkeypatch.setattr(scraping, "_Deadline", Seen)
    return found


def test_the_handshake_of_tls_is_within_the_same_time(bounds: list[tuple[socket, float]]) -> None:
    with exporter(dripping_handshake) as url, pytest.raises(NotRead, match=r"took longer than 0\.5 s"):
        scrape(url.replace("http:", "https:"), within_s=0.5)
    ((held, within_s),) = bounds
    assert isinstance(held, SSLSocket)
    assert within_s <= 0.5


def test_what_connecting_took_is_not_there_for_the_answer(
    bounds: list[tuple[socket, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = iter([100.0, 117.0])
    monkeypatch.setattr(scraping, "time", SimpleNamespace(monotonic=lambda: next(now_s)))
    with exporter(says("node_forks_total 5\n")) as url:
        scrape(url, within_s=60.0)
    assert [within_s for _, within_s in bounds] == [43.0]


def test_nobody_there_is_told() -> None:
    with pytest.raises(NotRead, match="refused"):
        scrape(f"http://127.0.0.1:{own_ports()}/metrics")


def test_an_exporter_that_does_not_answer_is_told_as_other_machines_are() -> None:
    machine = Machine(host=f"http://127.0.0.1:{own_ports()}/metrics", name="db1", interval_s=0.1)
    said: list[Said] = []
    stop = Event()

    def say(each: Said) -> None:
        said.append(each)
        stop.set()

    read_by_scraping(machine, say, stop)
    (trouble,) = said
    assert isinstance(trouble, Trouble)
    assert trouble.text == "cannot be read: Connection refused"
