"""Short keys of a study: `users = [1, 2]` and `duration = "5s"` instead of paths in its job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from igen.ask import kinds
from igen.ask.asked import QUESTIONS, read_answers
from igen.ask.load import laid_over
from igen.errors import InputError

SHORT = tuple(name for name, question in QUESTIONS.items() if question.at)
"""Keys of a study that stand for a path in its job."""


def written_out(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table of a study with paths instead of short keys.

    Raises `InputError` about a key whose path the study also has, or that contradicts another key.
    """
    short = {name: _listed(name, table[name]) for name in SHORT if name in table}
    job, axes = table.get("job", {}), table.get("axes", {})
    if not (short and isinstance(job, Mapping) and isinstance(axes, Mapping)):
        return table
    for name in short:
        for path in QUESTIONS[name].at:
            if path in axes or _has(job, path):
                raise InputError(
                    f"`{name}` is the same as `{path}`", where=name, hint="leave one of them out"
                )
    try:
        made, varied = laid_over(job, axes, read_answers(short))
    except InputError as error:
        error.where = next((name for name in short if QUESTIONS[name].option == error.where), error.where)
        raise
    return {**{key: value for key, value in table.items() if key not in short}, "job": made, "axes": varied}


def _listed(name: str, value: Any) -> Any:
    """Return one level as a list."""
    is_one = QUESTIONS[name].kind in (kinds.USERS, kinds.RATES) and isinstance(value, int | float)
    return [value] if is_one else value


def _has(job: Mapping[str, Any], path: str) -> bool:
    found: Any = job
    for step in path.split("."):
        if not isinstance(found, Mapping) or step not in found:
            return False
        found = found[step]
    return True
