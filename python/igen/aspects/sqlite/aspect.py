"""SQLite as an aspect: its write lock."""

from __future__ import annotations

from igen.aspects.sqlite.observe import one_writer_observations
from igen.judge.aspect import Aspect

SQLITE = Aspect(name="sqlite", observe=one_writer_observations)
