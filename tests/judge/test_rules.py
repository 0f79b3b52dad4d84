"""The table of rules: each limit by which one decides is there, with a unit and a reason."""

from __future__ import annotations

from igen.judge.trust.rules import RULES


def test_each_limit_has_a_unit_and_a_reason() -> None:
    limits = [limit for rule in RULES.values() for limit in rule.limits]
    assert len(limits) > 100
    assert all(limit.unit and limit.reason for limit in limits)
