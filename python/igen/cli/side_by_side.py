"""The common part of `igen ab` and `igen noise measure`: a plan with two systems side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from igen.ask.asked import Asked
from igen.errors import InputError
from igen.loads import PERSONAS, several

if TYPE_CHECKING:
    from igen.study.plan import Repeats
    from igen.study.study import Study

PROGRAMS = "command"
"""The workload that runs programs."""
JOB_TABLES = ("load.", f"{PERSONAS}.", "phases.", "placement.")
"""Start of settings that are fields of the job; all other settings are parameters of the workload."""


class Side(NamedTuple):
    """One of the two systems: its name and its own fields of the job."""

    name: str
    job: dict[str, Any]


def plan_of(name: str, asked: Asked) -> Study:
    """Return the study in a file that ends in `.toml`, or the study of a workload, with the answers.

    Raises `InputError` for a study that is not a sweep, or has systems or tests of its own.
    """
    from igen.ask.study import study_of_asked, with_asked
    from igen.study.study import load_study
    from igen.workbench.run_defaults import defaults_of, with_run_defaults

    if not name.endswith(".toml"):
        return study_of_asked(name, with_run_defaults(asked, defaults_of(name)))
    study = load_study(Path(name))
    own = "systems" if study.systems else "tests" if study.tests else None
    if not study.plan.is_product:
        own = f'plan.mode = "{study.plan.mode}"'
    if own:
        raise InputError(f"the study already has `{own}`", where=name, hint="run it with `igen study run`")
    return with_asked(study, asked)


def sides_of(
    words: Sequence[str], a: str, b: str | None, params: Mapping[str, Any]
) -> tuple[str, list[Side]]:
    """Return the workload or study that is measured, and its two sides.

    One word names the workload or study, whose sides differ by the settings `a` and `b`. Two words are two
    programs, as typed into a shell; `params` are common to both sides. Raises `InputError` if a side is
    missing, or both are the same.
    """
    match words:
        case [name]:
            if b is None:
                hint = "such as --b synchronous=off; to compare two programs: igen ab './old' './new'"
                raise InputError("is missing: name the settings of the other system", where="--b", hint=hint)
            sides = [Side("a", job_of(a, "--a")), Side("b", job_of(b, "--b"))]
            same, where = a.split() == b.split(), "--b"
        case [old, new]:
            given = {"--a": a, "--b": b is not None, "--set run": "run" in params}
            if options := [option for option, is_given in given.items() if is_given]:
                hint = "put the difference into the two programs"
                raise InputError("cannot be combined with two programs", where=options[0], hint=hint)
            name = PROGRAMS
            sides = [Side(text, {"params": {"run": text}}) for text in (old, new)]
            same, where = old.split() == new.split(), "B"
        case _:
            hint = "put each program into quotation marks: igen ab './old --fast' './new --fast'"
            raise InputError(f"{len(words)} programs instead of two", where="A B", hint=hint)
    if same:
        hint = "`igen noise measure` measures the noise of one system"
        raise InputError("both sides are the same", where=where, hint=hint)
    return name, sides


def with_sides(study: Study, sides: Sequence[Side], repeats: Repeats, margin: str | float | None) -> Study:
    """Return the study with these systems, compared with the first one.

    Raises `InputError` if repeats until decided do not have one figure to decide by.
    """
    import msgspec

    from igen.study.plans import SweepPlan
    from igen.study.study import StudySystem

    if repeats == "decided" and several(study.job):
        text = "needs a single figure, but each of several loads has its own"
        raise InputError(text, where="--until", hint="use --repeats with a number")
    return msgspec.structs.replace(
        study,
        systems=[StudySystem(name=side.name, job=side.job) for side in sides],
        system="",
        plan=SweepPlan(repeats),
        margin=study.margin if margin is None else margin,
    )


def job_of(settings: str, where: str) -> dict[str, Any]:
    """What settings mean in a job: `synchronous=off`, `target=URL`, `placement.thread.pin=true`; several are
    separated by spaces, and a value with spaces stands in quotation marks."""
    import shlex

    from igen.ask.kinds import scalar
    from igen.ask.tables import set_path

    job: dict[str, Any] = {}
    try:
        words = shlex.split(settings)
    except ValueError as error:
        raise InputError(f"`{settings}` has an open quotation mark", where=where, hint="close it") from error
    for text in words:
        name, equals, value = text.partition("=")
        if not (name and equals):
            hint = f"such as {where} 'synchronous=off'; separate several settings by spaces"
            raise InputError(f"`{text}` is not key=value", where=where, hint=hint)
        if name == "target":
            job.setdefault("targets", []).append(value)
        elif name.startswith(JOB_TABLES):
            set_path(job, name, scalar(value))
        else:
            set_path(job, f"params.{name}", scalar(value))
    return job
