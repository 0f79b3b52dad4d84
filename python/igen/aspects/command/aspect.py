"""Programs as an aspect."""

from __future__ import annotations

from igen.aspects.command.left import processes_left
from igen.judge.aspect import Aspect

COMMAND = Aspect(name="command", check=processes_left)
