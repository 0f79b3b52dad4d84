"""Observations of one kind of target or workload: a module for each subject."""

from __future__ import annotations

from collections.abc import Callable

from igen.say import database, directory, memory, power, server, targets, tier, web
from igen.say.group import Group
from igen.say.said import Said

SENTENCES: dict[str, Callable[[Group], Said]] = {
    **server.SENTENCES,
    **database.SENTENCES,
    **web.SENTENCES,
    **directory.SENTENCES,
    **tier.SENTENCES,
    **targets.SENTENCES,
    **memory.SENTENCES,
    **power.SENTENCES,
}
"""The sentence of each rule that is an observation, with its evidence."""
PHRASES: dict[str, Callable[[Group], str]] = {
    **server.PHRASES,
    **web.PHRASES,
    **directory.PHRASES,
    **memory.PHRASES,
    **power.PHRASES,
}
"""The sentence of each rule that explains an observation, of each note, and of each headline."""
