"""An iGen command as a separate process, which takes signals and may outlive its caller."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from igen.errors import IgenError, InputError

PATIENCE_S = 300.0


def own_command(arguments: Sequence[str], *, finding: bool = False) -> str:
    """Return the output of the command. Raises its error; with `finding`, exit code 1 is not an error."""
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
        raise IgenError(f"`igen {' '.join(arguments[:2])}` did not finish within {PATIENCE_S:g} s") from None
    if done.returncode and not (finding and done.returncode == 1 and done.stdout):
        raise error_of(done.stderr.splitlines(), done.returncode)
    return done.stdout


def error_of(lines: Sequence[str], code: int) -> IgenError:
    """Return the error that a command printed."""
    text = next(
        (line for line in lines if line.startswith("igen: ")), "igen: it ended without an error message"
    )
    hint = next((line for line in lines if line.startswith("hint: ")), "")
    kind = InputError if code == InputError.exit_code else IgenError
    told = text.removeprefix("igen: ").removeprefix("error: ")
    return kind(told, hint=hint.removeprefix("hint: "))
