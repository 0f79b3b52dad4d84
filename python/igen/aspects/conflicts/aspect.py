"""Conflicts as an aspect."""

from __future__ import annotations

from igen.aspects.conflicts.columns import conflicts_columns
from igen.aspects.conflicts.observe import conflict_observations
from igen.judge.aspect import Aspect

CONFLICTS = Aspect(name="conflicts", observe=conflict_observations, columns={"counts": conflicts_columns})
