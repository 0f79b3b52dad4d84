"""The state of a run without an end depends on the host on which it was begun."""

from __future__ import annotations

import socket
from pathlib import Path

import msgspec
import pytest

from igen.cli import run_arguments
from igen.console.live.run_state import state_of_run
from igen.store.run import Run, RunOutcome
from igen.store.state import state_of
from igen.store.store import Store

ELSEWHERE = "elsewhere"


def begun_at(host: str, store: Path) -> Run:
    """A run that was begun on that host, without any job."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "gethostname", lambda: host)
        return Store(store).create_run(name="cpu", system="s", title="t", study={})


def of_earlier_release(run: Run, *, outcome: RunOutcome = "") -> None:
    """Takes from its record what earlier releases did not write."""
    fields = msgspec.to_builtins(run.read_record()) | {"outcome": outcome, "crc32": ""}
    (run.folder / "run.json").write_bytes(msgspec.json.encode(fields | {"host": ""}))


def said_hello(run: Run, host: str) -> None:
    """A job whose agent has said where it is, and nothing more."""
    with run.new_job({"level": 0, "job": {"workload": "cpu"}}) as writer:
        writer.line(msgspec.json.encode({"hello": {"protocol": 4, "host": host}}))


def states(run: Run, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """What list, JSON and live page say."""
    store = run.folder.parent
    rows = {row.run: row.state for row in Store(store).list_runs()}
    assert run_arguments(["list", "runs", "--json", "--store", str(store)]) == 0
    (printed,) = msgspec.json.decode(capsys.readouterr().out)
    return {rows[run.id], printed["state"], state_of_run(run), state_of(run, run.read_record(), set())}


def test_before_its_agent_speaks_the_record_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert states(begun_at(socket.gethostname(), tmp_path / "own"), capsys) == {"cut off"}
    assert states(begun_at(ELSEWHERE, tmp_path / "other"), capsys) == {"unknown"}


@pytest.mark.parametrize("outcome", ["", "begun"])
def test_of_earlier_releases_the_agent_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], outcome: RunOutcome
) -> None:
    run = begun_at(ELSEWHERE, tmp_path)
    of_earlier_release(run, outcome=outcome)
    assert states(run, capsys) == {"unknown"}
    said_hello(run, socket.gethostname())
    assert states(run, capsys) == {"cut off"}


def test_what_has_an_end_is_the_same_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = begun_at(ELSEWHERE, tmp_path)
    with run.new_job({"level": 0, "job": {"workload": "cpu"}}) as writer:
        writer.end({"exit_code": 1, "signal": None})
    run.write_outcome("complete")
    assert run.read_record().host == ELSEWHERE
    assert states(run, capsys) == {"failed"}
    run.write_outcome("interrupted")
    assert states(run, capsys) == {"interrupted"}


def test_who_goes_on_with_a_run_is_its_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = begun_at(ELSEWHERE, tmp_path)
    run.write_resumed()
    assert states(run, capsys) == {"cut off"}


def test_a_catalog_that_two_hosts_share_tells_each_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun_at(ELSEWHERE, tmp_path)
    store = Store(tmp_path)
    for host, state in ((socket.gethostname(), "unknown"), (ELSEWHERE, "cut off"), ("third", "unknown")):
        monkeypatch.setattr(socket, "gethostname", lambda host=host: host)
        assert [row.state for row in store.list_runs()] == [state], host
        assert [row.run for row in store.find_runs(f"state:{state.replace(' ', '_')}", offset=0, most=9).rows]
