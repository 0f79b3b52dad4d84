"""Suggestions for an unknown workload or parameter."""

from __future__ import annotations

import re

from igen.errors import IgenError
from igen.nearest import suggestion

_UNKNOWN = re.compile(r"unknown field `([^`]*)`")


def with_suggestion(error: IgenError, workload: str) -> IgenError:
    """Return the error with the nearest known name as its hint."""
    from igen.fleet.agent import Agent

    group, _, field = error.where.partition(".")
    if group not in ("workload", "params"):
        return error
    workloads = {offered["name"]: offered for offered in Agent().list("workloads")}
    if group == "workload" and workload not in workloads:
        error.hint = suggestion(workload, workloads)
    elif group == "params" and workload in workloads:
        known = list(workloads[workload].get("params", {}).get("properties", {}))
        if not field and (unknown := _UNKNOWN.search(error.text)):
            # Some workloads name the table alone.
            field = unknown[1]
            error.where = f"params.{field}"
        if field and field.partition(".")[0] not in known:
            error.hint = suggestion(field, known) if known else "this workload has no parameters"
    return error
