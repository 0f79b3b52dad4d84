"""A plan as a user writes it: a job, the systems and axes along which it varies, how often it is repeated."""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec

from igen.ask.short import SHORT, written_out
from igen.errors import InputError
from igen.first_use import ready
from igen.fleet.plan import FleetPlan
from igen.judge.compare.threshold import parse_threshold
from igen.judge.record.value import STEADY_MEAN, Value
from igen.judge.trust.rules.comparison import DEFAULT_MARGIN
from igen.loads import several
from igen.nearest import suggestion
from igen.reference.load import reference_names
from igen.study.plans import AnyPlan, SweepPlan
from igen.study.scenario import with_scenario
from igen.study.serving import Servers
from igen.study.shipped import own_or_shipped, study_text
from igen.study.toml_place import line_of
from igen.study.validation import of_validation, steps_of
from igen.units import parse_share, parse_time_s

Quantity = str | float
"""A time with its unit, or in seconds."""
_SEEDS = ("seed", "load_seed")
"""Settings of a job, and names of axes, that seed random numbers."""
MOST_NESTED = 32
"""Most levels of nested lists and tables."""
IN_THE_PLAN = {
    "repeats": 'write `plan = { mode = "sweep", repeats = 3 }`',
    "search": 'write `plan = { mode = "peak" }`, or "scaling"',
    "together": 'write `plan = { mode = "together" }`',
    "torture_s": 'write `plan = { mode = "torture", under_load_s = 3600 }`',
}
"""Hints for keys that belong into the plan."""
_NEEDS_ANOTHER_PLAN = {
    "personas": (
        ", which varies one load",
        'use `plan = { mode = "sweep" }` with axes such as "personas.NAME.load.closed.users"',
    ),
    "systems": ("", "write a study for each system"),
    "tests": ("", "write a study for each test"),
}
"""Reason and hint for a part of the study that its plan does not support."""


class Disk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A disk that a faster device may replace."""

    name: Annotated[str, msgspec.Meta(min_length=1)]
    """Name in the plural, for a sentence: `disks of 15,000 rpm`."""
    iops: Annotated[float, msgspec.Meta(gt=0)]


class StudySystem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several systems of a study, whose executions take turns."""

    name: Annotated[str, msgspec.Meta(min_length=1)]
    job: dict[str, Any] = {}
    """Differences from the study's job: tables are merged, other values replace the values of the job."""
    against: str = ""
    """Its base in comparisons; the first system if empty, unless this system is the base of others."""
    watts: Annotated[float, msgspec.Meta(gt=0)] | Annotated[str, msgspec.Meta(min_length=1)] | None = None
    """What it draws under load, as measured or as its data sheet says; or the meter of the host's monitor
    `power` that says it, such as `psys`."""
    rack_units: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Its height; with a response-time limit the report has the users per rack unit."""
    price: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """What it costs, in any currency that is the same for all systems; with a response-time limit the report
    says how many users it serves for each 1,000 of it."""
    disk: Disk | None = None
    """Disks for comparison: the report has the number of disks with the same throughput."""
    cache: str = ""
    """Whether the application answers from a cache of its own, in words: `on, hit ratio 97 %`. Readers must
    know: with it on little of the load reaches the tiers behind."""


class StudyTest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several tests of a study, which all its systems run."""

    name: Annotated[str, msgspec.Meta(min_length=1)]
    """Short: `R1`."""
    title: str = ""
    """Description: `random 8 KiB, read-only`."""
    job: dict[str, Any] = {}
    """Differences from the job of the system."""


