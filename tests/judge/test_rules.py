"""The table of rules: each limit by which one decides is there, with a unit and a reason."""

from __future__ import annotations

from collections import Counter

from igen.judge.trust import rules
from igen.judge.trust.rules import RULES


def test_each_limit_has_a_unit_and_a_reason() -> None:
    limits = [limit for rule in RULES.values() for limit in rule.limits]
    assert len(limits) > 100
    assert all(limit.unit and limit.reason for limit in limits)


def test_no_two_rules_have_the_same_name() -> None:
    """The later of them would be both."""
    assert [name for name, times in Counter(rule.id for rule in rules._TABLE).items() if times > 1] == []
