"""What `igen run WORKLOAD --help` and the shell's completion know of a workload's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from igen.cli import igen, run_arguments
from igen.cli.workload_help import parameter_rows
from igen.units import SIZE_UNITS, TIME_UNITS, parse_bytes, parse_time_s, quantity_text
from igen.workload_parameters import known_workloads

SCHEMA: dict[str, Any] = {
    "$defs": {
        "Seconds": {"format": "seconds", "type": ["number", "string"]},
        "Bytes": {"format": "bytes", "type": ["number", "string"]},
        "Mode": {"oneOf": [{"const": "one"}, {"const": "two"}]},
        "Word": {"enum": ["a" * 10, "b" * 10, "c" * 10]},
    },
    "properties": {
        "time": {"$ref": "#/$defs/Seconds", "default": 0.5, "description": "How\nlong.\n\nMore."},
        "size": {
            "anyOf": [{"$ref": "#/$defs/Bytes"}, {"type": "null"}],
            "description": "How much.",
            "x-default": "all",
        },
        "mode": {"$ref": "#/$defs/Mode", "default": "two"},
        "word": {
            "anyOf": [{"$ref": "#/$defs/Word"}, {"type": "null"}],
            "default": None,
            "description": "Which.",
        },
        "count": {"type": "integer", "default": 1},
        "ratio": {"type": ["number", "null"]},
        "exact": {"type": "boolean", "default": False},
        "variables": {"type": "object"},
        "name": {"type": "string"},
    },
}


def test_a_parameter_is_told_with_type_words_and_default() -> None:
    assert [*parameter_rows(SCHEMA)] == [
        ("time=TIME", "How long.  [default: 500ms]"),
        ("size=SIZE", "How much.  [default: all]"),
        ("mode=one|two", "  [default: two]"),
        ("word=WORD", f"Which. One of {'a' * 10}, {'b' * 10}, {'c' * 10}."),
        ("count=N", "  [default: 1]"),
        ("ratio=N", ""),
        ("exact=true|false", "  [default: false]"),
        ("variables=TABLE", ""),
        ("name=TEXT", ""),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "run model --help",
            ["Parameters of model (--set KEY=VALUE):", "service=WORD", "[default: 1]"],
        ),
        ("run --users 1,2 model --set servers=2 --help", ["Parameters of model", "service_time=TIME"]),
        ("data prepare oltp --help", ["Parameters of oltp", "customers=N"]),
        ("data cleanup io --help", ["Parameters of io"]),
        ("data verify io --help", ["Parameters of io"]),
        ("data export ldap-search --help", ["Parameters of ldap-search"]),
        ("run noop --help", ["Parameters of noop (--set KEY=VALUE):\n  none"]),
    ],
)
def test_help_knows_the_parameters_of_the_workload(
    line: str, said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(line.split()) == 0
    out = capsys.readouterr().out
    for part in said:
        assert part in out
    assert max(map(len, out.partition("(--set KEY=VALUE)")[2].splitlines())) <= 80


SHORT = [each["name"] for each in known_workloads() if each["name"] not in ("command", "io")]


@pytest.mark.parametrize("workload", SHORT)
def test_each_parameter_takes_two_lines_at_most_and_has_its_default(
    workload: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(["run", workload, "--help"]) == 0
    lines = capsys.readouterr().out.partition("(--set KEY=VALUE):\n")[2].splitlines()
    starts = [at for at, line in enumerate(lines) if line[2:3] != " "]
    assert max(map(len, lines), default=0) <= 80
    for start, end in pairwise([*starts, len(lines)]):
        told = " ".join(line.strip() for line in lines[start:end])
        assert end - start <= 2, told
        assert "[default: " in told or "=TABLE " in told or told == "none"


@pytest.mark.parametrize(
    ("value", "units", "text"),
    [
        (512 << 20, SIZE_UNITS, "512MiB"),
        (256e6, SIZE_UNITS, "256MB"),
        (8192, SIZE_UNITS, "8KiB"),
        (0.001, TIME_UNITS, "1ms"),
        (600, TIME_UNITS, "10min"),
        (0, TIME_UNITS, "0"),
    ],
)
def test_a_default_has_the_unit_in_which_it_is_short(
    value: float, units: Mapping[str, float], text: str
) -> None:
    assert quantity_text(value, units) == text
    parse = parse_bytes if units is SIZE_UNITS else parse_time_s
    assert parse(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "line", ["run --help", "run modell --help", "run --name model --help", "run --users --help"]
)
def test_help_without_a_known_workload_is_that_of_the_command(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run_arguments(line.split())
    assert "(--set KEY=VALUE)" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "incomplete", "found"),
    [
        ("run model --set", "serv", ["servers=", "service=", "service_time="]),
        (
            "run model --users 2 --set servers=2 --set",
            "service=",
            ["service=exponential", "service=deterministic"],
        ),
        ("run oltp --set", "read_only=", ["read_only=true", "read_only=false"]),
        ("data prepare oltp --set", "cust", ["customers="]),
        ("run model --set", "servers=", ["servers="]),
        ("run modell --set", "serv", []),
        ("run --set", "serv", []),
        ("run", "mode", ["model"]),
    ],
)
def test_names_and_words_of_parameters_are_completed(words: str, incomplete: str, found: list[str]) -> None:
    complete = ShellComplete(igen, {}, "igen", "_IGEN_COMPLETE")
    assert [item.value for item in complete.get_completions(words.split(), incomplete)] == found
