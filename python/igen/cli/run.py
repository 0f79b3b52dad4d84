"""`igen run`: sweep a workload over a list of loads, or search its peak."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.ask.asked import QUESTIONS, Asked
from igen.cli import parameters as p
from igen.cli.load_flags import without_yielding
from igen.cli.load_options import asked_options
from igen.cli.telemetry import Telemetry, telemetry_options
from igen.cli.workload_help import WorkloadCommand
from igen.errors import IgenError, InputError

if TYPE_CHECKING:
    from igen.store.run import Run
    from igen.study.study import Study


@click.command(cls=WorkloadCommand)
@p.workload_argument
@asked_options("load", "plan")
@click.option("--resume", metavar="RUN", help="Continue a run that ended early.")
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
    workload: str,
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
    from igen.ask.study import study_of_asked
    from igen.cli.conduct import conduct
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.suggest import with_suggestion
    from igen.workbench.run_defaults import defaults_of, with_run_defaults

    flags = without_yielding(flags)
    try:
        if resume is not None:
            begun, study = _resumed(resume, store, workload, Asked(**flags))
        else:
            asked = with_run_defaults(Asked(**flags), defaults_of(workload))
            begun, study = None, study_of_asked(workload, asked)
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
        raise in_terms_of_flags(with_suggestion(error, workload)) from error


def _resumed(reference: str, store: str | None, workload: str, asked: Asked) -> tuple[Run, Study]:
    """Return the run to continue, and its study, which has all other answers already."""
    from igen.store.store import Store
    from igen.workbench.resumed import resumed

    context = click.get_current_context()
    for name, question in QUESTIONS.items():
        source = context.get_parameter_source(name)
        if source == click.core.ParameterSource.COMMANDLINE and name not in ("torture", "force"):
            hint = "a run continues with its original settings; only --torture and --force can change"
            raise InputError("cannot be combined with --resume", where=question.option, hint=hint)
    return resumed(
        reference,
        Store(store),
        workload=workload,
        torture_s=asked.torture,
        force=bool(asked.force),
    )
