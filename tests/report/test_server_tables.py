from __future__ import annotations

from dataclasses import replace

import pytest

from igen.aspects.server.parts import Server, WaitShare
from igen.aspects.server.tables import MOST_WAITS, server_table, waits_table
from igen.judge.result import Figure, Result
from igen.layout.number import ABSENT
from report import sample
from report.shown import html


def wait(kind: str, event: str, share: float, relation: str = "") -> WaitShare:
    return WaitShare(
        kind=kind,
        event=event,
        relation=relation,
        told_by="lock" if relation else "",
        samples=round(400 * share),
        share=Figure(value=share, low=share - 0.05, high=share + 0.05),
    )


WAITS = [
    wait("log flush", "LWLock.WALWrite", 0.5),
    wait("lock", "Lock.tuple", 0.25, "table <orders>"),
    *(wait("running", f"state.{number}", 0.05) for number in range(5)),
]
SERVER = Server(
    engine="postgresql",
    servers=1,
    commits_per_s=1234.5,
    rollbacks_per_s=0.0,
    cache_hit_percent=99.5,
    checkpoints=2,
    deadlocks=0,
    lock_waits_per_s=None,
    cpu_percent=40.0,
    cpu_us_per_transaction=650.0,
    read_bytes_per_s=0.0,
    active_sessions=3.0,
    moments=100,
    session_samples=400,
    kinds=WAITS[:2],
    waits=WAITS,
    others=[],
    sees_others=None,
    commits_of_others_percent=None,
)


@pytest.fixture(scope="module")
def result() -> Result:
    plain = sample.one_system()
    (system,) = plain.systems
    first, *others = system.levels
    levels = [replace(first, aspects=[SERVER]), *others]
    return replace(plain, systems=[replace(system, levels=levels)])


def test_a_line_for_each_level_with_a_server(result: Result) -> None:
    cells = {column.full_title: list(column.cells) for column in server_table(result).columns}
    assert cells["users"] == ["1"]
    assert cells["most of the time"] == ["log flush 50 %"]
    assert cells["per s commits"] == ["1,234"]
    assert "per s lock waits" not in cells, "nothing to show"


def test_no_table_without_a_server() -> None:
    assert server_table(sample.one_system()).columns == []
    assert waits_table(sample.one_system().systems[0].levels[0]).columns == []


def test_the_largest_parts_with_bars(result: Result) -> None:
    table = waits_table(result.systems[0].levels[0])
    assert all(len(column.cells) == MOST_WAITS for column in table.columns)
    first, second, *_ = table.rows()
    assert first == (
        "50.0 %",
        "█" * 12,
        "45 to 55 %",
        "log flush",
        "LWLock.WALWrite",
        ABSENT,
        ABSENT,
        "200",
    )
    assert second[1] == "█" * 6
    assert second[5:7] == ("table <orders>", "lock")
    assert "400 samples" in table.notes[0]


def test_the_page_shows_both(result: Result) -> None:
    page = html(result)
    assert "<h3>Server</h3>" in page
    assert "table &lt;orders&gt;" in page
