"""`igen run`: sweep a workload over a list of loads, or search its peak."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.cli.telemetry import Telemetry, telemetry_options
from igen.cli.workload_help import WorkloadCommand
from igen.errors import IgenError, InputError

if TYPE_CHECKING:
    from igen.store.run import Run
    from igen.study.plan import Repeats
    from igen.study.study import Study


@click.command(cls=WorkloadCommand)
@p.workload_argument
@p.target_option
@click.option(
    "--users",
    metavar="N,N,...",
    callback=p.users,
    help="Levels: concurrent users.  [default: 1; mem: up to one for each processor]",
)
@click.option(
    "--rate", metavar="R,R,...", callback=p.rates, help="Levels of an open load: arrivals per second."
)
@click.option("--find-peak", is_flag=True, help="Search the number of users with the highest throughput.")
@click.option(
    "--think-time",
    metavar="TIME",
    callback=p.think_time,
    help="Wait of each user between two transactions: 1s, or drawn: uniform:5s,15s, exponential:8s.",
)
@click.option(
    "--pace", metavar="RATE", callback=p.rate, help="Transactions that each user starts per second: 10/s."
)
@click.option(
    "--arrivals", type=click.Choice(["constant", "poisson"]), help="Spacing of an open load's arrivals."
)
@click.option(
    "--duration",
    metavar="TIME",
    callback=p.duration,
    help="Length of each measurement.  [default: 10s; mem: less]",
)
@click.option(
    "--warmup",
    metavar="auto|TIME",
    callback=p.duration,
    default="auto",
    show_default=True,
    help="Load before each measurement; auto: a fifth of it, then measured longer until steady.",
)
@click.option(
    "--repeats",
    metavar="N|auto",
    callback=p.repeats,
    help="Executions of each level; auto: until it is known to 2 %, 3 to 10.  [default: 5; mem: 3 or 2]",
)
@click.option(
    "--torture",
    metavar="TIME",
    callback=p.limit_s,
    help="Load storage for so long, in segments of --duration [default: 10min at most]; verify after each.",
)
@click.option("--resume", metavar="RUN", help="Go on with a run that ended early.")
@click.option(
    "--response-time-limit",
    metavar="TIME",
    callback=p.limit_s,
    help="Name the highest load whose mean response time is below it: 30ms.",
)
@click.option(
    "--seed",
    metavar="N",
    type=int,
    help="Of what users draw: keys, arrivals, service times.  [default: another in each study]",
)
@p.set_option
@click.option("--verify", is_flag=True, help="Storage must keep what is written: --set verify=true.")
@click.option("--name", metavar="SYSTEM", help="Name of the system in comparisons.  [default: this host's]")
@p.agents_option
@p.fleet_option
@p.on_loss_option
@p.insecure_option
@click.option("--pin", is_flag=True, help="Pin each user's thread to a processor.")
@p.force_option
@p.own_data_option
@p.fail_if_option
@p.strict_option
@p.store_option
@p.report_option
@p.junit_option
@telemetry_options
@p.json_option
@p.quiet_option
def run(
    store: str | None,
    report: Path | None,
    junit: Path | None,
    as_json: bool,
    quiet: bool,
    strict: bool,
    telemetry: Telemetry,
    resume: str | None,
    **flags: Any,
) -> int:
    """Sweep a workload over a list of loads.

    The load is closed (--users, --think-time), paced (--users, --pace) or open (--rate, --arrivals; --users
    then limits the connections). Sizes and times take units: 512MiB, 5ms. `igen run oltp --help` also tells
    the parameters of oltp.

    The exit code is 0 when everything was measured, whatever the verdict says of the machine, and 1 when the
    load itself failed (transactions failed, the server was lost, the load process was killed or could not
    send the rate) or a threshold of --fail-if is crossed.

    \b
    Examples:
      igen run cpu --users 1,2,4
      igen run oltp --help
      igen run oltp --target sqlite:///shop.db --users 1,2,4,8 --repeats 3 --duration 10s
      igen run ram --set bytes_per_user=512MiB --users 1,2
      igen run mem
      igen run mem --set kernel=copy width=avx2 stores=nt pages=thp size_bytes=512MiB
      igen run model --rate 100 --users 1 --arrivals poisson --set service_time=5ms
      igen run oltp --find-peak --name before
      igen run io --target file:///data/f --users 16 --torture 200h
      igen run io --torture 200h --resume last
      igen run oltp --resume last
      igen run oltp --users 1,8 --fail-if 'p99 of response > 20ms at 8 users' --fail-if 'errors > 0'
    """
    from igen.cli.conduct import conduct
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.suggest import with_suggestion
    from igen.workbench.run_defaults import defaults_of, with_run_defaults

    flags = _without_yielding(flags)
    try:
        if resume is not None:
            begun, study = _resumed(resume, store, flags)
        else:
            begun, study = None, study_from_flags(**with_run_defaults(flags, defaults_of(flags["workload"])))
        return conduct(
            study,
            store=store,
            report=report,
            junit=junit,
            as_json=as_json,
            quiet=quiet,
            strict=strict,
            telemetry=telemetry,
            begun=begun,
        )
    except IgenError as error:
        raise in_terms_of_flags(with_suggestion(error, flags["workload"])) from error


_YIELDING = ("users", "rate", "think_time", "pace", "arrivals", "repeats")
"""What a file's defaults say of load and plan."""
_CHOOSING = ("rate", "pace", "find_peak", "torture")
"""What chooses another load model or another plan: each has a use for some of those only."""


