"""A command that leaves the session of whoever starts it, and whether a process lives."""

from __future__ import annotations

from pathlib import Path

# It waits, so that the kernel's limit for those of fixed priority that never do does not end it. The
# shell goes on when it is there, and tells which process is the tool.
ESCAPES = (
    "echo $PPID > {to}.tool; "
    "(setsid sh -c 'echo $$ > {to}.new; mv {to}.new {to}; exec sleep 600' &); "
    "until test -e {to}; do sleep 0.01; done"
)


def lives(pid: str) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
