"""Commands on another machine, over the ssh client of this one: with its keys and settings, and no
question."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from igen.environment import environment_of

NO_CONNECTION = 255
"""Exit code of ssh itself."""
_NEEDS = ("HOME", "USER", "SSH_AUTH_SOCK")


def ssh_command(host: str, command: Sequence[str], options: Sequence[str] = ()) -> list[str]:
    """The command line that has `command` carried out there. `host` is a name or `ssh://USER@HOST:PORT`."""
    # No question, which nobody would see; errors, and no banner of a login, which is no reason of anything;
    # `--`: no host is an option.
    return ["ssh", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR", *options, "--", host, shlex.join(command)]


def ssh_environment() -> dict[str, str]:
    """What ssh needs to find its settings, keys and agent."""
    return environment_of(_NEEDS)
