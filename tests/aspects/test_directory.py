"""LDAP operations, the directory's own count, and the findings about both."""

from __future__ import annotations

from typing import Any

import pytest

from igen.aspects.aspects import ASPECTS
from igen.aspects.directory.operations import miscounted
from igen.aspects.directory.parts import cross_check_at, operations_at
from igen.failure import Failure
from igen.judge import analyse, result_of
from igen.judge.record.recording import Recording
from igen.judge.result import Finding, System
from igen.judge.run.measured import measure
from tests.aspects.directories import TARGET, authentications, directory, searches, told
from tests.aspects.observed import has, observed, texts
from tests.judge.synthetic import recording
from tests.said import rules

SENT = {"bind": 2, "search": 1200, "modify": 0}


def system_of(*runs: Recording) -> System:
    (system,) = analyse(runs, aspects=ASPECTS)
    return system


def counts(found: Finding) -> dict[str, tuple[float | None, float | None]]:
    """Return what was counted and what was sent of each kind of operation."""
    counted, sent = (
        {part.text: part.figure for part in found.parts if part.name == name} for name in ("counted", "sent")
    )
    return {kind: (count, sent[kind]) for kind, count in counted.items()}


def counting(*each: dict[str, Any], **rest: Any) -> Recording:
    return searches(facts={"ldap.operations": list(each)}, **rest)


@pytest.mark.parametrize(("modify", "each"), [(True, 10), (False, 9)])
def test_operations_are_counted_and_published_ones_have_one_more(modify: bool, each: int) -> None:
    system = system_of(*(authentications(500, modify=modify, repeat=repeat) for repeat in range(2)))
    operations = operations_at(system.levels[0])
    assert operations is not None
    assert operations.each == each
    assert (operations.per_s.value, operations.published_per_s.value) == (500 * each, 500 * (each + 1))
    (found,) = observed(system, "ldap-operations")
    assert (found.figure("operations_each"), found.figure("published_operations_each")) == (each, each + 1)
    assert found.figure("operations_per_s") == 500 * each
    assert found.figure("published_operations_per_s") == 500 * (each + 1)


def test_failed_authentications_are_operations_too() -> None:
    operations = operations_at(system_of(authentications(90, failed=10)).levels[0])
    assert operations is not None
    assert operations.per_s.value == 910
    assert operations.published_per_s.value == 1010


def test_other_workloads_have_none() -> None:
    assert operations_at(system_of(searches()).levels[0]) is None
    system = system_of(recording())
    assert (operations_at(system.levels[0]), cross_check_at(system.levels[0])) == (None, None)
    assert observed(system, "directory-conditions") == []


def test_equal_counts_are_said_once_over_all_levels() -> None:
    system = system_of(counting(told(SENT, SENT)), counting(told(SENT, SENT), level=1, users=2))
    (found,) = observed(system, "directory-agrees")
    assert {part.text: part.figure for part in found.parts} == {"bind": 4, "search": 2400}
    assert all("directory-count" not in rules(level) for level in system.levels)


@pytest.mark.parametrize(
    ("counted", "kinds"),
    [
        ({**SENT, "search": 1201}, {"search": (1201, 1200)}),
        ({**SENT, "add": 1}, {"add": (1, 0)}),
        ({**SENT, "bind": 1}, {"bind": (1, 2)}),
        ({}, {"bind": (0, 2), "search": (0, 1200)}),
    ],
)
def test_any_difference_makes_the_level_suspect(
    counted: dict[str, int], kinds: dict[str, tuple[int, int]]
) -> None:
    system = system_of(counting(told(SENT, counted)))
    (level,) = system.levels
    (found,) = (each for each in level.findings if each.rule == "directory-count")
    assert found.row.grade == "SUSPECT"
    assert [part.text for part in found.parts if part.name == "target"] == [TARGET]
    assert counts(found) == kinds
    assert observed(system, "directory-agrees") == []


def test_a_connection_that_was_closed_while_idle_is_no_restart() -> None:
    from collections import Counter
    from dataclasses import replace

    run = measure(counting(told(SENT, {**SENT, "search": 1197})))
    (finding,) = miscounted(run)
    assert "lost_connections" not in [part.name for part in finding.parts]
    closed = replace(run, failures=Counter({Failure("lost", "search", "connection lost"): 3}))
    (finding,) = miscounted(closed)
    assert finding.figure("lost_connections") == 3
    (finding,) = miscounted(replace(run, failures=Counter({Failure("lost", "search", "connection lost"): 2})))
    assert "lost_connections" not in [part.name for part in finding.parts]


def test_of_several_directories_the_most_different_is_named() -> None:
    near = told(SENT, {**SENT, "search": 1201}, target="ldap://a/dc=x")
    far = told(SENT, {**SENT, "search": 1300}, target="ldap://b/dc=x")
    (finding,) = miscounted(measure(counting(near, far, told(SENT, SENT))))
    assert [part.text for part in finding.parts if part.name == "target"] == ["ldap://b/dc=x"]
    assert counts(finding) == {"search": (1300, 1200)}
    assert finding.figure("others") == 1


def test_what_cannot_be_counted_is_said_with_its_reason() -> None:
    unknown = told(SENT, None, "cn=Monitor cannot be read", target="ldap://b/dc=x")
    system = system_of(counting(told(SENT, SENT), unknown))
    (level,) = system.levels
    check = cross_check_at(level)
    assert check is not None
    assert check.sent == SENT, "only of the one that counts"
    (found,) = observed(system, "directory-not-compared")
    assert texts(found, "reason") == ["cn=Monitor cannot be read"]
    assert texts(found, "target") == ["ldap://b/dc=x"]
    assert "directory-count" not in rules(level)


@pytest.mark.parametrize(("attributes", "comparable"), [("all", True), (["cn"], False)])
def test_conditions_stand_with_every_result(attributes: Any, comparable: bool) -> None:
    system = system_of(searches(facts={"ldap.attributes": attributes}))
    (found,) = observed(system, "directory-conditions")
    assert found.figure("waits_for_disk") == 1
    assert texts(found, "access_log") == ["loglevel 0"]
    assert [each.rule for each in found.because] == ["not-all-attributes"] * (not comparable)


def test_conditions_that_are_not_known_are_left_out() -> None:
    system = system_of(directory("ldap-bind", facts={"target.ldap.waits_for_disk": None}))
    (found,) = observed(system, "directory-conditions")
    assert (has(found, "waits_for_disk"), has(found, "access_log")) == (False, True)


def test_what_was_asked_for_and_counted_is_no_difference_between_systems() -> None:
    one, other = (counting(told(SENT, SENT), system=name) for name in "AB")
    other.facts.update({"ldap.operations": [], "ldap.tree": "more", "target.ldap.waits_for_disk": False})
    (found,) = result_of(analyse([one, other], aspects=ASPECTS), aspects=ASPECTS).differences
    assert (found.name, found.of_system, found.of_base) == (
        "target.ldap.waits_for_disk",
        "false",
        "true",
    )


def test_of_several_agents_each_sees_counted_what_the_others_sent() -> None:
    made = counting({"target": "ldap://a", "sent": {"search": 20}, "counted": {"search": 40}})
    made.facts["fleet.agents"] = 2
    system = system_of(made)
    check = cross_check_at(system.levels[0])
    assert check is not None
    assert list(check.uncounted) == ["ldap://a"]
    assert "directory-count" not in rules(system.levels[0])