class Study(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan of measurements. `job` belongs to the agent: this module does not interpret its fields."""

    name: str
    """Short; part of the run's id."""
    job: dict[str, Any]
    """The common part of all levels."""
    title: str = ""
    """One line for the report's head."""
    system: str = ""
    """The name of the system under test in comparisons; this host's name if empty."""
    plan: AnyPlan = SweepPlan()
    tiers: list[dict[str, Any]] = []
    """The job's tiers, outside the job for readability: processes that serve together."""
    axes: dict[str, Annotated[list[Any], msgspec.Meta(min_length=1)]] = {}
    """Values by path in the job: `"load.closed.users" = [1, 2, 4]`; several axes are multiplied."""
    systems: list[StudySystem] = []
    """Several systems under test instead of one."""
    margin: str | Annotated[float, msgspec.Meta(gt=0, lt=1)] = DEFAULT_MARGIN.value
    """Systems that differ by less are equivalent: `3%`, or a share."""
    compare: bool = True
    """True if systems are compared; false if they do different work."""
    tests: list[StudyTest] = []
    """Tests, always in this order; systems are compared in each test."""
    value: Value = STEADY_MEAN
    """The figure of a measurement that counts as throughput."""
    scale: dict[str, Quantity] = {}
    """Values that `--scale` multiplies, by path in the job, with their minimum."""
    response_time_limit: Quantity | None = None
    """The report names the highest load whose mean response time is below it: `30ms`, or seconds."""
    fail_if: list[str] = []
    """Thresholds: the run ends with exit code 1 if a level crosses one, such as `p99 of response > 20ms`."""
    fleet: FleetPlan = FleetPlan()
    """The load machines, if one load process is not enough."""
    needs: list[Annotated[str, msgspec.Meta(min_length=1)]] = []
    """Requirements that its targets do not show, such as `root`; `igen list studies` prints them."""
    reference: str = ""
    """Published results to compare with: the name of a built-in set, or words."""
    servers: Servers = Servers()
    """Its private instances, found before each run; not part of the file."""


WRITTEN = tuple(name for name in Study.__struct_fields__ if name != "servers")
"""The keys of a study's file."""


def workloads_of(study: Study) -> list[str]:
    """Return the distinct workloads of its job, its systems and its tests."""
    jobs = [study.job, *(system.job for system in study.systems), *(test.job for test in study.tests)]
    return list(dict.fromkeys(str(job["workload"]) for job in jobs if job.get("workload")))


def load_study(path: Path) -> Study:
    """Reads a study from a TOML file, or the one that comes with iGen where `studies/NAME.toml` is absent.

    Raises `InputError` with the place of the fault.
    """
    try:
        text = study_text(path)
        table = tomllib.loads(text)
    except OSError as error:
        raise InputError(f"cannot read: {(error.strerror or str(error)).lower()}", where=str(path)) from error
    except RecursionError as error:
        raise InputError("its lists and tables are nested too deeply", where=str(path)) from error
    except ValueError as error:
        # Also a number of thousands of digits, which Python does not read.
        raise InputError(f"not TOML: {str(error).partition(';')[0]}", where=str(path)) from error
    with_scenario(table, own_or_shipped(path).parent)
    return study_of(table, path.stem, path, text)


def study_of(table: Mapping[str, Any], name: str, path: Path | str = "study", text: str = "") -> Study:
    """The study that a table describes; `name` is its own where it has none, `path` says where it stands, and
    `text` how it is written there.

    Raises `InputError` with the place of the fault.
    """
    try:
        return _checked_study(table, name)
    except InputError as error:
        line = line_of(text, steps_of(error.where))
        error.where = str(path) if line is None else f"{path}:{line}"
        raise


def _checked_study(table: Mapping[str, Any], name: str) -> Study:
    """Raise `InputError` with the path of the fault."""
    table = written_out(table)
    for key, value in table.items():
        if key not in WRITTEN:
            hint = IN_THE_PLAN.get(key) or suggestion(key, (*WRITTEN, *SHORT))
            raise InputError(f"unknown key `{key}`", where=key, hint=hint)
        if _is_deeper(value, MOST_NESTED):
            raise InputError(f"`{key}` is nested too deeply", where=key, hint=f"{MOST_NESTED} levels at most")
    try:
        study = msgspec.convert({"name": name, **table}, ready(Study))
    except msgspec.ValidationError as error:
        raise of_validation(str(error)) from error
    study = _with_tiers(study)
    _check_plan(study)
    study = msgspec.structs.replace(study, job=study.plan.job(study.job))
    _check_systems(study)
    _check_tests(study)
    _check_limit(study)
    _check_thresholds(study)
    _check_comparison(study)
    _check_reference(study)
    with _at("fleet.lease"):
        _ = study.fleet.lease_s
    return study


def _with_tiers(study: Study) -> Study:
    """Return the study with its tiers in the job."""
    if not study.tiers:
        return study
    if "tiers" in study.job:
        text, hint = "the job also has tiers", "keep one of the two"
        raise InputError(text, where="tiers", hint=hint)
    return msgspec.structs.replace(study, job={**study.job, "tiers": study.tiers}, tiers=[])


def _is_deeper(value: object, most: int) -> bool:
    """Return True if lists and tables are nested more deeply than this."""
    inside = [value]
    for _ in range(most + 1):
        inside = [each for holder in inside for each in _held(holder)]
    return bool(inside)


def _held(holder: object) -> Iterable[object]:
    match holder:
        case dict():
            return holder.values()
        case list():
            return holder
    return ()


def _check_plan(study: Study) -> None:
    """Raise `InputError` for a part of the study that its plan does not support."""
    jobs = [study.job, *(system.job for system in study.systems)]
    has = {
        "personas": any(several(job) for job in jobs),
        "systems": study.systems,
        "tests": study.tests,
    }
    for part, (why, hint) in _NEEDS_ANOTHER_PLAN.items():
        if has[part] and part not in study.plan.goes_with:
            text = f"`{part}` cannot be combined with the plan `{study.plan.mode}`{why}"
            raise InputError(text, where="plan", hint=hint)


def _check_systems(study: Study) -> None:
    names = [system.name for system in study.systems]
    if names and study.system:
        raise InputError(
            "`system` cannot be combined with `systems`", where="system", hint="each of them has its own name"
        )
    for number, name in enumerate(names):
        if name in names[:number]:
            where, hint = f"systems[{number}].name", "give each system a different name"
            raise InputError(f"there are two systems `{name}`", where=where, hint=hint)
    for number, system in enumerate(study.systems):
        where = f"systems[{number}].against"
        if system.against and system.against not in names:
            raise InputError(
                f"system `{system.name}` is compared with `{system.against}`, which the study does not have",
                where=where,
                hint=suggestion(system.against, names),
            )
        if system.against and not study.compare:
            hint = "remove one of them"
            raise InputError("`against` cannot be combined with `compare = false`", where=where, hint=hint)
        if system.against == system.name:
            text = f"system `{system.name}` is compared with itself"
            raise InputError(text, where=where, hint="name another system")


def _check_tests(study: Study) -> None:
    names = [test.name for test in study.tests]
    for number, name in enumerate(names):
        if name in names[:number]:
            where, hint = f"tests[{number}].name", "give each test a different name"
            raise InputError(f"there are two tests `{name}`", where=where, hint=hint)


def _check_limit(study: Study) -> None:
    where = "response_time_limit"
    if study.response_time_limit is None:
        return
    with _at(where):
        if parse_time_s(str(study.response_time_limit)) <= 0:
            raise InputError(f"`{where}` must be above 0", hint=f'such as {where} = "30ms"')


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Return the error with the place."""
    try:
        yield
    except InputError as error:
        error.where = where
        raise


def _check_thresholds(study: Study) -> None:
    for text in study.fail_if:
        with _at("fail_if"):
            parse_threshold(text)


def _check_comparison(study: Study) -> None:
    with _at("margin"):
        parse_share(str(study.margin))
    if study.plan.repeats == "decided" and (len(study.systems) < 2 or not study.compare):
        text = '`repeats = "decided"` needs systems to decide between'
        raise InputError(text, where="plan.repeats", hint="use two systems")
    if study.plan.repeats == "decided" and several(study.job):
        text = '`repeats = "decided"` needs one figure to decide by, and each load has its own'
        raise InputError(text, where="plan.repeats", hint="set a number of repeats")


def with_load_seed(study: Study) -> Study:
    """The study with random numbers of its own, unless it says which: no two studies sample the same choices,
    and all systems of one do."""
    jobs = [study.job, *(system.job for system in study.systems), *(test.job for test in study.tests)]
    if any(name in each for each in [*jobs, study.axes] for name in _SEEDS):
        return study
    return msgspec.structs.replace(study, job={**study.job, "load_seed": secrets.randbelow(1 << 32)})


def order_seed(study: Study) -> str:
    """Return random numbers for the order of the executions, from all seeds of the study."""
    jobs = [study.job, *(system.job for system in study.systems), *(test.job for test in study.tests)]
    return " ".join(str(each[name]) for each in [*jobs, study.axes] for name in _SEEDS if name in each)


def _check_reference(study: Study) -> None:
    """Raise `InputError` for an unknown name of published results; several words are a text."""
    names = reference_names()
    if len(study.reference.split()) == 1 and study.reference not in names:
        raise InputError(
            f"there are no published results named `{study.reference}`",
            where="reference",
            hint=suggestion(study.reference, names),
        )
