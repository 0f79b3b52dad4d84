"""The sentences at the top of a report: what, peak, sweet spot, ratio, validity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from igen.analysis.load import instances_name
from igen.analysis.plateau import plateau_observations
from igen.analysis.result import Estimate, Observation, OverallRatio, Point, Ratio, Result, System
from igen.analysis.slamd_row import Published
from igen.report.level import LoadAxis, counts, is_comparison
from igen.report.number import date, interval, ratio_interval, significant, time_ms
from igen.report.number import ratio as ratio_of

CONTRADICTIONS = "The published table does not close"
MOST_TARGETS = 4
"""More than these are not named one by one at the top of a report."""
MOST_SYSTEMS = 8
"""More than these have no sentences and no figures of their own there."""


def estimate_text(estimate: Estimate) -> str:
    """`9,714`: four significant digits, as many as a benchmark on a quiet machine repeats."""
    return significant(estimate.value, 4)


def interval_text(estimate: Estimate) -> str:
    """The interval in words, or why there is none."""
    if estimate.low is None:
        return f"{counts(estimate.n, 'run')}, no interval"
    return f"95 % interval {interval(estimate)}"


def validity(*systems: System) -> str:
    """`4 levels: 2 VALID, 1 SUSPECT, 1 INVALID`."""
    tally = Counter(level.verdict for system in systems for level in system.levels)
    levels = counts(tally.total(), "level")
    if not tally:
        return "No level was measured"
    if len(tally) == 1:
        return f"{levels}, {'all ' if tally.total() > 1 else ''}{next(iter(tally))}"
    return f"{levels}: " + ", ".join(
        f"{tally[verdict]} {verdict}" for verdict in ("VALID", "SUSPECT", "INVALID") if tally[verdict]
    )


def points(system: System) -> list[tuple[str, Point]]:
    """The named points that were found, in the order in which they are read."""
    named = (
        ("peak", system.peak),
        ("sweet spot", system.sweet_spot),
        ("knee", system.knee),
        ("within limit", system.within_limit),
    )
    return [(name, point) for name, point in named if point is not None]


def points_by_level(system: System) -> list[tuple[Point, list[str]]]:
    """The named points, those of one level together under the first of them."""
    found: dict[int, tuple[Point, list[str]]] = {}
    for name, point in points(system):
        found.setdefault(point.level, (point, []))[1].append(name)
    return list(found.values())


def system_sentence(system: System, axis: LoadAxis) -> str:
    """What one system reached, where, and whether it can be believed."""
    if system.scaling:
        return _scaling_sentence(system)
    if any(level.memory for level in system.levels):
        return f"{system.name} ({system.workload}): bandwidth and latency of memory. {validity(system)}."
    if system.peak is None:
        return f"{system.name} ({system.workload}): no peak can be told. {validity(system)}."
    peak = system.peak
    rate = f"{estimate_text(peak.throughput_per_s)} {system.transaction}/s"
    certainty = interval_text(peak.throughput_per_s)
    doubt = "" if peak.confirmed else " (not confirmed)"
    text = f"{system.name} ({system.workload}) peaks at {axis.name(peak)}{doubt} with {rate} ({certainty})"
    if system.sweet_spot is not None:
        same = system.sweet_spot.level == peak.level
        text += "; that is its sweet spot too" if same else f"; sweet spot {axis.name(system.sweet_spot)}"
        text += " (in doubt: see the warnings)" if system.sweet_spot.warnings else ""
    return f"{text}. {validity(system)}."


def _scaling_sentence(system: System) -> str:
    """What the most instances of which something may be said did together."""
    by_number = {level.level: level for level in system.levels}
    measured = [(each, by_number[each.level]) for each in system.scaling]
    each, level = max(measured, key=lambda pair: (pair[1].verdict != "INVALID", pair[1].instances))
    rate = f"{estimate_text(level.throughput_per_s)} {system.transaction}/s"
    text = f"{system.name} ({system.workload}): {instances_name(level)} with {rate}"
    text += f" ({interval_text(level.throughput_per_s)})"
    if level.instances > 1:
        text += f", efficiency {100 * each.efficiency.value:.0f} %"
    if system.within_limit and system.response_time_limit_ms:
        limit = time_ms(system.response_time_limit_ms)
        text += f"; mean response time below {limit} up to {instances_name(system.within_limit)}"
    return f"{text}. {validity(system)}."


def targets_text(targets: Sequence[str]) -> list[str]:
    """The targets one by one; of many the first, the last and their number."""
    if len(targets) <= MOST_TARGETS:
        return list(targets)
    return [f"{targets[0]} … {targets[-1]} ({len(targets)} targets)"]


def first_in_study(result: Result) -> list[System]:
    """The systems without those that are another one in a further test."""
    found = {(system.run, system.system or system.name) if system.test else system.name: system
             for system in reversed(result.systems)}  # fmt: skip
    return [*reversed(found.values())]


def are_many(result: Result) -> bool:
    """Whether the systems are the points of a picture, such as of a sweep over sizes."""
    return len(first_in_study(result)) > MOST_SYSTEMS


def what_ran(result: Result) -> list[tuple[System, str, list[str]]]:
    """What ran against what, and when: system, name and facts for each line; of many systems one line."""
    systems = first_in_study(result)
    names = [system.system if system.test else system.name for system in systems]
    if are_many(result):
        systems, names = systems[:1], [f"{len(systems)} systems, from {names[0]} to {names[-1]}"]
    return [
        (
            system,
            name,
            [
                system.workload,
                *targets_text(system.targets),
                f"{system.load_model} load",
                date(system.started_unix_s),
            ],
        )
        for system, name in zip(systems, names, strict=True)
    ]


def references(result: Result) -> list[str]:
    """Published figures that the studies name."""
    return list(dict.fromkeys(system.reference for system in result.systems if system.reference))


def published_title(system: System, published: Published) -> str:
    """Which level of the system stands beside which published table."""
    level = next((level for level in system.levels if level.level == published.level), None)
    if level is None:
        return f"{published.title}, as published; no level of {system.name} may stand beside it"
    axis = LoadAxis(by_rate=system.load_model == "open")
    return f"{published.title}, as published, and {system.name} at {axis.name(level)}"


def headline_ratios(result: Result) -> list[Ratio]:
    """Of each system that is compared: the ratio at its base's peak; else at the highest common load."""
    axis = LoadAxis.of(result)
    peaks = {system.name: system.peak for system in result.systems}
    found = []
    for system in result.systems:
        ratios = [ratio for ratio in result.ratios if ratio.system == system.name]
        if ratios:
            peak = peaks.get(ratios[0].base)
            at_peak = [ratio for ratio in ratios if peak and axis.value(ratio) == axis.value(peak)]
            found.append(at_peak[0] if at_peak else max(ratios, key=axis.value))
    return found


