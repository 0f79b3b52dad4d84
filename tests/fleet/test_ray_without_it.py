"""Into which clusters igen comes, and which of their nodes can take an agent, with a stand-in for Ray."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from igen.errors import IgenError, InputError
from igen.fleet import ray as fleet_ray
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import JobExit
from igen.fleet.plan import FleetPlan
from igen.fleet.ray import _check_nodes
from igen.fleet.together import Together


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
        (
            (1.0,),
            "the cluster has 1 nodes, but each of 2 agents needs its own node",
            "use --agents 1, or add nodes",
        ),
        (
            (None, 4.0),
            "the cluster has 1 nodes, and 1 without processors, but each of 2 agents needs its own node",
            "use --agents 1, or add nodes",
        ),
        (
            (0.0,),
            "the cluster has 0 nodes, and 1 without processors, but each of 2 agents needs its own node",
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
        with pytest.raises(IgenError, match=r"did not accept the connection within 0\.05 s") as caught:
            fleet_ray._connect(door, "auto")
        assert door.asked.wait(30.0)
        assert "RAY_AUTH_MODE" in caught.value.hint
    finally:
        door.opens.set()


def test_a_cluster_whose_port_for_clients_does_not_answer_is_told_apart_from_none() -> None:
    """So it is with TLS: the connection is accepted, and no client is let in."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"ray://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(IgenError) as caught:
            fleet_ray._connect(Door(ConnectionError("ray client connection timeout")), address)
    assert (
        caught.value.text
        == f"the server at `{address}` refused the connection: ray client connection timeout"
    )
    assert "`--fleet auto`" in caught.value.hint
    with pytest.raises(IgenError, match=f"there is no cluster at `{address}`: "):
        fleet_ray._connect(Door(), address)


def test_what_ray_says_of_its_cluster_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(IgenError, match="there is no cluster at `auto`: no such thing"):
        fleet_ray._connect(Door(ConnectionError("no such thing\nand much more")), "auto")


class RayError(Exception):
    pass


class RayTaskError(RayError):
    cause = FileNotFoundError("No such file: igen-agent")


class GetTimeoutError(RayError):
    pass


class Actor:
    """A load machine whose agent ends when it is asked for its lines, or one that does not answer."""

    def __init__(self, failure: RayError | None = None) -> None:
        self.open, self.clock_unix_s, self.poll, self.kill, self.say = (
            SimpleNamespace(remote=lambda *_, answer=failure or answer: answer)
            for answer in ((1, 4711), 0.0, (0, (), (0, "")), None, None)
        )


def got(answer: object, *, timeout: float | None = None) -> object:
    if isinstance(answer, RayError):
        raise answer
    return answer


MACHINE_LOST = RayError("The actor died.\nand much more")


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., fleet_ray.RayCluster]:
    """Makes a cluster of these machines."""
    program = tmp_path / "agent"
    program.touch()
    exceptions = SimpleNamespace(
        RayError=RayError, RayTaskError=RayTaskError, GetTimeoutError=GetTimeoutError
    )
    stand_in = SimpleNamespace(get=got, exceptions=exceptions, wait=lambda polls, **_options: (polls, []))

    def made(*actors: Actor) -> fleet_ray.RayCluster:
        monkeypatch.setattr(fleet_ray, "_ray", lambda: stand_in)
        monkeypatch.setattr(fleet_ray, "_connect", lambda *_: None)
        monkeypatch.setattr(fleet_ray, "_check_nodes", lambda *_, **_more: None)
        monkeypatch.setattr(fleet_ray, "_placed", lambda *_: (None, list(actors)))
        places = [(f"load-{number}", f"machine {number}") for number in range(len(actors))]
        monkeypatch.setattr(fleet_ray.RayCluster, "_installed", lambda _self: places)
        interrupts = SimpleNamespace(count=0, clear=lambda: None)
        return fleet_ray.RayCluster("auto", len(actors), program, interrupts, insecure=False)  # type: ignore[arg-type]

    return made


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (MACHINE_LOST, "its machine cannot be reached: The actor died."),
        (GetTimeoutError(), "its machine did not answer within 30 s"),
        (RayTaskError(), "its process cannot be started: No such file: igen-agent"),
    ],
)
def test_a_machine_that_was_lost_between_two_levels_costs_the_next_one_only_its_agent(
    machines: Callable[..., fleet_ray.RayCluster], failure: RayError, said: str
) -> None:
    """The level fails in words, and the study can go on with those that are left."""
    cluster = machines(Actor(), Actor(failure))
    together = Together(FleetPlan(agents=2, on_loss="redistribute"), cluster, SimpleNamespace(count=0))  # type: ignore[arg-type]
    told: list[dict[str, Any]] = []
    listener = SimpleNamespace(line=lambda _line: None, event=told.append)
    job = {"phases": {"interval_s": 1.0, "drain_s": 0.0}, "canary_s": 0.0, "steps": ["measure"]}
    exit: JobExit = together.run(job, 2, listener)  # type: ignore[arg-type]
    assert exit.error == {"text": f"agent 2 of 2 on load-1 was lost: {said}"}
    assert [event["error"] for event in told if "error" in event] == [exit.error]
    assert together.agents == [0]
    assert cluster.wait(0.0) == [], "that is heard once"
