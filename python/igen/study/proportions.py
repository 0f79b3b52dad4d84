"""Several loads at once as one number of users: shared out in the proportions that the study has."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from math import ceil, gcd
from typing import Any

from igen.errors import InputError
from igen.judge.settings import PERSONAS

TOTAL_AXIS = "users"
"""The axis of a search over personas: the users of all of them."""


def proportions(job: Mapping[str, Any]) -> dict[str, int]:
    """The users of each persona, in the order of their names; empty for a job without personas.

    Raises `InputError` for a load that is no number of users: more of it is another question.
    """
    personas: Mapping[str, Any] = job.get(PERSONAS) or {}
    return {name: _users(name, personas[name]) for name in sorted(personas)}


def _users(name: str, persona: Mapping[str, Any]) -> int:
    where = f"job.{PERSONAS}.{name}.load"
    load: Mapping[str, Any] = persona.get("load") or {}
    if "open" in load:
        raise InputError(
            f"`{name}` has an open load, which brings what its rate says: along it there is no peak",
            where=where,
            hint="give it a closed or paced load, or vary a rate by a sweep with a response-time limit",
        )
    users = next((model.get("users") for model in load.values() if isinstance(model, Mapping)), None)
    if not isinstance(users, int) or users < 1:
        text = f"`{name}` has no number of users, of which the search would keep the proportion"
        raise InputError(text, where=where, hint="such as load.closed.users = 10")
    return users


def least_total(shares: Mapping[str, int]) -> int:
    """The least number of users of which every persona has one, and so of any larger number."""
    return ceil(sum(shares.values()) / min(shares.values()))


def first_total(shares: Mapping[str, int]) -> int:
    """The least number of users in exactly these proportions."""
    return sum(shares.values()) // gcd(*shares.values())


def shared_out(total: int, shares: Mapping[str, int]) -> dict[str, int]:
    """So many users in these proportions: whole numbers by the largest remainders, that of the first name
    where two are the same (Hamilton's method)."""
    whole = sum(shares.values())
    users = {name: total * share // whole for name, share in shares.items()}
    remainders = sorted(shares, key=lambda name: -(total * shares[name] % whole))
    for name in remainders[: total - sum(users.values())]:
        users[name] += 1
    return users


def with_users(job: Mapping[str, Any], total: int) -> dict[str, Any]:
    """A copy of the job with so many users of all its personas."""
    changed = copy.deepcopy(dict(job))
    for name, users in shared_out(total, proportions(job)).items():
        (model,) = changed[PERSONAS][name]["load"].values()
        model["users"] = users
    return changed
