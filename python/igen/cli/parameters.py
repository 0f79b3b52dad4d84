"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from igen.ask import kinds
from igen.ask.asked import QUESTIONS
from igen.errors import InputError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def reading(kind: Callable[[Any, str], Any]) -> Callable[..., Any]:
    """Return the callback of an option of this kind; its errors name the option."""

    def callback(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        return None if value is None else kind(value, parameter.opts[0])

    return callback


users = reading(kinds.users)
duration = reading(kinds.duration)
limit_s = reading(kinds.limit_s)
repeats = reading(kinds.repeats)
share = reading(kinds.share)


def settings(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, Any]:
    """Return parameters of a workload, with the content of the file that `scenario=@FILE` names."""
    option = parameter.opts[0]
    params = kinds.settings(texts, option)
    if "scenario" in params:
        params["scenario"] = _from_file(str(params["scenario"]), f"{option} scenario")
    return params


def _from_file(text: str, where: str) -> dict[str, Any]:
    from igen.study.scenario import read_scenario

    if not text.startswith("@"):
        raise InputError(
            f"`{text}` does not name a file", where=where, hint="such as scenario=@call-centre.toml"
        )
    return read_scenario(Path(text[1:]), where)


def report_file(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Return a file with a known suffix. Raises an error before anything is measured."""
    if path is not None:
        from igen.report.formats import format_of

        try:
            format_of(path)
        except InputError as error:
            error.where = parameter.opts[-1]
            raise
    return path


def page_file(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Return a file with a suffix of HTML or Markdown."""
    report_file(context, parameter, path)
    if path is not None and path.suffix not in (".html", ".md"):
        raise InputError(
            f"`{path}` is not an HTML or Markdown file",
            where=parameter.opts[-1],
            hint="end its name with .html or .md",
        )
    return path


def _run_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.store.store import Store

    runs = [row.run for row in Store(context.params.get("store")).list_runs()]
    return [name for name in ["last", *reversed(runs)] if name.startswith(incomplete)]


def _workload_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.fleet.agent import Agent

    return [
        workload["name"] for workload in Agent().list("workloads") if workload["name"].startswith(incomplete)
    ]


def settings_at_hand(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return `key=` for each parameter of the workload, and `key=value` if it has a list of values."""
    from igen.workload_parameters import choices_of, known_workload

    # While the option lacks its value, what stands before it is read no further than to words.
    words = [str(context.params.get("workload")), *context.args]
    workload = next((found for found in map(known_workload, words) if found), None)
    if workload is None:
        return []
    schema = workload["params"]
    found: list[str] = []
    for name, field in schema.get("properties", {}).items():
        values = choices_of(field, schema) if incomplete.startswith(f"{name}=") else []
        found += [f"{name}={value}" for value in values] or [f"{name}="]
    return [each for each in found if each.startswith(incomplete)]


def question_option(name: str) -> Decorator:
    """Return the option of a question of `igen.ask`."""
    question = QUESTIONS[name]
    kind, names = question.kind, [question.option, name]
    shown = f"  [default: {question.shown_default}]" if question.shown_default else ""
    told = f"{question.help}{' May be repeated.' if kind.many else ''}{shown}"
    if kind is kinds.YES:
        return click.option(*names, is_flag=True, help=told)
    if kind is kinds.YES_OR_NO:
        both = f"{question.option}/{question.option.replace('--', '--no-', 1)}"
        return click.option(both, name, default=None, help=told)
    if kind.choices:
        return click.option(*names, type=click.Choice(kind.choices), help=told)
    return click.option(
        *names,
        metavar=question.metavar,
        multiple=kind.many,
        callback=settings if kind is kinds.SETTINGS else reading(kind.read),
        shell_complete=settings_at_hand if kind is kinds.SETTINGS else None,
        help=told,
    )


def _report_option(*names: str, help: str, required: bool = False) -> Decorator:
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option(*names, metavar="FILE", type=kind, callback=report_file, required=required, help=help)


def output_option(*, required: bool) -> Decorator:
    """`-o FILE`: a report."""
    return _report_option(
        "-o", "--output", required=required, help="Write a report: .html, .md, .csv or .json."
    )


slamd_option = click.option("--slamd", is_flag=True, help="Add the statistics in SLAMD's columns.")
all_option = click.option(
    "--all", "whole", is_flag=True, help="Print all tables and observations, not one screen."
)
title_option = click.option("--title", default="", help="Title of the report.  [default: the study's]")
report_option = _report_option(
    "--report",
    help="Write the report to this file.  [default: report.html in the folder of the run; no report "
    "with --json or --quiet]",
)
store_option = click.option(
    "--store",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Folder of all runs.  [default: ./igen-runs or IGEN_STORE]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
quiet_option = click.option("--quiet", is_flag=True, help="Do not show progress.")
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Exit with code 1 also if no level is valid, or a threshold cannot be decided.",
)
target_option = question_option("targets")
set_option = question_option("params")
force_option = question_option("force")
own_data_option = question_option("i_own_this_data")
margin_option = click.option(
    "--margin",
    metavar="SHARE",
    callback=share,
    help="Smaller differences count as equivalent.  [default: 3 %, or the margin of the study]",
)
fail_if_slower_option = click.option(
    "--fail-if-slower",
    metavar="SHARE",
    callback=share,
    help="Exit with code 1 unless the runs prove that no system is slower than the first one by "
    "this share, at each common load: 5%.",
)
junit_option = click.option(
    "--junit",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all checks and their outcomes as JUnit XML.",
)
format_option = click.option(
    "--format",
    "text_format",
    type=click.Choice(["text", "markdown"]),
    default="text",
    show_default=True,
    help="Format of the output: text, or Markdown for a pull request.",
)
scale_option = click.option(
    "--scale", "factor", metavar="FACTOR", type=float,
    help="Multiply the sizes and times that the study lists as scalable.",
)  # fmt: skip
workload_argument = click.argument("workload", shell_complete=_workload_names)
bundle_argument = click.argument("path", metavar="BUNDLE", type=click.Path(dir_okay=False, path_type=Path))
run_argument = click.argument("reference", metavar="RUN", shell_complete=_run_names)
runs_argument = click.argument("references", metavar="RUN...", nargs=-1, shell_complete=_run_names)
