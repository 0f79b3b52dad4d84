"""Kinds of flags and arguments that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from igen.errors import InputError

Number = TypeVar("Number", int, float)
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def users(context: click.Context, parameter: click.Parameter, text: str | None) -> list[int]:
    """Numbers of users: `1,2,4`."""
    return _list(parameter, text, int, "a number of users", "use whole numbers from 1 on: --users 1,2,4")


def rates(context: click.Context, parameter: click.Parameter, text: str | None) -> list[float]:
    """Arrivals per second: `100,200` or `6000/min`."""
    from igen.units import parse_rate_per_s

    return _list(parameter, text, parse_rate_per_s, "a rate", "use numbers above 0: --rate 100,200")


def rate(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Something per second: `10/s`."""
    from igen.units import parse_rate_per_s

    return None if text is None else _placed(parameter, parse_rate_per_s, text)


def time_s(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """A time with its unit: `5ms`, or 0."""
    return None if text is None else _placed(parameter, _time_s, text)


def duration(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """The text of a time: `10s`; or of `auto`, which the option itself explains."""
    if text is not None and text != "auto":
        time_s(context, parameter, text)
    return text


def think_time(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> float | dict[str, Any] | None:
    """A time, or what times are drawn from: `1s`, `uniform:5s,15s`, `exponential:8s`."""
    kind, is_drawn, times = (text or "").partition(":")
    if not is_drawn:
        return time_s(context, parameter, text)
    parsed = [_placed(parameter, _time_s, time) for time in times.split(",")]
    match kind, parsed:
        case "uniform", [_, _]:
            return {kind: parsed}
        case "exponential", [mean_s]:
            return {kind: mean_s}
    hint = "use a time (1s), uniform:5s,15s or exponential:8s"
    raise InputError(f"`{text}` is not a think time", where=parameter.opts[0], hint=hint)


def limit_s(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """A time above 0: `30ms`."""
    value = time_s(context, parameter, text)
    if value == 0:
        raise InputError("no response time is below 0", where=parameter.opts[0], hint="such as 30ms")
    return value


def share(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """A share: `2%`."""
    from igen.units import parse_share

    return None if text is None else _placed(parameter, parse_share, text)


def repeats(context: click.Context, parameter: click.Parameter, text: str | None) -> int | str | None:
    """Executions of each level: a number, or `auto`."""
    if text is None or text == "auto":
        return text
    if text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= 1000:
        return int(text)
    raise InputError(
        f"`{text}` is not a number of repeats", where="--repeats", hint="use 1 to 1000 or auto; 3 for a ratio"
    )


def threads(context: click.Context, parameter: click.Parameter, text: str | None) -> int | str | None:
    """Threads of the client: a number, or `auto`."""
    from igen.study.thread_count import threads_of

    return None if text is None else threads_of(text, "--threads") or text


def thresholds(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> list[str]:
    """Thresholds: `p99 of response > 20ms`, checked before anything is measured."""
    if texts:
        from igen.judge.compare.threshold import parse_threshold

        for text in texts:
            try:
                parse_threshold(text)
            except InputError as error:
                error.where = parameter.opts[0]
                raise
    return list(texts)


def report_file(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """A file whose suffix names a format, known before anything is measured."""
    if path is not None:
        from igen.report.formats import format_of

        try:
            format_of(path)
        except InputError as error:
            error.where = parameter.opts[-1]
            raise
    return path


def page_file(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """A file whose suffix names a format of pages: HTML or Markdown."""
    report_file(context, parameter, path)
    if path is not None and path.suffix not in (".html", ".md"):
        raise InputError(
            f"`{path}` is no page", where=parameter.opts[-1], hint="end its name with .html or .md"
        )
    return path


def settings(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, Any]:
    """Parameters of a workload: `key=value`; a value that is no number, true, false or null is text.

    A key with dots, such as `session_variables.commit_delay`, goes into a table.
    """
    if not texts:
        return {}
    from igen.study.levels import set_path

    values: dict[str, Any] = {}
    seen: set[str] = set()
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            option = parameter.opts[0]
            hint = f"such as {option} service_time=5ms"
            raise InputError(f"`{text}` is not key=value", where=option, hint=hint)
        if key in seen:
            where = f"{parameter.opts[0]} {key}"
            raise InputError(f"`{key}` is there twice", where=where, hint="leave one of them out")
        seen.add(key)
        set_path(values, key, _from_file(value, parameter) if key == "scenario" else scalar(value))
    return values


def _from_file(text: str, parameter: click.Parameter) -> Any:
    """What is in the file that `@FILE` names."""
    from igen.study.scenario import read_scenario

    where = f"{parameter.opts[0]} scenario"
    if not text.startswith("@"):
        raise InputError(f"`{text}` names no file", where=where, hint="such as scenario=@call-centre.toml")
    return read_scenario(Path(text[1:]), where)


def scalar(text: str) -> Any:
    """A number, true, false or null; text where it is none of them."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, list | dict) else value


def _time_s(text: str) -> float:
    """Seconds; a number without unit, which might be meant as milliseconds, is refused."""
    from igen.units import parse_time_s

    value = parse_time_s(text)
    if value and text.strip()[-1] in "0123456789.":
        raise InputError(f"`{text}` has no unit", hint=f"such as {text.strip()}s or {text.strip()}ms")
    return value


def _list(
    parameter: click.Parameter, text: str | None, read: Callable[[str], Number], what: str, hint: str
) -> list[Number]:
    values: list[Number] = []
    for part in text.split(",") if text is not None else ():
        try:
            value = read(part)
        except (ValueError, InputError):
            value = None
        if value is None or value <= 0:
            raise InputError(f"`{part}` is not {what}", where=parameter.opts[0], hint=hint)
        if value in values:
            raise InputError(f"`{part}` is there twice", where=parameter.opts[0])
        values.append(value)
    return values


def _placed(parameter: click.Parameter, read: Callable[[str], float], text: str) -> float:
    try:
        return read(text)
    except InputError as error:
        error.where = parameter.opts[0]
        raise


def _run_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.store.store import Store

    runs = [row.run for row in Store(context.params.get("store")).list_runs()]
    return [name for name in ["last", *reversed(runs)] if name.startswith(incomplete)]


def _workload_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.fleet.agent import Agent

    return [
        workload["name"] for workload in Agent().list("workloads") if workload["name"].startswith(incomplete)
    ]


def _settings(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """`key=` of each parameter of the workload, and `key=value` where it may be one of some words."""
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
quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Exit with code 1 also if no level is valid, or a threshold cannot be decided.",
)
target_option = click.option(
    "--target",
    "targets",
    metavar="URL",
    multiple=True,
    help="System under test, such as sqlite:///shop.db; may be repeated. 'sqlite:///shard{1..4}.db' "
    "means four targets.",
)
set_option = click.option(
    "--set",
    "params",
    metavar="KEY=VALUE...",
    multiple=True,
    callback=settings,
    shell_complete=_settings,
    help="Parameters of the workload, such as customers=1000; may be repeated.",
)
margin_option = click.option(
    "--margin",
    metavar="SHARE",
    callback=share,
    help="Smaller differences count as equivalent.  [default: 3 %, or the margin of the study]",
)
fail_if_option = click.option(
    "--fail-if",
    metavar="THRESHOLD",
    multiple=True,
    callback=thresholds,
    help="Exit with code 1 if a level crosses this: 'p99 of response > 20ms', 'throughput < 1000/s "
    "at 8 users', 'errors > 0'; may be repeated.",
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
force_option = click.option("--force", is_flag=True, help="Continue if a check refuses.")
scale_option = click.option(
    "--scale", "factor", metavar="FACTOR", type=float,
    help="Multiply the sizes and times that the study lists as scalable.",
)  # fmt: skip
own_data_option = click.option(
    "--i-own-this-data",
    is_flag=True,
    help="Allow writes to devices, files and trees that iGen did not create.",
)
fleet_option = click.option(
    "--fleet",
    metavar="ADDRESS",
    help="Place of the load processes: local, or the nodes of a Ray cluster: ray://HOST:PORT, auto."
    "  [default: local]",
)
insecure_option = click.option("--insecure", is_flag=True, help="Use a cluster without token and TLS.")
agents_option = click.option(
    "--agents",
    metavar="N",
    type=click.IntRange(1, 1000),
    help="Number of load processes that share each level.  [default: 1]",
)
on_loss_option = click.option(
    "--on-loss",
    metavar="POLICY",
    type=click.Choice(["fail", "continue", "redistribute"]),
    help="If a load process is lost: fail ends the level, continue measures with the others, "
    "redistribute also shares the next levels among them.  [default: fail]",
)
workload_argument = click.argument("workload", shell_complete=_workload_names)
bundle_argument = click.argument("path", metavar="BUNDLE", type=click.Path(dir_okay=False, path_type=Path))
run_argument = click.argument("reference", metavar="RUN", shell_complete=_run_names)
runs_argument = click.argument("references", metavar="RUN...", nargs=-1, shell_complete=_run_names)
