"""Into which clusters igen comes, and which of their nodes can take an agent, with a stand-in for Ray."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from igen.errors import IgenError, InputError
from igen.fleet import ray as fleet_ray
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
