"""Study files that are too large, never end or never begin, and studies of many levels."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.study.levels import MOST_EXECUTIONS, MOST_LEVELS, expand
from igen.study.study import load_study
from igen.study.text_file import MOST_BYTES

MANY = """plan = {{ mode = "sweep", repeats = 1 }}
[job]
workload = "model"
[axes]
"load.closed.users" = {users}
"""
LIMIT_BYTES = 1 << 30


@pytest.fixture(params=["device", "pipe", "folder", "large", "absent"])
def unusable(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    match request.param:
        case "device":
            path.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "large":
            path.write_bytes(b"#" * (MOST_BYTES + 1))
    return path


def test_what_is_no_study_file_is_refused(unusable: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_study(unusable)
    assert caught.value.where == str(unusable)


def test_no_scenario_is_read_from_there(unusable: Path, tmp_path: Path) -> None:
    study = tmp_path / "web.toml"
    params = f'params = {{ scenario = "@{unusable.name}" }}\n'
    study.write_text('plan = { mode = "sweep" }\n[job]\nworkload = "web"\n' + params)
    with pytest.raises(InputError):
        load_study(study)


def test_the_command_refuses_a_device_in_little_memory() -> None:
    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))

    command = [sys.executable, "-m", "igen.cli", "study", "check", "/dev/zero"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False, preexec_fn=bounded)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr


def test_one_process_checks_all_levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = tmp_path / "many.toml"
    study.write_text(MANY.format(users=list(range(1, 101))))
    started: list[object] = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *given, **more: started.append(1) or popen(*given, **more)
    )
    levels = expand(load_study(study), Agent())
    assert [level.job["load"]["closed"]["users"] for level in levels] == list(range(1, 101))
    assert all("placement" in level.job for level in levels)
    assert len(started) == 1


def test_the_level_that_is_wrong_is_named_among_many(tmp_path: Path) -> None:
    study = tmp_path / "many.toml"
    study.write_text(MANY.format(users=[1, 2, 0, 3]))
    agent = Agent()
    with pytest.raises(InputError) as caught:
        expand(load_study(study), agent)
    assert caught.value.where == "load.closed.users"
    assert agent.check({"workload": "cpu", "load": {"closed": {"users": 1}}})["workload"] == "cpu"


def test_more_levels_than_there_may_be_are_refused(tmp_path: Path) -> None:
    study = tmp_path / "many.toml"
    study.write_text(MANY.format(users=list(range(1, MOST_LEVELS + 2))))
    with pytest.raises(InputError) as caught:
        expand(load_study(study), Agent())
    assert caught.value.where == "axes"


def test_more_executions_than_there_may_be_are_refused(tmp_path: Path) -> None:
    study = tmp_path / "many.toml"
    levels = MANY.format(users=list(range(1, MOST_EXECUTIONS // 1000 + 2)))
    study.write_text(levels.replace("repeats = 1", "repeats = 1000"))
    with pytest.raises(InputError) as caught:
        expand(load_study(study), Agent())
    assert caught.value.where == "plan.repeats"
