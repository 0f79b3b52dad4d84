"""Where the agent's program is: what measures, and what serves the shop."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from igen.errors import IgenError

AGENT_VARIABLE = "IGEN_AGENT"
PROGRAM = "igen-agent"
SETUP_HINT = (
    "`pip install igen-agent` installs it (in the source: `make setup`); IGEN_AGENT names another one"
)


def find_agent() -> Path:
    """The agent that `IGEN_AGENT` names, else the one beside this interpreter, else the one in PATH."""
    named = os.environ.get(AGENT_VARIABLE)
    beside = Path(sys.executable).parent / PROGRAM
    path = named or (str(beside) if beside.exists() else shutil.which(PROGRAM))
    if path is None or not os.access(path, os.X_OK):
        raise IgenError(f"no agent: cannot run {path or PROGRAM}", hint=SETUP_HINT)
    return Path(path)
