"""Values of options without the defaults of a file that do not go with the command line."""

from __future__ import annotations

from typing import Any

import click

_YIELDING = ("users", "rate", "think_time", "pace", "arrivals", "repeats")
"""Defaults in a file about load and plan."""
_CHOOSING = ("rate", "pace", "find_peak", "torture")
"""Options that choose another load model or another plan, which does not use all of these defaults."""


def without_yielding(flags: dict[str, Any]) -> dict[str, Any]:
    """Return the flags without a file's defaults if the command line has chosen another kind of run."""
    context = click.get_current_context()
    source = {name: context.get_parameter_source(name) for name in flags}
    if not any(source.get(name) == click.core.ParameterSource.COMMANDLINE for name in _CHOOSING):
        return flags
    from_file = click.core.ParameterSource.DEFAULT_MAP
    return {
        name: None if name in _YIELDING and source[name] == from_file else value
        for name, value in flags.items()
    }
