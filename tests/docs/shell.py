"""Carries out a line of a page: by bash, or in this process where bash adds the start of Python alone."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from igen.cli import run_arguments

NEEDS_A_SHELL = re.compile(r"""[][|&;<>$`*?(){}~#!\\"\n]""")
"""Outside of single quotes."""
PATIENCE_S = 240.0
LEAST_WARMUP = "igen.study.levels._WARMUP_LEAST_S"
SHORT_WARMUP_S = 0.1
"""In the place of a second, where a line says nothing of it."""


def in_words(line: str) -> list[str] | None:
    """The words of a line that calls igen and means the same without a shell; None of any other."""
    bare = re.sub(r"'[^']*'", "", line)
    if not line.startswith("igen ") or NEEDS_A_SHELL.search(bare) or "'" in bare:
        return None
    return shlex.split(line)


def by_bash(line: str, folder: Path, environment: dict[str, str]) -> CompletedProcess[str]:
    """What it did, ended by the first command that fails."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def in_this_process(words: list[str], folder: Path, environment: dict[str, str]) -> CompletedProcess[str]:
    """What it did, in the folder and with these variables over those of this process; warm-ups are short."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as changed:
        changed.chdir(folder)
        for name, value in environment.items():
            changed.setenv(name, value)
        changed.setattr(LEAST_WARMUP, SHORT_WARMUP_S)
        with redirect_stdout(out), redirect_stderr(err):
            code = run_arguments(words[1:])
    said, warned = (each.buffer.getvalue().decode() for each in (out, err))
    return CompletedProcess(words, code, said, warned)


def carried_out(line: str, folder: Path, environment: dict[str, str]) -> CompletedProcess[str]:
    """What it did: without another process where it can."""
    words = in_words(line)
    return in_this_process(words, folder, environment) if words else by_bash(line, folder, environment)
