"""What a machine lacks, by machines that are made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from igen.doctor.checks import CHECKS, findings
from igen.doctor.machine import Machine, stolen_fraction
from igen.printed import printed
from igen.say import advise

GOOD: dict[str, Any] = {
    "kernel.perf_event_paranoid": 1,
    "kernel.io_uring_disabled": 0,
    "kernel.clock_source": "tsc",
    "environment.open_files_limit": 1_048_576,
    "environment.locked_memory_limit_bytes": "unlimited",
    "environment.root": False,
    "environment.load_average_1_minute": 0.1,
    "cpu.processors": 8,
    "environment.allowed_processors": 8,
    "environment.cpu_limit_processors": 8.0,
    "environment.memory_limit_bytes": 8 << 30,
    "memory.total_bytes": 8 << 30,
    "cpu.governor": "performance",
    "cpu.turbo": False,
    "memory.swap_total_bytes": 0,
    "memory.huge_pages": 512,
    "memory.transparent_huge_pages": "madvise",
}
MACHINE = Machine(facts=GOOD, stolen_fraction=0.0)

LACKING: list[tuple[str, Machine, str]] = [
    ("other load", replace(MACHINE, facts=GOOD | {"environment.load_average_1_minute": 4.0}), "4 on 8"),
    ("steal", replace(MACHINE, stolen_fraction=0.034), "3.4 %"),
    ("limits", replace(MACHINE, facts=GOOD | {"environment.cpu_limit_processors": 0.5}), "0.5 of 8"),
    ("limits", replace(MACHINE, facts=GOOD | {"environment.allowed_processors": 2}), "2 of 8"),
    ("limits", replace(MACHINE, facts=GOOD | {"environment.memory_limit_bytes": 1 << 30}), "1 GiB of the 8"),
    ("noise", replace(MACHINE, knows_noise=False), "noise"),
    ("governor", replace(MACHINE, facts=GOOD | {"cpu.governor": "powersave"}), "is powersave"),
    (
        "governor",
        replace(MACHINE, facts=GOOD | {"cpu.governor": ["powersave", "performance"]}),
        "powersave and performance",
    ),
    ("turbo", replace(MACHINE, facts=GOOD | {"cpu.turbo": True}), "turbo is on"),
    ("clock", replace(MACHINE, facts=GOOD | {"kernel.clock_source": "hpet"}), "hpet"),
    ("swap", replace(MACHINE, facts=GOOD | {"memory.swap_total_bytes": 2 << 30}), "2 GiB"),
    ("huge pages", replace(MACHINE, facts=GOOD | {"memory.huge_pages": 0}), "no huge pages"),
    ("open files", replace(MACHINE, facts=GOOD | {"environment.open_files_limit": 1024}), "1,024"),
    (
        "locked memory",
        replace(MACHINE, facts=GOOD | {"environment.locked_memory_limit_bytes": 65_536}),
        "0.0625 MiB",
    ),
    ("io_uring", replace(MACHINE, facts=GOOD | {"kernel.io_uring_disabled": 1}), "disabled is 1"),
    ("hardware counters", replace(MACHINE, facts=GOOD | {"kernel.perf_event_paranoid": 2}), "paranoid is 2"),
    ("servers", replace(MACHINE, missing_servers=("mariadb", "openldap")), "mariadb, openldap"),
    ("DuckDB", replace(MACHINE, has_duckdb=False), "DuckDB"),
]


def test_a_good_machine_lacks_nothing() -> None:
    assert list(findings(MACHINE)) == []


def test_what_is_not_known_is_not_lacking() -> None:
    assert list(findings(Machine(facts={}))) == []


@pytest.mark.parametrize(("subject", "machine", "found"), LACKING, ids=[f"{each[0]}" for each in LACKING])
def test_one_thing_that_is_lacking_is_one_finding(subject: str, machine: Machine, found: str) -> None:
    ((of, finding),) = findings(machine)
    assert of == subject
    assert found in printed(advise(finding).found)


def test_each_subject_has_a_machine_that_lacks_it() -> None:
    assert {subject for subject, _, _ in LACKING} == set(CHECKS)


@pytest.mark.parametrize(
    ("subject", "facts"),
    [
        ("hardware counters", {"kernel.perf_event_paranoid": 3}),
        ("io_uring", {"kernel.io_uring_disabled": 1}),
        ("locked memory", {"environment.locked_memory_limit_bytes": 65_536}),
    ],
)
def test_root_may_what_others_may_not(subject: str, facts: dict[str, Any]) -> None:
    assert [each for each, _ in findings(replace(MACHINE, facts=GOOD | facts))] == [subject]
    as_root = GOOD | facts | {"environment.root": True}
    assert list(findings(replace(MACHINE, facts=as_root))) == []


@pytest.mark.parametrize(
    ("stat", "expected"),
    [
        ("cpu  50 0 30 10 0 0 0 10 99 99\ncpu0 1 1\n", 0.1),
        ("cpu  0 0 0 0 0 0 0 0 0 0\n", None),
        ("cpu  50 0 30 10\n", None),
        ("cpu  a b c d e f g h i j\n", None),
        ("intr 1 2 3 4 5 6 7 8 9 10\n", None),
        ("", None),
    ],
)
def test_stolen_time_is_a_share_of_all_time(stat: str, expected: float | None) -> None:
    assert stolen_fraction(stat) == expected
