"""A signal is heard at every moment of a private server's start, and nothing stays of the server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from test_control import PROGRAMS
from test_hazards import processes_of, up

from igen.instances import control
from tests.waiting import PATIENCE_S, wait_for

SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"]
OF_A_START = [
    ("call", "up"),
    ("return", "_described"),
    ("call", "_start_all"),
    ("call", "make"),
    ("return", "make"),
    ("return", "configure"),
    ("call", "serve"),
    ("return", "serve"),
    ("call", "wait_ready"),
    ("return", "wait_ready"),
    ("call", "administer"),
    ("return", "administer"),
    ("return", "mark_ready"),
    ("return", "_start"),
    ("return", "_wait_for"),
    ("return", "_start_all"),
]
"""Moments of `control.up`, in their order."""
OF_A_STUDY = [
    ("call", "with_target"),
    ("call", "ends_with_us"),
    ("return", "ends_with_us"),
    ("call", "_started"),
    ("call", "Interrupts.__enter__"),
    ("return", "Interrupts.__enter__"),
    *OF_A_START,
    ("return", "up"),
    ("call", "Interrupts.__exit__"),
    ("call", "Interrupts._leave"),
    ("return", "Interrupts._leave"),
    ("return", "Interrupts.__exit__"),
    ("return", "_started"),
    ("call", "_on"),
    ("return", "_on"),
    ("call", "run_pilot"),
    ("call", "run_job"),
    ("return", "run_job"),
    ("return", "run_pilot"),
    ("call", "run_study"),
    ("return", "_new_run"),
    ("call", "_Runner.floor"),
]
"""Moments of a study that starts a server for itself, in their order."""
STUDIES = {
    "openldap": "run ldap-search --set entries=50 --repeats 1",
    # Only users who never wait have a pilot, which chooses their threads.
    "shop": "run web --users 4 --think-time 0s --repeats 1",
}


def _all(
    *, mark: pytest.MarkDecorator, few: list[tuple[str, str]], moments: list[tuple[str, str]]
) -> list[object]:
    """Every signal at every moment; few of them where there is no time."""
    pairs = [(number, moment) for number in SIGNALS for moment in dict.fromkeys(moments)]
    return [
        pytest.param(number, *moment, marks=() if moment in few else mark, id=f"{number}-{'-'.join(moment)}")
        for number, moment in pairs
    ]


def _struck(number: str, event: str, function: str, line: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.instances.struck", number, event, function, *line.split()]
    return subprocess.run(
        command, start_new_session=True, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.mark.parametrize("kind", ["postgresql", "mariadb", "openldap"])
@pytest.mark.parametrize(
    ("number", "event", "function"),
    _all(mark=pytest.mark.slow, few=[], moments=OF_A_START),
)
def test_up_is_interrupted(kind: str, number: str, event: str, function: str, directory: Path) -> None:
    if not PROGRAMS[kind].exists():
        pytest.skip(f"{kind} is not installed")
    line = up(directory).replace("postgresql", kind, 1)
    if kind == "openldap":
        line = line.replace("--memory 32MiB", "")
    done = _struck(number, event, function, line)
    assert done.returncode == 130, done.stderr
    assert list(directory.iterdir()) == []
    assert processes_of(directory) == []


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.parametrize(
    ("number", "event", "function"),
    _all(mark=pytest.mark.slow, few=[("return", "administer")], moments=OF_A_STUDY),
)
def test_a_study_is_interrupted_while_its_server_starts(
    kind: str, number: str, event: str, function: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind in PROGRAMS and not PROGRAMS[kind].exists():
        pytest.skip(f"{kind} is not installed")
    monkeypatch.setenv("IGEN_STORE", str(directory / "runs"))
    done = _struck(number, event, function, STUDIES[kind])
    assert done.returncode == 130, done.stderr
    wait_for(lambda: processes_of(directory) == [])
    if kind == "shop":
        assert not (directory / "shop-1").exists()
    else:
        assert all(control.status(one).state == "stopped" for one in control.selected(directory, None))
