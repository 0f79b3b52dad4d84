"""What all tools have in common: the list, refusals, the schema of their lines, other machines."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tool_said import Tool

from igen.agent_program import find_agent
from igen.cli.tool_output import print_figure, table_lines
from igen.errors import InputError
from tests.obeys import obeying


def test_tools_are_listed_with_what_they_need_and_cost(tool: Tool) -> None:
    listed = tool()
    assert listed.code == 0
    entries = json.loads(tool("--json").out)
    for entry in entries:
        assert f"{entry['name']}: {entry['summary']}" in listed.out
        assert entry["requirements"] in listed.out
        assert entry["overhead"] in listed.out


def test_each_tool_tells_its_options(tool: Tool) -> None:
    for entry in json.loads(tool("--json").out):
        said = tool(entry["name"], "--help")
        assert said.code == 0
        for argument in entry["arguments"]:
            assert (argument["option"] or argument["value"]) in said.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["pags"], "there is no tool `pags`; use one of pages, "),
        (["pages", "--can-i-have", "much"], "`much` is not a number with a unit"),
        (["shmalloc"], "Missing argument 'SIZE'"),
    ],
)
def test_bad_input_is_refused(tool: Tool, words: list[str], expected: str) -> None:
    said = tool(*words)
    assert said.code == 2
    assert expected in said.err


def test_lines_obey_their_schema() -> None:
    command = [find_agent(), "tool", "pages"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        obeying(line, "tool")
    assert done.returncode == int(lines[-1]["verdict"]["finding"])


def stand_in(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose programs are found first."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def test_another_machine_is_asked_over_ssh(tool: Tool, path: Path) -> None:
    # The words end in `-- HOST COMMAND`: what is said to the other machine's shell is carried out here.
    stand_in(path, "ssh", f'echo "$6" > {path}/host; exec sh -c "$7"')
    stand_in(path, "igen-agent", f'exec {find_agent()} "$@"')
    said = tool("pages", "--host", "web.lab", "--json")
    assert said.code in {0, 1}
    assert said.rows("parts")
    assert (path / "host").read_text() == "web.lab\n"


def test_a_machine_that_cannot_be_reached_is_told(tool: Tool, path: Path) -> None:
    stand_in(path, "ssh", "echo 'no route to host' >&2; exit 255")
    said = tool("pages", "--host", "web.lab")
    assert said.code == 1
    assert "--host web.lab: no route to host" in said.err


def test_a_tool_that_ends_without_a_verdict_is_told(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = subprocess.run(
        [find_agent(), "list", "tools"], capture_output=True, text=True, check=True
    ).stdout
    (tmp_path / "listed").write_text(listed)
    stand_in(tmp_path, "agent", f'[ "$1" = list ] && exec cat {tmp_path}/listed; kill -9 $$')
    monkeypatch.setenv("IGEN_AGENT", str(tmp_path / "agent"))
    monkeypatch.setattr("igen.cli.tool._entries", lambda: json.loads(listed))
    said = tool("pages")
    assert said.code == 1
    assert "the tool ended with code -9" in said.err


def test_tables_are_printed_with_units() -> None:
    columns = ["what", "pid", "size_bytes", "time_s", "share_percent", "gb_per_s", "calls_per_s"]
    row: dict[str, Any] = dict(zip(columns, ["a", 12345, 2048, 0.5, 12.5, 1.5, 1000], strict=True))
    head, first, second = table_lines({"columns": columns, "rows": [row, {"what": "b"}]})
    assert head.split() == ["what", "pid", "size", "time", "share,", "%", "GB/s", "calls", "per", "s"]
    assert first.split() == ["a", "12345", "2", "KiB", "500", "ms", "12.5", "1.50", "1,000"]
    assert second.split() == ["b", *"------"]


def test_a_table_that_is_too_wide_becomes_a_paragraph_a_row() -> None:
    row = {"state": "CHECK", "setting": "swappiness", "why": "pages are written " * 12, "change_bytes": 4096}
    lines = table_lines({"columns": list(row), "rows": [row]})
    assert lines[0] == "CHECK  swappiness"
    assert lines[1].startswith("  why: pages are written")
    assert lines[-1] == "  change: 4 KiB"
    assert all(len(line) <= 98 for line in lines)


def test_a_tool_ends_when_whoever_asked_for_it_is_gone() -> None:
    agent = subprocess.Popen([find_agent(), "tool", "ripc", "1h"], stdout=subprocess.PIPE)
    with agent:
        assert agent.stdout is not None
        agent.stdout.close()
        # Without that it would go on for an hour.
        agent.wait(timeout=60)


def test_the_number_of_a_verdict_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    table = {"table": {"title": "Shares", "columns": [], "rows": []}}
    verdict = {"finding": True, "text": "17.12 % of its instructions are floating point", "figure": 17.1234}
    assert print_figure([{"progress": "looking"}, table, {"note": "few"}, {"verdict": verdict}]) == 1
    assert capsys.readouterr() == ("17.12\n", "")
    with pytest.raises(InputError, match="cannot tell"):
        print_figure([{"verdict": {"finding": True, "text": "cannot tell: it waited"}}])


def test_only_a_tool_with_a_number_prints_it_alone(tool: Tool) -> None:
    running = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        said = tool("pfp", "1s", "-s", f"--pid={running.pid}", "--budget=20")
    finally:
        running.kill()
        running.wait()
    # A shell computes with no floating-point numbers.
    assert (said.code in (0, 1), float(said.out)) == (True, pytest.approx(0, abs=5))
    assert tool("pages", "-s").code == 2
