"""What systemd is told to keep a command of iGen running, and to tell that alone when it is stopped.

Format: https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from igen.errors import InputError

AGENT_VARIABLE = "IGEN_AGENT"


class Service(NamedTuple):
    """A command that runs until it is stopped."""

    description: str
    comment: str
    """Effect of a stop on runs."""
    arguments: tuple[str, ...]
    stop_s: int
    """Longest time to stop, in seconds."""


SERVICES = {
    "queue": Service(
        "queued studies",
        "A stop signals only this command, which stops its study and waits for it.",
        ("queue", "run"),
        300,
    ),
    "console": Service(
        "the store in a browser",
        "A stop signals only this command: runs are separate processes and continue.",
        ("console", "--no-open"),
        15,
    ),
}
"""THE list of them."""


def unit_of(
    name: str, store: Path, more: Sequence[str], folder: Path, environment: Mapping[str, str] = os.environ
) -> str:
    """The unit of one of `SERVICES`, for a user's own systemd.

    `more` are further arguments; the command runs in `folder`. Raises `InputError` for what no line can hold.
    """
    service = SERVICES[name]
    igen = [sys.executable, "-P", "-m", "igen.cli"]
    command = [*igen, *service.arguments, "--store", str(store), *more]
    agent = environment.get(AGENT_VARIABLE)
    return "\n".join(
        [
            "[Unit]",
            f"Description=iGen: {service.description}, {_escaped(str(store))}",
            "",
            "[Service]",
            f"WorkingDirectory={_escaped(str(folder))}",
            *([f"Environment={_word(f'{AGENT_VARIABLE}={agent}')}"] if agent else []),
            f"ExecStart={' '.join(_word(each, in_command=True) for each in command)}",
            "# Exit code of Ctrl-C: SIGTERM is a normal end.",
            "SuccessExitStatus=130",
            "Restart=on-failure",
            "# Retry until another one has ended: by default systemd gives up after five starts in 10 s.",
            "RestartSec=15",
            f"# {service.comment}",
            "KillMode=process",
            f"TimeoutStopSec={service.stop_s}",
            "# Runs are in its control group and report the end of their own processes.",
            "OOMPolicy=continue",
            "TasksMax=infinity",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def unit_file(name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the unit's path in the folder of the user's systemd."""
    config = environment.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(config) / "systemd" / "user" / f"igen-{name}.service"


def _word(text: str, *, in_command: bool = False) -> str:
    """A word of a list of words: `$` stands for a variable in commands alone."""
    escaped = _escaped(text).replace("$", "$$") if in_command else _escaped(text)
    if re.fullmatch(r"[\w@%+=:,./$-]+", escaped, re.ASCII):
        return escaped
    return '"' + escaped.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escaped(text: str) -> str:
    """A percent sign begins a specifier. Raises `InputError` for what ends a line, or is none of a text."""
    if any(unicodedata.category(each) in ("Cc", "Cs") for each in text):
        hint = "leave it out, or rename the folder"
        raise InputError("a unit cannot contain control characters", where=repr(text), hint=hint)
    return text.replace("%", "%%")
