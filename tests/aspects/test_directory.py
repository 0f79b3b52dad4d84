"""LDAP operations, the directory's own count, and the sentences about both."""

from __future__ import annotations

from typing import Any

import pytest

from igen.aspects.aspects import ASPECTS
from igen.aspects.directory.operations import miscounted, operations_text
from igen.aspects.directory.parts import cross_check_at, operations_at
from igen.failure import Failure
from igen.judge.analyse import analyse, result_of
from igen.judge.measured import measure
from igen.judge.recording import Recording
from igen.judge.result import System
from tests.aspects.directories import TARGET, authentications, directory, searches, told
from tests.judge.synthetic import recording

SENT = {"bind": 2, "search": 1200, "modify": 0}


def system_of(*runs: Recording) -> System:
    (system,) = analyse(runs, aspects=ASPECTS)
    return system


def sentences(system: System, about: str) -> list[str]:
    return [each.text for each in system.observations if about in each.text]


def counting(*each: dict[str, Any], **rest: Any) -> Recording:
    return searches(facts={"ldap.operations": list(each)}, **rest)


@pytest.mark.parametrize(("modify", "each"), [(True, 10), (False, 9)])
def test_operations_are_counted_and_published_ones_have_one_more(modify: bool, each: int) -> None:
    system = system_of(*(authentications(500, modify=modify, repeat=repeat) for repeat in range(2)))
    operations = operations_at(system.levels[0])
    assert operations is not None
    assert operations.each == each
    assert (operations.per_s.value, operations.published_per_s.value) == (500 * each, 500 * (each + 1))
    (text,) = sentences(system, "LDAP operations/s")
    assert f"{each * 500:,} LDAP operations/s, {each} each; × {each + 1}, as published" in text


def test_failed_authentications_are_operations_too() -> None:
    operations = operations_at(system_of(authentications(90, failed=10)).levels[0])
    assert operations is not None
    assert operations.per_s.value == 910
    assert operations.published_per_s.value == 1010


def test_other_workloads_have_none() -> None:
    assert operations_at(system_of(searches()).levels[0]) is None
    system = system_of(recording())
    assert (operations_at(system.levels[0]), cross_check_at(system.levels[0])) == (None, None)
    assert sentences(system, "Durability") == []


def test_equal_counts_are_said_once_over_all_levels() -> None:
    system = system_of(counting(told(SENT, SENT)), counting(told(SENT, SENT), level=1, users=2))
    (text,) = sentences(system, "same operations")
    assert text == "The directory counted the same operations as were sent: 4 binds, 2,400 searches."
    assert all("directory" not in reason for level in system.levels for reason in level.reasons)


@pytest.mark.parametrize(
    ("counted", "said"),
    [
        ({**SENT, "search": 1201}, "counted 1,201 searches where 1,200 were sent: others use it too"),
        ({**SENT, "add": 1}, "counted 1 add where 0 were sent: others use it too"),
        ({**SENT, "bind": 1}, "counted 1 bind where 2 were sent: it was restarted meanwhile"),
        ({}, "counted 0 binds where 2 were sent and 0 searches where 1,200 were sent: it was restarted"),
    ],
)
def test_any_difference_makes_the_level_suspect(counted: dict[str, int], said: str) -> None:
    system = system_of(counting(told(SENT, counted)))
    (level,) = system.levels
    assert level.verdict == "SUSPECT"
    assert any(f"the directory {TARGET} {said}" in reason for reason in level.reasons)
    assert sentences(system, "same operations") == []


def test_a_connection_that_was_closed_while_idle_is_no_restart() -> None:
    from collections import Counter
    from dataclasses import replace

    run = measure(counting(told(SENT, {**SENT, "search": 1197})))
    (finding,) = miscounted(run)
    assert "it was restarted meanwhile" in finding.text
    closed = replace(run, failures=Counter({Failure("lost", "search", "connection lost"): 3}))
    (finding,) = miscounted(closed)
    assert "it closed connections before it took what was sent on them (3 failures" in finding.text
    (finding,) = miscounted(replace(run, failures=Counter({Failure("lost", "search", "connection lost"): 2})))
    assert "it was restarted meanwhile" in finding.text


def test_of_several_directories_the_most_different_is_named() -> None:
    near = told(SENT, {**SENT, "search": 1201}, target="ldap://a/dc=x")
    far = told(SENT, {**SENT, "search": 1300}, target="ldap://b/dc=x")
    (finding,) = miscounted(measure(counting(near, far, told(SENT, SENT))))
    assert "ldap://b/dc=x counted 1,300" in finding.text
    assert "; so did 1 more: " in finding.text


def test_what_cannot_be_counted_is_said_with_its_reason() -> None:
    unknown = told(SENT, None, "cn=Monitor cannot be read", target="ldap://b/dc=x")
    system = system_of(counting(told(SENT, SENT), unknown))
    (level,) = system.levels
    check = cross_check_at(level)
    assert check is not None
    assert check.sent == SENT, "only of the one that counts"
    (text,) = sentences(system, "could not be compared")
    assert text.endswith("what was sent: cn=Monitor cannot be read.")
    assert not any("directory" in reason for reason in level.reasons)


@pytest.mark.parametrize(("attributes", "comparable"), [("all", True), (["cn"], False)])
def test_conditions_stand_with_every_result(attributes: Any, comparable: bool) -> None:
    system = system_of(searches(facts={"ldap.attributes": attributes}))
    (text,) = sentences(system, "Durability: each modify waits for the disk; access log: loglevel 0")
    assert ("benchmarketing: not comparable" in text) is not comparable


def test_conditions_that_are_not_known_are_called_so() -> None:
    unknown = directory("ldap-bind", facts={"target.ldap.waits_for_disk": None})
    (text,) = sentences(system_of(unknown), "Durab")
    assert text.startswith("Durability: unknown: cn=config cannot be read; access log: loglevel 0")


def test_what_was_asked_for_and_counted_is_no_difference_between_systems() -> None:
    one, other = (counting(told(SENT, SENT), system=name) for name in "AB")
    other.facts.update({"ldap.operations": [], "ldap.tree": "more", "target.ldap.waits_for_disk": False})
    assert result_of(analyse([one, other], aspects=ASPECTS), aspects=ASPECTS).differences == [
        "B against A: target.ldap.waits_for_disk: false against true"
    ]


def test_kinds_of_operations_are_words() -> None:
    assert [operations_text(kind, 2) for kind in ("search", "modify", "bind", "extended")] == [
        "2 searches",
        "2 modifies",
        "2 binds",
        "2 extended operations",
    ]
    assert operations_text("search", 1) == "1 search"


def test_of_several_agents_each_sees_counted_what_the_others_sent() -> None:
    made = counting({"target": "ldap://a", "sent": {"search": 20}, "counted": {"search": 40}})
    made.facts["fleet.agents"] = 2
    system = system_of(made)
    check = cross_check_at(system.levels[0])
    assert check is not None
    assert list(check.uncounted) == ["ldap://a"]
    assert not any("counted" in reason for reason in system.levels[0].reasons)
