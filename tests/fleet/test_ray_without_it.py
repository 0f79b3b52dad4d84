"""Into which clusters igen comes, and which of their nodes can take an agent, with a stand-in for Ray."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from igen.errors import IgenError, InputError
from igen.fleet import ray as fleet_ray
from igen.fleet.interrupts import Interrupts
from igen.fleet.ray import _check_nodes


class Nodes:
    """A cluster of which only the nodes are asked for."""

    def __init__(self, *processors: float | None) -> None:
        self._processors = processors

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {
                "Alive": True,
                "NodeManagerAddress": "127.0.0.1",
                "Resources": {"memory": 1e9} | ({} if each is None else {"CPU": each}),
            }
            for each in self._processors
        ]


@pytest.mark.parametrize("processors", [(1.0, 1.0), (None, 4.0, 4.0), (0.0, 0.5, 4.0)])
def test_as_many_nodes_as_have_processors_take_an_agent(processors: tuple[float | None, ...]) -> None:
    _check_nodes(Nodes(*processors), 2, "auto", insecure=False)


@pytest.mark.parametrize(
    ("processors", "text", "hint"),
    [
        ((1.0,), "the cluster has 1 nodes, and each of 2 agents takes one", "use --agents 1, or add nodes"),
        (
            (None, 4.0),
            "the cluster has 1 nodes, beside 1 without processors, and each of 2 agents takes one",
            "use --agents 1, or add nodes",
        ),
        (
            (0.0,),
            "the cluster has 0 nodes, beside 1 without processors, and each of 2 agents takes one",
            "add nodes",
        ),
    ],
)
def test_too_few_of_them_are_refused(processors: tuple[float | None, ...], text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        _check_nodes(Nodes(*processors), 2, "auto", insecure=False)
    assert (caught.value.text, caught.value.hint) == (text, hint)


class Worker:
    """Ray's module that prints."""

    def __init__(self) -> None:
        self.print_to_stdstream = print


def test_ray_prints_again_when_igen_has_left(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    worker = Worker()
    quiet = fleet_ray.Quiet(SimpleNamespace(_private=SimpleNamespace(worker=worker)))
    worker.print_to_stdstream("a node died")
    quiet.end()
    worker.print_to_stdstream("of another program")
    assert capsys.readouterr().out == "of another program\n"
    with caplog.at_level("DEBUG"):
        fleet_ray.Quiet(object()).end()
    assert "Ray has no print_to_stdstream" in caplog.text


@pytest.mark.parametrize("fails", [None, "closed", "nobody in"])
def test_what_ray_prints_with_is_put_back_however_igen_leaves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: str | None
) -> None:
    worker = Worker()
    program = tmp_path / "agent"
    program.touch()
    stand_in = SimpleNamespace(
        _private=SimpleNamespace(worker=worker),
        shutdown=lambda: None,
        util=SimpleNamespace(remove_placement_group=lambda _group: None),
    )
    seen: list[object] = []

    def connect(*_: object) -> None:
        seen.append(worker.print_to_stdstream)
        if fails == "nobody in":
            raise IgenError("nobody in")

    def placed(*_: object) -> tuple[None, list[object]]:
        if fails == "closed":
            raise IgenError("closed")
        return None, []

    monkeypatch.setattr(fleet_ray, "_ray", lambda: stand_in)
    monkeypatch.setattr(fleet_ray, "_connect", connect)
    monkeypatch.setattr(fleet_ray, "_check_nodes", lambda *_, **_more: None)
    monkeypatch.setattr(fleet_ray, "_placed", placed)
    monkeypatch.setattr(fleet_ray.RayCluster, "_installed", lambda _self: [])
    with Interrupts() as interrupts:
        if fails is None:
            fleet_ray.RayCluster("auto", 0, program, interrupts, insecure=False).close()
        else:
            with pytest.raises(IgenError, match=fails):
                fleet_ray.RayCluster("auto", 0, program, interrupts, insecure=False)
    assert seen == [fleet_ray._says_nothing]
    assert worker.print_to_stdstream is print


class Door:
    """A cluster that does not let anybody in, until it is asked to."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.asked = threading.Event()
        self.opens = threading.Event()
        self._failure = failure

    def init(self, **_options: object) -> None:
        self.asked.set()
        if self._failure is not None:
            raise self._failure
        self.opens.wait(60.0)


def test_a_cluster_that_lets_nobody_in_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_ray, "INIT_S", 0.05)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    door = Door()
    try:
        with pytest.raises(IgenError, match=r"has not let igen in within 0\.05 s") as caught:
            fleet_ray._connect(door, "auto")
        assert door.asked.wait(30.0)
        assert "RAY_AUTH_MODE" in caught.value.hint
    finally:
        door.opens.set()


def test_what_ray_says_of_its_cluster_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(IgenError, match="there is no cluster at `auto`: no such thing"):
        fleet_ray._connect(Door(ConnectionError("no such thing\nand much more")), "auto")
