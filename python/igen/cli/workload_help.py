"""The parameters of a workload in `igen run WORKLOAD --help`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from igen.errors import IgenError
from igen.workload_parameters import choices_of, default_of, kind_of, known_workload, summary_of

_ARGUMENTS = "igen.arguments"
"""Key of the command line in a context's `meta`."""
_LONGEST_TERM = 27
"""Most characters of a name with its values; longer lists of values are part of the description."""


class WorkloadCommand(click.Command):
    """A command whose help shows the parameters of the workload on the command line."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Parse the arguments, and keep them: help is printed before the workload is read."""
        context.meta[_ARGUMENTS] = [*arguments]
        return super().parse_args(context, arguments)

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the parameters, if the agent knows the workload."""
        workload = self._asked_for(context)
        if workload is None:
            return
        with formatter.section(f"Parameters of {workload['name']} (--set KEY=VALUE)"):
            rows = [*parameter_rows(workload["params"])]
            if rows:
                formatter.write_dl(rows, col_max=_LONGEST_TERM)
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
    """Yield name with values, and summary with default, of each parameter."""
    for name, field in schema.get("properties", {}).items():
        choices = choices_of(field, schema)
        term = f"{name}={'|'.join(choices) or kind_of(field, schema)}"
        parts = [summary_of(field)]
        if choices and len(term) > _LONGEST_TERM:
            term = f"{name}=WORD"
            parts.append(f"One of {', '.join(choices)}.")
        if default := default_of(field, schema):
            parts.append(f" [default: {default}]")
        yield term, " ".join(parts)
