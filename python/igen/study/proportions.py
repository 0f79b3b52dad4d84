"""Several loads as a single number of users, divided in the proportions of the study."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from igen.errors import InputError
from igen.loads import PERSONAS, path_of, several

TOTAL_AXIS = "users"
"""Axis of a search over several loads: the sum of their users."""


def proportions(job: Mapping[str, Any]) -> dict[str, int]:
    """The users of each of several loads, in the order of their names; empty for a job with one.

    The job is as the study has it, before the agent has checked it. Raises `InputError` for a load that is
    no number of users: more of it is another question.
    """
    if not isinstance(job.get(PERSONAS) or {}, Mapping):
        text = f"`{PERSONAS}` is not a table with a load for each name"
        raise InputError(text, where=f"job.{PERSONAS}", hint=f"such as [job.{path_of('clerks', 'load')}]")
    return {name: _users(name, load) for name, load in sorted(several(job).items())}


def _users(name: str, holder: Any) -> int:
    where = f"job.{path_of(name, 'load')}"
    load = holder.get("load") if isinstance(holder, Mapping) else None
    models = load if isinstance(load, Mapping) else {}
    if "open" in models:
        raise InputError(
            f"`{name}` has an open load, whose throughput is its rate: it has no peak",
            where=where,
            hint="use a closed or paced load, or sweep the rate with a response-time limit",
        )
    if len(models) > 1:
        text = f"`{name}` has {len(models)} load models instead of one"
        raise InputError(text, where=where, hint=f"keep one of {', '.join(sorted(models))}")
    users = [model.get("users") for model in models.values() if isinstance(model, Mapping)]
    # A bool is an int to Python.
    if not users or type(users[0]) is not int or users[0] < 1:
        text = f"`{name}` has no number of users, which the search needs for the proportions"
        raise InputError(text, where=where, hint="such as load.closed.users = 10")
    return users[0]


def least_total(shares: Mapping[str, int]) -> int:
    """Return the least number of users with a whole user for the smallest share."""
    return ceil(sum(shares.values()) / min(shares.values()))


def shared_out(total: int, shares: Mapping[str, int]) -> dict[str, int]:
    """So many users in these proportions, whole numbers: each has one, and the next is of the largest
    share / (2 n + 1), where n are those that it has (Sainte-Laguë's method); of the first name where two are
    the same. So one more in all takes from nobody. `total` is at least the number of shares."""
    whole = sum(shares.values())
    # What each has when as many users are still to come as there are shares, or earlier: its quota rounded, a
    # half downwards. It saves the steps up to there.
    before = total - len(shares)
    users = {name: max(1, -((whole - 2 * share * before) // (2 * whole))) for name, share in shares.items()}
    for _ in range(total - sum(users.values())):
        users[max(shares, key=lambda name: Fraction(shares[name], 2 * users[name] + 1))] += 1
    return users


def with_users(job: Mapping[str, Any], total: int) -> dict[str, Any]:
    """Return a copy of the job with this number of users in all its loads."""
    changed = copy.deepcopy(dict(job))
    for name, users in shared_out(total, proportions(job)).items():
        (model,) = several(changed)[name]["load"].values()
        model["users"] = users
    return changed
