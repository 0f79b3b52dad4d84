"""Systems side by side: the ratio at each common load, and what else differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from igen.analysis.interval import LEAST_RUNS, Quotient, log_welch, paired_log_t
from igen.analysis.load import load_value
from igen.analysis.memory import KERNELS_FACT
from igen.analysis.pair_observations import pair_observations
from igen.analysis.points import used_runs
from igen.analysis.result import Level, Observation, Ratio, Repeat, System
from igen.analysis.settings import flat, settings_of
from igen.analysis.wording import value_text

VOLATILE_GROUPS = ("engine.", "environment.load_average", "io.resident_", "ldap.", "scan.load_")
VOLATILE_NAMES = {"environment.concurrent_runs", "environment.processes", "host.name", "bank.run"}
VOLATILE_ENDS = (
    ".uptime_s",
    ".current_mhz",
    ".free_bytes",
    ".database_bytes",
    ".bytes_per_customer",
    ".bytes_per_account",
    ".acknowledged_transactions",
    ".stored_transactions",
    ".lost_transactions",
)
"""Facts that tell of one run, or of what the job asked for, and not of the system."""
OTHERWISE_COMPARED = ("workload", "targets", "params.")
"""Settings of a job with a comparison of their own."""
DEVICES = "device."
"""Facts of the devices below the targets, by the device's name."""
WORKLOAD_VERSION = "workload.version"
"""Fact: two versions of a workload do not do the same work."""
NOTHING_IN_COMMON = "no load was run on both"
NOT_INTERLEAVED = "the runs were not interleaved: drift of the machine is in the ratio"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a comparison adds to the systems."""

    ratios: list[Ratio] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)


def compare(systems: Sequence[System]) -> Comparison:
    """Lays each system beside its base."""
    pairs = [_compare(base, system) for base, system in pairs_of(systems)]
    return Comparison(
        ratios=[ratio for pair in pairs for ratio in pair.ratios],
        differences=list(dict.fromkeys(text for pair in pairs for text in pair.differences)),
        warnings=list(dict.fromkeys(text for pair in pairs for text in pair.warnings)),
        observations=[observation for pair in pairs for observation in pair.observations],
    )


def pairs_of(systems: Sequence[System]) -> list[tuple[System, System]]:
    """Base and system of each comparison.

    The base is the system that the study names; else the first one of the same kind (in the same test; along
    the load, or along the number of targets), and none for a system that others are compared with or that is
    its own base.
    """
    by_name = {system.name: system for system in systems}
    named = {system.against for system in systems}
    pairs = []
    for system in systems:
        first = next(other for other in systems if _kind(other) == _kind(system))
        base = by_name.get(system.against, None if system.name in named else first)
        if base is not None and base is not system:
            pairs.append((base, system))
    return pairs


def _kind(system: System) -> tuple[str, bool]:
    return system.test, bool(system.scaling)


def _compare(base: System, system: System) -> Comparison:
    pair = f"{system.name} against {base.name}"
    if not (base.levels and system.levels):
        return Comparison(warnings=[f"{pair}: {NOTHING_IN_COMMON}"])
    if base.workload != system.workload:
        text = f"{pair}: {system.workload} and {base.workload} are different workloads"
        return Comparison(warnings=[text])
    if base.facts.get(KERNELS_FACT) != system.facts.get(KERNELS_FACT):
        # Passes of other kernels, or over arrays of another size, are other work.
        return Comparison(differences=[f"{pair}: {text}" for text in _differences(base, system)])
    versions = [each.facts.get(WORKLOAD_VERSION) for each in (system, base)]
    if versions[0] != versions[1]:
        text = (
            f"versions {' and '.join(map(value_text, versions))} of {base.workload} are different workloads"
        )
        return Comparison(warnings=[f"{pair}: {text}"])
    levels = _by_load(system)
    common = [(level, levels[value]) for value, level in _by_load(base).items() if value in levels]
    compared = [
        both for both in common if all(_throughput(run) > 0 for each in both for run in used_runs(each))
    ]
    tested = [_ratio(base, system, *both) for both in compared]
    ratios = [ratio for ratio, _ in tested]
    differences = list(_differences(base, system))
    warnings = []
    if len(compared) < len(common):
        warnings.append("a run without a transaction has no ratio: its level is left out")
    if not common:
        warnings.append(NOTHING_IN_COMMON)
    if len(differences) > 1:
        warnings.append(f"{len(differences)} factors differ: no ratio can be put down to one of them")
    # The executions of one run are interleaved by the order of its repeats.
    notes = [NOT_INTERLEAVED] if ratios and base.run != system.run else []
    return Comparison(
        ratios=ratios,
        differences=[f"{_names(base, system)}: {text}" for text in differences],
        warnings=[*(f"{pair}: {text}" for text in warnings), *notes],
        observations=pair_observations(base, system, tested),
    )


def _names(base: System, system: System) -> str:
    """Of the pair; without the test, as what differs does so in all of them."""
    return " against ".join(each.system if each.test else each.name for each in (system, base))


def _by_load(system: System) -> dict[tuple[str, float], Level]:
    by_rate = system.load_model == "open"
    return {(system.load_model, load_value(level, by_rate=by_rate)): level for level in system.levels}


def _throughput(run: Repeat) -> float:
    return run.throughput_per_s


def _response_ms(run: Repeat) -> float:
    return run.response_time_ms.mean if run.response_time_ms else 0.0


def _ratio(base: System, system: System, of_base: Level, of_system: Level) -> tuple[Ratio, Quotient]:
    """The ratio at one load, and the test behind it."""
    runs, base_runs = (
        sorted(used_runs(level), key=lambda run: run.started_unix_s) for level in (of_system, of_base)
    )
    paired = _interleaved(base_runs, runs)

    def quotient(value: Callable[[Repeat], float]) -> Quotient:
        test = paired_log_t if paired else log_welch
        return test([value(run) for run in runs], [value(run) for run in base_runs])

    throughput = quotient(_throughput)
    timed = all(_response_ms(run) > 0 for run in (*runs, *base_runs))
    response_time = quotient(_response_ms) if timed else None
    warnings = [
        f"the level of {name} is INVALID: {'; '.join(level.reasons)}"
        for name, level in ((base.name, of_base), (system.name, of_system))
        if level.verdict == "INVALID"
    ]
    fewest = min(len(runs), len(base_runs))
    if fewest < LEAST_RUNS:
        warnings.append(f"{fewest} run{'s' if fewest > 1 else ''}: no interval below {LEAST_RUNS}")
    if "INVALID" in (of_base.verdict, of_system.verdict):
        throughput = throughput.untested()
        response_time = response_time and response_time.untested()
    low, high = throughput.ratio.low, throughput.ratio.high
    verdict: Literal["faster", "slower", "~"] = "~"
    if low is not None and high is not None:
        verdict = "faster" if low > 1 else "slower" if high < 1 else "~"
    return Ratio(
        level=of_base.level,
        users=of_base.users,
        offered_per_s=of_base.offered_per_s,
        system=system.name,
        base=base.name,
        throughput=throughput.ratio,
        response_time=response_time.ratio if response_time else None,
        verdict=verdict,
        warnings=warnings,
        method="paired log-t" if paired else "log-Welch",
    ), throughput


def _interleaved(base_runs: Sequence[Repeat], runs: Sequence[Repeat]) -> bool:
    """Whether each run stands beside one of the other system in time: A B B A or A B A B."""
    if len(runs) != len(base_runs):
        return False
    order = sorted([(run.started_unix_s, 0) for run in base_runs] + [(run.started_unix_s, 1) for run in runs])
    return all(order[i][1] != order[i + 1][1] for i in range(0, len(order), 2))


def _differences(base: System, system: System) -> Iterator[str]:
    """What differs apart from the name: targets, parameters, the rest of the job, iGen itself, facts.

    A fact that only tells what a setting did, such as `target.sqlite.synchronous`, is no factor of its own;
    its name may end in a unit: `target.postgresql.commit_delay_us`. Neither is a device below other targets.
    """
    told: list[tuple[str, tuple[str, str]]] = []
    kinds: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
        ("", {"target": base.targets}, {"target": system.targets}),
        ("parameter ", dict(flat(base.params)), dict(flat(system.params))),
        ("", _other_settings(base.job), _other_settings(system.job)),
        ("", {"iGen": base.igen_version}, {"iGen": system.igen_version}),
        ("", _lasting(base.facts), _lasting(system.facts)),
    )
    for kind, of_base, of_system in kinds:
        for name in sorted(of_base.keys() | of_system.keys()):
            before, after = of_base.get(name), of_system.get(name)
            last, values = name.rpartition(".")[2], (value_text(after), value_text(before))
            follows = any(last.startswith(setting) and values == its for setting, its in told)
            if base.targets != system.targets and name.startswith(DEVICES) and None in (before, after):
                continue
            if before != after and not follows:
                told.append((last, values))
                yield f"{kind}{name}: {values[0]} against {values[1]}"


def _other_settings(job: dict[str, Any]) -> dict[str, Any]:
    return {
        path: value for path, value in settings_of(job).items() if not path.startswith(OTHERWISE_COMPARED)
    }


def _lasting(facts: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in facts.items()
        if not name.startswith(VOLATILE_GROUPS)
        and not name.endswith(VOLATILE_ENDS)
        and name not in VOLATILE_NAMES
    }
