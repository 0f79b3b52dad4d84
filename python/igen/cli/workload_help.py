"""What the agent knows of a workload's parameters, for `igen run WORKLOAD --help` and for completion."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from igen.errors import IgenError
from igen.workload_parameters import choices_of, kind_of, known_workload

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


def parameter_rows(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Name with type, and description with default, of each parameter."""
    for name, field in schema.get("properties", {}).items():
        choices = choices_of(field, schema)
        kind = "|".join(choices) or kind_of(field, schema)
        said = " ".join(field.get("description", "").split())
        if len(kind) > _MOST_TYPE:
            said, kind = f"{said} One of {', '.join(choices)}.", "WORD"
        default = field.get("default")
        told = "" if default is None or "absent" in said else f"  [default: {_text(default)}]"
        yield f"{name}={kind}", f"{said}{told}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
