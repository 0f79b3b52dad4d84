"""Carries out a line of a page: by bash, or in this process where bash adds the start of Python alone."""

from __future__ import annotations

import io
import re
import shlex
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import click
import pytest

from igen.cli import carry_out, igen, print_error
from igen.cli.spelled_out import spelled_out
from igen.errors import IgenError, Undecided

NEEDS_A_SHELL = re.compile(r"""[][|&;<>$`*?(){}~#!\\"\n]""")
"""Outside of single quotes."""
PATIENCE_S = 240.0
CLEANUP_S = 10.0
"""After its time a command may take so long for each thing that it ends or removes."""
DEFECT = 70
"""The exit code of what no command may do, whatever it was to measure: EX_SOFTWARE of sysexits.h."""
LEAST_WARMUP = "igen.study.levels._WARMUP_LEAST_S"
SHORT_WARMUP_S = 0.1
"""In the place of a second, where a line says nothing of it."""


@dataclass(frozen=True, slots=True)
class Done:
    """Result of a line."""

    returncode: int
    stdout: str
    stderr: str
    error: IgenError | None = None
    """The error that ended it, if it was carried out in this process."""

    @property
    def is_undecided(self) -> bool:
        """True if nothing failed, but the measurements do not decide what the line asks."""
        return isinstance(self.error, Undecided)


def in_words(line: str) -> list[str] | None:
    """The words of a line that calls igen and means the same without a shell; None of any other."""
    bare = re.sub(r"'[^']*'", "", line)
    if not line.startswith("igen ") or NEEDS_A_SHELL.search(bare) or "'" in bare:
        return None
    return shlex.split(line)


def understand(words: list[str]) -> None:
    """Parse the words after `igen`. Raises what click raises if a command or an option is unknown."""
    group: click.Command = igen
    context = group.make_context("igen", spelled_out(words))
    while isinstance(group, click.Group):
        name, group, rest = group.resolve_command(context, [*context._protected_args, *context.args])
        assert group is not None
        context = group.make_context(name, rest, parent=context)


def by_bash(line: str, folder: Path, environment: dict[str, str]) -> Done:
    """What it did, ended by the first command that fails."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def in_this_process(words: list[str], folder: Path, environment: dict[str, str]) -> Done:
    """What it did, in the folder and with these variables over those of this process; warm-ups are short."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as changed:
        changed.chdir(folder)
        for name, value in environment.items():
            changed.setenv(name, value)
        changed.setattr(LEAST_WARMUP, SHORT_WARMUP_S)
        with redirect_stdout(out), redirect_stderr(err), _limited(shlex.join(words)):
            code, error = _code(words[1:])
    said, warned = (each.buffer.getvalue().decode() for each in (out, err))
    return Done(code, said, warned, error)


def _code(arguments: list[str]) -> tuple[int, IgenError | None]:
    """Return the exit code and the error.

    The code is `DEFECT` if another exception escapes, or if the program would wait for a thread.
    """
    before, refusal = threading.enumerate(), None
    try:
        code = carry_out(arguments)
    except IgenError as error:
        code, refusal = print_error(error), error
    except (Exception, SystemExit):
        traceback.print_exc()
        code = DEFECT
    left = [each.name for each in threading.enumerate() if each not in before and not each.daemon]
    if left:
        print(f"threads that are left and no daemons: {', '.join(left)}", file=sys.stderr)
        return DEFECT, None
    return code, refusal


@contextmanager
def _limited(line: str) -> Iterator[None]:
    """Fails the test where the line takes longer; only in the main thread, which alone hears signals."""

    def fail(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"$ {line}\nhas not ended after {PATIENCE_S:g} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S, CLEANUP_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def carried_out(line: str, folder: Path, environment: dict[str, str]) -> Done:
    """What it did: without another process where it can."""
    words = in_words(line)
    return in_this_process(words, folder, environment) if words else by_bash(line, folder, environment)
