"""The steps of action.yml pass on each argument as it was written, and execute nothing in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from checks import tree

ACTION: dict[str, Any] = yaml.safe_load((tree.ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = [step for step in ACTION["runs"]["steps"] if "run" in step]
ARGUMENTS = [
    *("run", "command", "--set", "run=./sort 'big file'.txt | head -n 1"),
    *("--title", 'costs $HOME; $(touch executed) `touch executed` "two" * \\n'),
]
RECORD = 'import json, sys; print(json.dumps(sys.argv[1:]), file=open("called", "a"))'


@pytest.fixture
def called(tmp_path: Path) -> list[list[str]]:
    """The arguments of each program that the steps call, with inputs as blocks of lines."""
    for name in ("python", "igen"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{RECORD}' \"$@\"\n")
        program.chmod(0o755)
    inputs = {
        "${{ inputs.arguments }}": "\n".join(ARGUMENTS) + "\n",
        "${{ inputs.wheels }}": "dist/a b.whl\nhttps://lab.example/c.whl",
        "${{ inputs.report }}": "my report.html",
    }
    for step in STEPS:
        given = {name: inputs[value] for name, value in step["env"].items()}
        place = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        subprocess.run(command, check=True, cwd=tmp_path, env=given | place)
    assert not (tmp_path / "executed").exists()
    return [json.loads(line) for line in (tmp_path / "called").read_text().splitlines()]


def test_each_line_is_one_argument(called: list[list[str]]) -> None:
    assert called == [
        ["-m", "pip", "install", "--quiet", "dist/a b.whl", "https://lab.example/c.whl"],
        ARGUMENTS,
        ["show", "last", "-o", "my report.html"],
        ["show", "last", "--format", "markdown"],
    ]


def test_the_wheels_are_given() -> None:
    assert ACTION["inputs"]["wheels"]["required"]
    assert "default" not in ACTION["inputs"]["wheels"], "it is on no index"
