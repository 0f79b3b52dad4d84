"""What the agent knows of a workload's parameters, for `igen run WORKLOAD --help` and for completion."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from igen.errors import IgenError

_ARGUMENTS = "igen.arguments"
"""Key of the command line in a context's `meta`."""
_MOST_TYPE = 24
"""A longer list of values stands in the description."""


class WorkloadCommand(click.Command):
    """A command whose help tells the parameters of the workload that it is asked for with."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Keeps the command line: help is asked for before the workload is read."""
        context.meta[_ARGUMENTS] = [*arguments]
        return super().parse_args(context, arguments)

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The parameters, where a workload is named that the agent knows."""
        workload = self._asked_for(context)
        if workload is None:
            return
        with formatter.section(f"Parameters of {workload['name']} (--set KEY=VALUE)"):
            rows = [*parameter_rows(workload["params"])]
            if rows:
                formatter.write_dl(rows, col_max=_MOST_TYPE + 8)
            else:
                formatter.write_text("none")

    def _asked_for(self, context: click.Context) -> dict[str, Any] | None:
        arguments = context.meta.get(_ARGUMENTS, [])
        try:
            given, _, _ = self.make_parser(context).parse_args([*arguments])
            return known_workload(str(given.get("workload")))
        except (click.UsageError, IgenError):
            return None


def known_workload(name: str) -> dict[str, Any] | None:
    """What the agent says of a workload; None where it does not know it."""
    from igen.fleet.agent import Agent

    return next((each for each in Agent().list("workloads") if each["name"] == name), None)


def parameter_rows(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Name with type, and description with default, of each parameter."""
    for name, field in schema.get("properties", {}).items():
        choices = choices_of(field, schema)
        kind = "|".join(choices) or _kind(field, schema)
        said = " ".join(field.get("description", "").split())
        if len(kind) > _MOST_TYPE:
            said, kind = f"{said} One of {', '.join(choices)}.", "WORD"
        default = field.get("default")
        told = "" if default is None or "absent" in said else f"  [default: {_text(default)}]"
        yield f"{name}={kind}", f"{said}{told}"


def choices_of(field: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """The words that a parameter may be; empty where it may be anything else."""
    found: list[str] = []
    for each in _variants(field, schema):
        if "const" in each:
            found.append(str(each["const"]))
        elif "enum" in each:
            found += map(str, each["enum"])
        elif each.get("type") == "boolean":
            found += ["true", "false"]
        elif each.get("type") != "null":
            return []
    return found


def _kind(field: dict[str, Any], schema: dict[str, Any]) -> str:
    """What stands for a value: `N`, `TIME`, `SIZE`."""
    for each in _variants(field, schema):
        kinds: Sequence[str] = each["type"] if isinstance(each.get("type"), list) else [each.get("type", "")]
        said = each.get("description", "")
        if "string" in kinds and "number" in kinds:
            return "TIME" if said.startswith("a time") else "SIZE" if said.startswith("a size") else "VALUE"
        if "integer" in kinds or "number" in kinds:
            return "N"
        if "object" in kinds:
            return "TABLE"
    return "TEXT"


def _variants(field: dict[str, Any], schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The field, or each of the schemas that it may follow, references resolved."""
    if "$ref" in field:
        yield from _variants(schema["$defs"][field["$ref"].rpartition("/")[2]], schema)
    elif "anyOf" in field or "oneOf" in field:
        for each in field.get("anyOf", []) + field.get("oneOf", []):
            yield from _variants(each, schema)
    else:
        yield field


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
