"""`igen run`: sweep a workload over a list of loads, or search its peak."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.cli.load_flags import study_of_workload, without_yielding
from igen.cli.load_options import load_options
from igen.cli.telemetry import Telemetry, telemetry_options
from igen.cli.workload_help import WorkloadCommand
from igen.errors import IgenError, InputError

if TYPE_CHECKING:
    from igen.store.run import Run
    from igen.study.plan import Repeats
    from igen.study.study import Study


@click.command(cls=WorkloadCommand)
@p.workload_argument
@load_options
@click.option("--find-peak", is_flag=True, help="Search for the number of users with the highest throughput.")
@click.option(
    "--repeats",
    metavar="N|auto",
    callback=p.repeats,
    help="Runs of each level; auto: 3 to 10, until the throughput is known to 2 %.  [default: 5; "
    "mem: 3 or 2]",
)
@click.option(
    "--torture",
    metavar="TIME",
    callback=p.limit_s,
    help="Load storage for this time, in segments of --duration (default: at most 10min), and "
    "verify after each.",
)
@click.option("--resume", metavar="RUN", help="Continue a run that ended early.")
@click.option(
    "--name", metavar="SYSTEM", help="Name of the system in comparisons.  [default: the name of this host]"
)
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
    """Measure a workload at one or several loads.

    The load is closed (--users, --think-time), paced (--users, --pace) or open (--rate, --arrivals; --users
    then limits the connections). Sizes and times have units: 512MiB, 5ms. `igen run oltp --help` also prints
    the parameters of oltp.

    The exit code is 0 if all levels were measured, whatever the verdict. It is 1 if the load failed
    (transactions failed, the server was lost, the load process was killed or could not send the rate) or a
    level crosses a threshold of --fail-if.

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

    flags = without_yielding(flags)
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
    find_peak: bool,
    torture: float | None,
    repeats: Repeats | None,
    name: str | None,
    fill: bool = False,
    **flags: Any,
) -> Study:
    """Return the study that these flags mean. Raises `InputError` if they contradict each other."""
    import msgspec

    from igen.cli.run_plan import run_plan

    rates = bool(flags.get("rate"))
    plan = run_plan(
        workload, find_peak=find_peak, torture_s=torture, repeats=repeats, open_load=rates, fill=fill
    )
    study = msgspec.structs.replace(study_of_workload(workload, flags), system=name or "", plan=plan)
    return msgspec.structs.replace(study, job=plan.job(study.job))
