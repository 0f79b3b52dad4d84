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
    """A command that runs for good."""

    description: str
    comment: str
    """What becomes of runs when it is stopped."""
    arguments: tuple[str, ...]
    stop_s: int
    """How long it may take to end in, in seconds."""


SERVICES = {
    "queue": Service(
        "studies that wait their turn",
        "A stop is told to this command alone, which stops its study and waits for it.",
        ("queue", "run"),
        300,
    ),
    "console": Service(
        "the store in a browser",
        "A stop is told to this command alone: runs are processes of their own, and go on without it.",
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
            "# Ctrl-C's exit code: what SIGTERM leads to is a good end.",
            "SuccessExitStatus=130",
            "Restart=on-failure",
            "# It is tried until another one has ended: systemd gives up for good after five tries in 10 s.",
            "RestartSec=15",
            f"# {service.comment}",
            "KillMode=process",
            f"TimeoutStopSec={service.stop_s}",
            "# Runs are in its control group: the end of one of their processes is theirs to tell.",
            "OOMPolicy=continue",
            "TasksMax=infinity",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def unit_file(name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Where the user's own systemd looks for it."""
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
        hint = "leave it out, or give the folder another name"
        raise InputError("a unit has no control characters", where=repr(text), hint=hint)
    return text.replace("%", "%%")
