"""In what two systems of an A/B test differ: in what was set, and not in what was counted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from command_line import Done

from tests.web import Web

Igen = Callable[[str], Done]
Start = Callable[..., Web]
QUICK = "--users 1 --duration 300ms --warmup 0s --repeats 2 --quiet --json"


def differences(done: Done) -> list[str]:
    """Return the names of the factors."""
    return [each["name"] for each in done.document["differences"]]


def test_two_web_servers_differ_in_their_target_alone(igen: Igen, nginx: Start) -> None:
    a, b = nginx(), nginx()
    found = differences(igen(f"ab http --a target={a.target} --b target={b.target} {QUICK}"))
    assert found == ["target"]


def test_a_parameter_beside_its_default_is_one_factor(igen: Igen) -> None:
    done = igen(f"ab oltp --b synchronous=normal --set customers=100 {QUICK}")
    assert differences(done) == ["synchronous"]
    assert done.document["systems"][0]["defaults"]["synchronous"] == "full"


# 8 s: tests/judge/test_factors.py has the same facts.
@pytest.mark.slow
def test_an_agent_that_is_not_there_for_all_levels_is_no_factor(igen: Igen, nginx: Start) -> None:
    a, b = nginx(), nginx()
    targets = f"--a target={a.target} --b target={b.target}"
    found = differences(igen(f"ab http {targets} --agents 2 {QUICK.replace('--users 1', '--users 1,2')}"))
    assert found == ["target"]
