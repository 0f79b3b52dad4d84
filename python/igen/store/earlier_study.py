"""Studies as earlier releases wrote them down, in today's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_IN_THE_PLAN = ("repeats", "search", "together", "torture_s")
"""What stood beside each other before there was a plan."""


def study_of_today(study: Mapping[str, Any]) -> dict[str, Any]:
    """The study with its plan: as it is where it has one already."""
    if isinstance(study.get("plan"), dict) and "mode" in study["plan"]:
        return dict(study)
    others = {name: value for name, value in study.items() if name not in (*_IN_THE_PLAN, "plan")}
    return {**others, "plan": _plan(study)}


def _plan(study: Mapping[str, Any]) -> dict[str, Any]:
    repeats = {"repeats": study["repeats"]} if "repeats" in study else {}
    match study:
        case {"torture_s": int() | float() as torture_s} if torture_s:
            return {"mode": "torture", "under_load_s": torture_s}
        case {"search": {"policy": "find-peak"}}:
            return {"mode": "peak"}
        case {"search": {"policy": "scaling", "share": int() | float() as share}}:
            return {"mode": "scaling", "share": share, **repeats}
        case {"search": {"policy": "scaling"}}:
            return {"mode": "scaling", **repeats}
        case {"together": True}:
            return {"mode": "together", **repeats}
        case _:
            return {"mode": "sweep", **repeats}
