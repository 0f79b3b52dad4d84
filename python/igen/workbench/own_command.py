"""A command of iGen as a process of its own: for what takes signals, or must outlive who asks for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from igen.errors import IgenError, InputError

PATIENCE_S = 300.0


def own_command(arguments: Sequence[str], *, finding: bool = False) -> str:
    """What the command prints. Raises its error; with `finding` exit code 1 is an answer too."""
    # Without -P a folder `igen` where this runs would take the place of this package.
    command = [sys.executable, "-P", "-m", "igen.cli", *arguments]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise IgenError(f"`igen {' '.join(arguments[:2])}` takes longer than {PATIENCE_S:g} s") from None
    if done.returncode and not (finding and done.returncode == 1 and done.stdout):
        raise error_of(done.stderr.splitlines(), done.returncode)
    return done.stdout


def error_of(lines: Sequence[str], code: int) -> IgenError:
    """The error that a command has printed."""
    text = next((line for line in lines if line.startswith("igen: ")), "igen: it ended without a word")
    hint = next((line for line in lines if line.startswith("hint: ")), "")
    kind = InputError if code == InputError.exit_code else IgenError
    told = text.removeprefix("igen: ").removeprefix("error: ")
    return kind(told, hint=hint.removeprefix("hint: "))
