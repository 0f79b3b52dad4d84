"""Names what was probably meant where the agent does not know a workload or a parameter."""

from __future__ import annotations

from igen.errors import IgenError


def with_suggestion(error: IgenError, workload: str) -> IgenError:
    """The same error, with the nearest name as its hint if a name is what it is about."""
    from igen.fleet.agent import Agent
    from igen.study.study import suggestion

    group, _, field = error.where.partition(".")
    if group not in ("workload", "params"):
        return error
    workloads = {offered["name"]: offered for offered in Agent().list("workloads")}
    if group == "workload" and workload not in workloads:
        error.hint = suggestion(workload, list(workloads))
    elif group == "params" and workload in workloads:
        known = list(workloads[workload].get("params", {}).get("properties", {}))
        if field not in known:
            error.hint = suggestion(field, known) if known else "this workload has no parameters"
    return error
