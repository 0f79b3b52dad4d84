"""Programs that live for a moment next to a run are named, and programs that the run starts are not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from igen.agent_program import find_agent
from tests.waiting import PATIENCE_S

IN_A_THREAD_S = 0.02
WITH_A_THREAD = f"""
#include <pthread.h>
#include <time.h>
static void *work(void *nothing) {{
  struct timespec used;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  while (used.tv_sec == 0 && used.tv_nsec < {IN_A_THREAD_S} * 1e9);
  return nothing;
}}
int main(void) {{
  pthread_t thread;
  return pthread_create(&thread, 0, work, 0) || pthread_join(thread, 0);
}}
"""
NOT_TOLD = "the kernel tells of processes that end to root only"


@contextmanager
def storm(program: Path) -> Iterator[str]:
    """Start a shell that executes `program` again and again; yield the subject of its readings."""
    process = subprocess.Popen(["sh", "-c", 'while :; do "$0"; done', program])
    yield f"{program.name} of sh"
    process.kill()
    process.wait()


def own(folder: Path, program: str) -> Path:
    """Return a link to a program with a name that nothing else on this machine has."""
    link = folder / f"{program[0]}-{os.getpid()}"
    link.symlink_to(str(shutil.which(program)))
    return link


def told(line: str) -> dict[str, Any]:
    """Return the reading of a line, or nothing. Skips the test if the kernel does not tell of processes."""
    event = json.loads(line)
    if "short_lived is not available" in str(event.get("warning")):
        pytest.skip(NOT_TOLD)
    reading: dict[str, Any] = event.get("reading", {})
    return reading if reading.get("monitor") == "short_lived" else {}


def counted(subject: str, ended: int) -> dict[str, float]:
    """Return the counters of a subject after so many processes have ended.

    A busy machine needs longer for them, and until they are among the few programs that a reading names.
    """
    command = [str(find_agent()), "monitor", "short_lived", "--interval", "100ms"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout
        late = threading.Timer(PATIENCE_S, agent.kill)
        late.start()
        try:
            readings = (told(line) for line in agent.stdout)
            found = (each["counters"] for each in readings if each.get("subject") == subject)
            return next(counters for counters in found if counters["ended"] >= ended)
        finally:
            late.cancel()
            agent.kill()


def test_a_script_that_ran_away_is_named(tmp_path: Path) -> None:
    with storm(own(tmp_path, "date")) as subject:
        assert counted(subject, ended=1)


def test_what_its_threads_used_is_charged_to_a_process(tmp_path: Path) -> None:
    """The first thread starts another one and waits, which takes less than 0.001 s."""
    program = tmp_path / f"t-{os.getpid()}"
    compiler = ["cc", "-pthread", "-x", "c", "-o", str(program), "-"]
    subprocess.run(compiler, input=WITH_A_THREAD, text=True, check=True)
    with storm(program) as subject:
        found = counted(subject, ended=10)
    assert found["used_s"] / found["ended"] >= IN_A_THREAD_S / 2


def test_what_the_load_starts_is_its_own(tmp_path: Path) -> None:
    programs = [own(tmp_path, program) for program in ("dirname", "grep")]
    job = {
        "workload": "command",
        "params": {"run": f"{programs[0]} /a/b | {programs[1]} -c a"},
        "load": {"closed": {"users": 1}},
        "phases": {"measure_s": "2s", "warmup_s": "0s", "interval_s": "500ms"},
        "monitors": ["short_lived"],
    }
    command = [str(find_agent()), "run"]
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=True)
    named = [told(line).get("subject", "") for line in done.stdout.splitlines()]
    assert "all" in named
    assert not [each for each in named for program in programs if program.name in each], named
