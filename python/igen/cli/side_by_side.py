"""What `igen ab` and `igen aa` have in common: one plan whose two systems stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from igen.errors import InputError

if TYPE_CHECKING:
    from igen.study.plan import Repeats
    from igen.study.study import Study

JOB_TABLES = ("load.", "personas.", "phases.", "placement.")
"""A setting whose name begins so is a field of the job; all others are parameters of the workload."""


def plan_of(
    name: str,
    *,
    targets: Sequence[str],
    users: list[int],
    duration: str | None,
    params: dict[str, Any],
    seed: int | None,
) -> Study:
    """The study in a file that ends in `.toml`, or that of a workload; flags are laid over its job.

    Raises `InputError` for a study that is no sweep, or has systems or tests of its own.
    """
    import msgspec

    from igen.study.levels import USERS_AXIS, merged
    from igen.study.plan import SweepPlan, mode_of
    from igen.study.study import Study, load_study

    if name.endswith(".toml"):
        study = load_study(Path(name))
        own = "systems" if study.systems else "tests" if study.tests else None
        if not isinstance(study.plan, SweepPlan):
            own = f'plan.mode = "{mode_of(study.plan)}"'
        if own:
            raise InputError(f"the study has `{own}` of its own", where=name, hint="`igen study run` runs it")
    else:
        study = Study(name=name, job={"workload": name, "load": {"closed": {}}}, axes={USERS_AXIS: [1]})
    if "personas" in study.job:
        for flag, given, path in (("--users", users, "load.closed.users"), ("--set", params, "params.…")):
            if given:
                raise InputError(
                    "does not say which persona is meant",
                    where=flag,
                    hint=f"write personas.NAME.{path} in the study",
                )
    job: dict[str, Any] = {"params": params} if params else {}
    if targets:
        job["targets"] = list(targets)
    if duration is not None:
        job["phases"] = {"measure_s": duration}
    if seed is not None:
        job["load_seed"] = seed
    axes = study.axes | ({USERS_AXIS: list(users)} if users else {})
    return msgspec.structs.replace(study, job=merged(study.job, job), axes=axes)


def with_systems(
    study: Study, sides: Sequence[tuple[str, str]], repeats: Repeats, margin: str | float | None
) -> Study:
    """The study with a system for each name and its settings, compared with the first one.

    Raises `InputError` where repeats until decided have no one figure to decide by.
    """
    import msgspec

    from igen.study.plan import SweepPlan
    from igen.study.study import StudySystem

    if repeats == "decided" and "personas" in study.job:
        text = "needs one figure to decide by, and each persona has its own"
        raise InputError(text, where="--until", hint="say a number of --repeats")
    systems = [StudySystem(name=name, job=job_of(settings, f"--{name}")) for name, settings in sides]
    return msgspec.structs.replace(
        study,
        systems=systems,
        system="",
        plan=SweepPlan(repeats),
        margin=study.margin if margin is None else margin,
    )


def job_of(settings: str, where: str) -> dict[str, Any]:
    """What settings mean in a job: `synchronous=off`, `target=URL`, `placement.thread.pin=true`; several are
    separated by spaces, and a value with spaces stands in quotation marks."""
    import shlex

    from igen.cli.parameters import scalar
    from igen.study.levels import set_path

    job: dict[str, Any] = {}
    try:
        words = shlex.split(settings)
    except ValueError as error:
        raise InputError(f"`{settings}` has no end", where=where, hint="a quotation mark is open") from error
    for text in words:
        name, equals, value = text.partition("=")
        if not (name and equals):
            hint = f"such as {where} 'synchronous=off'; several are separated by spaces"
            raise InputError(f"`{text}` is not key=value", where=where, hint=hint)
        if name == "target":
            job.setdefault("targets", []).append(value)
        elif name.startswith(JOB_TABLES):
            set_path(job, name, scalar(value))
        else:
            set_path(job, f"params.{name}", scalar(value))
    return job