def _without_yielding(flags: dict[str, Any]) -> dict[str, Any]:
    """The flags without a file's defaults that the command line has chosen another kind of run over."""
    context = click.get_current_context()
    source = {name: context.get_parameter_source(name) for name in flags}
    if not any(source[name] == click.core.ParameterSource.COMMANDLINE for name in _CHOOSING):
        return flags
    empty: dict[str, list[int]] = {"users": [], "rate": []}
    from_file = click.core.ParameterSource.DEFAULT_MAP
    return {
        name: empty.get(name) if name in _YIELDING and source[name] == from_file else value
        for name, value in flags.items()
    }


def _resumed(reference: str, store: str | None, flags: dict[str, Any]) -> tuple[Run, Study]:
    """The run to go on with, and its study. All else that was asked for is in there already."""
    from igen.store.store import Store
    from igen.workbench.resumed import resumed

    context = click.get_current_context()
    for name in flags:
        source = context.get_parameter_source(name)
        if source == click.core.ParameterSource.COMMANDLINE and name not in ("workload", "torture", "force"):
            option = next(each.opts[0] for each in context.command.params if each.name == name)
            hint = "a run is resumed as it was begun; only --torture and --force can be given anew"
            raise InputError("does not go with --resume", where=option, hint=hint)
    return resumed(
        reference,
        Store(store),
        workload=flags["workload"],
        torture_s=flags["torture"],
        force=flags["force"],
    )


def study_from_flags(
    *,
    workload: str,
    targets: tuple[str, ...],
    users: list[int],
    rate: list[float],
    find_peak: bool,
    think_time: float | dict[str, Any] | None,
    pace: float | None,
    arrivals: str | None,
    duration: str | None,
    warmup: str,
    repeats: Repeats | None,
    torture: float | None,
    response_time_limit: float | None,
    seed: int | None,
    params: dict[str, Any],
    verify: bool,
    name: str | None,
    agents: int | None,
    fleet: str | None,
    on_loss: str | None,
    insecure: bool,
    pin: bool,
    force: bool,
    i_own_this_data: bool,
    fail_if: list[str],
) -> Study:
    """The study that these flags mean. Raises `InputError` where they contradict each other."""
    from igen.cli.flags import load_path
    from igen.cli.run_plan import fleet_plan, run_plan
    from igen.study.levels import set_path
    from igen.study.plan import TorturePlan
    from igen.study.segment import segment_job
    from igen.study.study import Study

    plan = run_plan(workload, find_peak=find_peak, torture_s=torture, repeats=repeats, open_load=bool(rate))
    model = "open" if rate else "paced" if pace is not None else "closed"
    job: dict[str, Any] = {
        "workload": workload,
        "targets": list(targets),
        "params": params | ({"verify": True} if verify else {}),
        "load": {model: {}},
    }
    for flag, value in (("--think-time", think_time), ("--pace", pace), ("--arrivals", arrivals)):
        if value is not None:
            set_path(job, load_path(flag, model), value)
    for path, value in (
        ("phases.measure_s", duration),
        ("phases.warmup_s", None if warmup == "auto" else warmup),
        ("load_seed", seed),
        ("placement.thread.pin", pin or None),
        ("force", force or None),
        ("i_own_this_data", i_own_this_data or None),
    ):
        if value is not None:
            set_path(job, path, value)
    if isinstance(plan, TorturePlan):
        job = segment_job(job, plan.under_load_s)
    if model == "open":
        axes: dict[str, list[Any]] = {load_path("--rate", model): list(rate)}
        if users:
            axes[load_path("--users", model)] = list(users)
    else:
        axes = {load_path("--users", model): list(users or [1])}
    return Study(
        name=workload,
        system=name or "",
        plan=plan,
        job=job,
        axes=axes,
        response_time_limit=response_time_limit,
        fail_if=fail_if,
        fleet=fleet_plan(agents=agents, address=fleet, on_loss=on_loss, insecure=insecure),
    )