def ratio_sentence(ratio: Ratio, axis: LoadAxis) -> str:
    """One ratio in words; `cannot be told apart` is an answer."""
    throughput = ratio.throughput
    certainty = interval_text(throughput)
    if throughput.low is not None:
        certainty = f"95 % interval {ratio_interval(throughput)}"
    size = f"{ratio_of(throughput)} × ({certainty})"
    if ratio.verdict == "~":
        return f"At {axis.name(ratio)}, {ratio.system} cannot be told from {ratio.base}: throughput {size}."
    return f"At {axis.name(ratio)}, {ratio.system} has {size} the throughput of {ratio.base}."


def overall_sentences(result: Result) -> list[str]:
    """Of each pair of systems, what came of the tests: `RAID-5 is 33 % slower than RAID-1 in R3`."""
    pairs: dict[tuple[str, str], list[OverallRatio]] = {}
    for each in result.overall:
        pairs.setdefault((each.system, each.base), []).append(each)
    return [_overall_sentence(*names, found) for names, found in pairs.items()]


def _overall_sentence(system: str, base: str, found: list[OverallRatio]) -> str:
    told = [each for each in found if each.verdict != "~"]
    alike = [each.test for each in found if each.verdict == "~" and each.throughput.low is not None]
    single = [each for each in found if each.throughput.low is None]
    parts = [
        f"{word} in {', '.join(map(_difference, of))}"
        for word in ("slower", "faster")
        if (of := [each for each in told if each.verdict == word])
    ]
    if alike:
        parts.append(f"not to be told apart from it in {', '.join(alike)}")
    if single:
        parts.append(f"{', '.join(map(_signed, single))} (too few runs for an interval)")
    return f"{system} against {base}, mean over the loads: {'; '.join(parts)}."


