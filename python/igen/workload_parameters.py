"""What the agent knows of workloads and their parameters, for help, completion and forms."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from igen.units import SIZE_UNITS, TIME_UNITS, quantity_text

_QUANTITIES = {"bytes": "SIZE", "seconds": "TIME"}
"""What stands for a quantity, by the format in its schema."""
_UNITS: dict[str, Mapping[str, float]] = {"bytes": SIZE_UNITS, "seconds": TIME_UNITS}
"""Units of a quantity, by its format."""
_IN_WORDS = "x-default"
"""Key of a default that is not one value, such as a size that depends on the machine."""


def known_workloads() -> list[dict[str, Any]]:
    """What the agent says of all workloads. Raises `IgenError` where there is no agent."""
    from igen.fleet.agent import Agent

    return Agent().list("workloads")


def known_workload(name: str) -> dict[str, Any] | None:
    """What the agent says of a workload; None where it does not know it."""
    return next((each for each in known_workloads() if each["name"] == name), None)


def choices_of(field: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """The words that a parameter may be; empty where it may be anything else."""
    found: list[str] = []
    for each in variants(field, schema):
        if "const" in each:
            found.append(str(each["const"]))
        elif "enum" in each:
            found += map(str, each["enum"])
        elif each.get("type") == "boolean":
            found += ["true", "false"]
        elif each.get("type") != "null":
            return []
    return found


def kind_of(field: dict[str, Any], schema: dict[str, Any]) -> str:
    """What stands for a value: `N`, `TIME`, `SIZE`."""
    for each in variants(field, schema):
        kinds: Sequence[str] = each["type"] if isinstance(each.get("type"), list) else [each.get("type", "")]
        if "string" in kinds and "number" in kinds:
            return _QUANTITIES.get(each.get("format", ""), "VALUE")
        if "integer" in kinds or "number" in kinds:
            return "N"
        if "object" in kinds:
            return "TABLE"
    return "TEXT"


def variants(field: dict[str, Any], schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The field, or each of the schemas that it may follow, references resolved."""
    if "$ref" in field:
        yield from variants(schema["$defs"][field["$ref"].rpartition("/")[2]], schema)
    elif "anyOf" in field or "oneOf" in field:
        for each in field.get("anyOf", []) + field.get("oneOf", []):
            yield from variants(each, schema)
    else:
        yield field


def summary_of(field: dict[str, Any]) -> str:
    """Return the first paragraph of a parameter's description; the reference has the others."""
    return " ".join(field.get("description", "").split("\n\n")[0].split())


def default_of(field: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return the default of a parameter as one types it, or in words; empty if it has none."""
    if words := field.get(_IN_WORDS):
        return str(words)
    default = field.get("default")
    if default in (None, [], {}):
        return "" if default is None else "none"
    units = next(filter(None, (_UNITS.get(each.get("format", "")) for each in variants(field, schema))), None)
    if units and isinstance(default, int | float):
        return quantity_text(default, units)
    if isinstance(default, list):
        return ",".join(map(str, default))
    return default if isinstance(default, str) else json.dumps(default)
