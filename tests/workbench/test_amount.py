from __future__ import annotations

from typing import Any

import pytest

from igen.fleet.agent import Agent
from igen.workbench.amount import shards_sentence

DESCRIBED = [{"name": "ldap-search", "params": {"properties": {"entries": {"default": 10_000}}}}]


def sentence(monkeypatch: pytest.MonkeyPatch, **params: Any) -> str:
    """What is said of two directories."""
    monkeypatch.setattr(Agent, "list", lambda *_: DESCRIBED)
    targets = ["ldap://one", "ldap://two"]
    return shards_sentence({"workload": "ldap-search", "targets": targets, "params": params})


def test_several_targets_are_told_to_be_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "each of the 2 targets gets its own 10,000 entries, 20,000 in all"
    assert sentence(monkeypatch).startswith(told)


def test_a_tree_of_one_s_own_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sentence(monkeypatch, keys="@people.ldif") == ""