def _difference(each: OverallRatio) -> str:
    """`R3 (33 %)`."""
    return f"{each.test} ({abs(100 * (each.throughput.value - 1)):.0f} %)"


def _signed(each: OverallRatio) -> str:
    """`R3 -33 %`."""
    return f"{each.test} {100 * (each.throughput.value - 1):+.0f} %"


def headline(result: Result) -> list[str]:
    """The verdict line, a sentence for each ratio and each system; with tests one for all of them."""
    if result.overall:
        return overall_sentences(result)
    axis = LoadAxis.of(result)
    if are_many(result):
        return _sentences_of_many(result.systems, axis)
    sentences = [ratio_sentence(ratio, axis) for ratio in headline_ratios(result)]
    return sentences + [system_sentence(system, axis) for system in result.systems]


def _sentences_of_many(systems: Sequence[System], axis: LoadAxis) -> list[str]:
    """Where bandwidths level off, or else the highest peak; and how far all of it can be believed."""
    found = [each.text for each in plateau_observations(systems)]
    peaks = [(system.peak.throughput_per_s.value, system) for system in systems if system.peak]
    if not found and peaks:
        _, highest = max(peaks, key=lambda pair: pair[0])
        found = [f"The most: {system_sentence(highest, axis)}"]
    return [*found, f"{len(systems)} systems, {validity(*systems)}."]


def bottleneck(result: Result) -> list[Observation]:
    """Observations that name the bottleneck; they have a place of their own in the report."""
    return [each for each in all_observations(result) if each.topic == "bottleneck"]


def observations(result: Result) -> list[Observation]:
    """All other observations."""
    return [each for each in all_observations(result) if each.topic != "bottleneck"]


def all_observations(result: Result) -> list[Observation]:
    """Of the result and of each system, each sentence once; compared systems are named in theirs.

    Of many systems only those that have a topic: the others say what is in the tables.
    """
    owners: dict[str, list[str]] = {}
    for system in result.systems:
        for each in system.observations:
            owners.setdefault(each.text, []).append(system.name)
    found: dict[str, Observation] = {}
    many = are_many(result)
    for each in [*result.observations, *(each for system in result.systems for each in system.observations)]:
        if many and each.text in owners and not each.topic:
            continue
        names = owners.get(each.text, []) if is_comparison(result) else []
        told = all(name in each.text for name in names)
        text = each.text if told else f"{', '.join(names)}: {each.text}"
        found[text] = replace(each, text=text)
    return list(found.values())


def all_warnings(result: Result) -> list[str]:
    """Of the result, of each system and of the named points, each sentence once."""
    compared = is_comparison(result)
    found = list(result.warnings)
    for system in result.systems:
        prefix = f"{system.name}: " if compared else ""
        found += [f"{prefix}{text}" for text in system.warnings]
        found += [f"{prefix}{name}: {text}" for name, point in points(system) for text in point.warnings]
    found += [text for ratio in result.ratios for text in ratio.warnings]
    return list(dict.fromkeys(found))
