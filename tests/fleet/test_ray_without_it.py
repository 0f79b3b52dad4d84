"""Which nodes of a cluster can take an agent, with a stand-in for Ray."""

from __future__ import annotations

from typing import Any

import pytest

from igen.errors import InputError
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
