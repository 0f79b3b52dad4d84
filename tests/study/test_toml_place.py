"""The line of a fault in a TOML file."""

from __future__ import annotations

import pytest

from igen.study.toml_place import Step, line_of

TEXT = '''\
title = "a = b" # x = 1
plan = { mode = "sweep", repeats = 3 }
words = """
title = [
[job]
"""
list = [
  1, # ]
  2,
]

[job]
workload = "oltp"
phases.measure_s = "5s"
[job.params]
customers = 3
"odd.name" = 1

[axes]
"load.closed.users" = [
  1,
]
'params.size' = [2]

[[systems]]
name = "a"
[systems.job]
seed = 1
[[systems]]
name = "b"
job = { targets = [] }
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (["title"], 1),
        (["plan"], 2),
        (["plan", "mode"], 2),
        (["list"], 7),
        (["list", 1], 7),
        (["job"], 12),
        (["job", "workload"], 13),
        (["job", "phases", "measure_s"], 14),
        (["job", "params", "customers"], 16),
        (["job", "params", "odd.name"], 17),
        (["job", "params", "missing"], 15),
        (["axes", "load.closed.users"], 20),
        (["axes", "params.size"], 23),
        (["systems", 0], 25),
        (["systems", 0, "name"], 26),
        (["systems", 0, "job", "seed"], 28),
        (["systems", 1, "name"], 30),
        (["systems", 1, "job", "targets"], 31),
        (["nothing"], None),
        ([], None),
    ],
)
def test_a_value_is_found_or_what_holds_it(path: list[Step], line: int | None) -> None:
    assert line_of(TEXT, path) == line


def test_a_name_of_thousands_of_words_takes_no_time() -> None:
    assert line_of(f"[job]\n[job{'.a' * 100_000}]\nx = 1\n", ["job", "x"]) == 1
