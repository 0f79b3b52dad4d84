"""Advice before a figure is published, and facts that are unknown."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from igen.facts import CPU_GOVERNOR, CPU_SMT, CPU_TURBO
from igen.say.advice import Advice
from igen.say.group import Group
from igen.say.words import because
from igen.units import format_bytes, format_duration

DATA = {"files": "files", "database": "the database"}
CACHES = {
    "page cache": "memory (page cache in use)",
    "memory": "the host's memory",
    "server": "the server's cache",
}
MACHINE_FACTS = {
    CPU_GOVERNOR: "the frequency governor",
    CPU_TURBO: "turbo",
    CPU_SMT: "simultaneous multithreading",
}
ONE_RUN = "a single run has no interval: the figure cannot be separated from noise"


def _setting(name: str) -> str:
    """Return the name of the setting that a fact is about."""
    return name.rpartition(".")[2]


def _not_durable(group: Group) -> Advice:
    return _lost(", ".join(f"{_setting(part.name)} = {part.text}" for part in group.findings[0].parts))


def _lost(settings: str) -> Advice:
    return Advice(
        settings,
        "a failure may lose acknowledged transactions: do not compare the figure with a durable system",
        "make the system durable, or publish this setting together with the figure",
    )


def _data_in_memory(group: Group) -> Advice:
    data, cache = (group.findings[0].part(name) for name in ("data_bytes", "cache_bytes"))
    sizes = (format_bytes(part.figure or 0.0) for part in (data, cache))
    return Advice(
        "{} of {} against {} of {}".format(DATA[data.text], *sizes, CACHES[cache.text]),
        "reads come from memory: the figure does not measure the storage",
        f"load more than {group.findings[0].limit:g} times the cache, or publish that the data was cached",
    )


def _few_accessed(group: Group) -> Advice:
    accessed, entries = (group.findings[0].figure(name) for name in ("accessed", "entries"))
    return Advice(
        f"{accessed:,.0f} of {entries:,.0f} entries are accessed, {100 * accessed / entries:.2g} %",
        "the other entries are loaded but never read: a small cache answers everything",
        "raise accessed_ratio, or publish it together with the figure",
    )


def _few_checkpoints(group: Group) -> Advice:
    limit = group.findings[0].limit or 0.0
    return Advice(
        f"a window of {group.duration('window_s')}, a checkpoint every {group.duration('checkpoint_s')}",
        f"fewer than {limit:g} checkpoints: their share of the figure is a matter of chance",
        f"measure for {format_duration(limit * group.findings[0].figure('checkpoint_s'))}",
    )


def _processors_shared(group: Group) -> Advice:
    most = ""
    if group.has("driver_cpu_percent"):
        most = f", of which it took up to {group.percent('driver_cpu_percent', '.0f')}"
    return Advice(
        f"load and server share the processors of one machine{most}",
        "a server alone on its machine is faster, and its peak is at another load",
        "load it from another machine, or publish that both shared a machine",
    )


def _machines_differ(group: Group) -> Advice:
    parts = [part for part in group.findings[0].parts if part.name in MACHINE_FACTS]
    differ = (
        f"{MACHINE_FACTS[name]} ({' against '.join(part.text for part in both)})"
        for name, both in groupby(parts, key=lambda part: part.name)
    )
    return Advice(
        f"different settings: {', '.join(differ)}",
        "a difference may come from the machine instead of the system",
        "use the same setting for both and measure again",
    )


def _closed_percentile(group: Group) -> Advice:
    claim = f"`{group.listed('threshold')}`"
    if group.has("side"):
        claim = f"{group.listed('side')} is {group.listed('answer')} in p99"
    return Advice(
        f"a percentile of a closed load is claimed: {claim}",
        "users who wait for an answer send nothing, so requests during a stall are missing from it",
        "measure percentiles with an open load: --rate",
    )


def _think_times(group: Group) -> Advice:
    both = zip(group.parts("think_s"), group.parts("users"), strict=True)
    times = ", ".join(f"{think.figure:.1f} s at {users.figure:,.0f} users" for think, users in both)
    return Advice(
        f"the think time is {times}",
        "by Little's law a published rate, time or number of users must be wrong",
        "do not compare figures per user",
    )


ADVICE: dict[str, Callable[[Group], Advice]] = {
    "not-durable": _not_durable,
    "modifies-not-flushed": lambda _: _lost("dbnosync: modifies do not wait for the disk"),
    "files-in-memory": lambda group: Advice(
        f"{group.listed('path')} is in {group.listed('file_system')}",
        "nothing is written to a disk: a flush costs nothing and makes nothing durable",
        "put it on the storage that you want to measure",
    ),
    "data-in-memory": _data_in_memory,
    "high-hit-ratio": lambda group: Advice(
        f"{group.percent('hit_percent', '.4g')} of the pages came from the server's cache",
        "the figure describes a server with all data in memory",
        "load more data than the cache holds, or publish the hit ratio together with the figure",
    ),
    "few-entries-accessed": _few_accessed,
    "nothing-returned": lambda group: Advice(
        f"no {group.listed('counter')} in {group.count('transactions', 'transaction')}",
        "a search that finds nothing does less work than a search with a result",
        "search for entries that are loaded",
    ),
    "few-keys": lambda group: Advice(
        f"{group.listed('keys')} = {group.number('keys', 'g')}",
        f"fewer than {group.findings[0].limit:,g} keys fit into caches, and users wait for locks of others",
        "load as many keys as the real system has",
    ),
    "few-attributes": lambda group: Advice(
        f"attributes returned: {group.listed('attributes')}",
        "an entry with few attributes costs a fraction of a whole entry",
        "return all attributes, or publish the returned attributes together with the figure",
    ),
    "few-checkpoints": _few_checkpoints,
    "short-window": lambda group: Advice(
        f"a window of {group.duration('window_s')}",
        "work that happens once a minute, such as write-back, may be missing from it",
        f"measure for {group.findings[0].limit:g} s or longer",
    ),
    "planned-once": lambda _: Advice(
        "each level is run once", ONE_RUN, "plan the default of 5 repeats, or 3 at least"
    ),
    "levels-run-once": lambda group: Advice(
        f"{group.count('levels', 'level')} of {group.number('all_levels')} measured once",
        ONE_RUN,
        "--repeats 5",
    ),
    "peak-at-last-load": lambda _: Advice(
        "the highest throughput is at the highest load tried",
        "the real peak may lie beyond",
        "try higher loads, or --find-peak",
    ),
    "processors-shared": _processors_shared,
    "governor-not-fastest": lambda group: Advice(
        f"the frequency governor is {group.listed('governor')}",
        "processors change their clock with the load: low loads look slower than they are",
        "sudo cpupower frequency-set -g performance",
    ),
    "turbo-on": lambda _: Advice(
        "turbo is on",
        "processors are faster while few of them work and while they are cool",
        "turn it off, or publish that it was on",
    ),
    "machines-differ": _machines_differ,
    "factors-differ": lambda group: Advice(
        f"{len(group.texts('factor'))} settings differ: {group.listed('factor')}",
        "a difference cannot be attributed to one of them",
        "change one at a time: `igen ab`",
    ),
    "not-side-by-side": lambda _: Advice(
        "the systems were measured one after the other",
        "the ratio includes changes of the machine in between",
        "`igen ab` runs both side by side in balanced order",
    ),
    "closed-percentile": _closed_percentile,
    "figures-disagree": lambda group: Advice(
        because(group),
        "at least one of these figures was not measured",
        "use the figure that the others confirm, and name it",
    ),
    "think-times-differ": _think_times,
    "ratio-without-base": lambda group: Advice(
        f"{group.count('ratios', 'ratio')} without absolutes, such as {group.number('ratio', 'g')} × in "
        f"{group.listed('test')} of {group.listed('product')}",
        "a ratio alone does not show how fast either system is",
        "ask the publisher for the absolute figures",
    ),
}
SENTENCES: dict[str, Callable[[Group], str]] = {
    "page-cache-unknown": lambda _: "whether the page cache was bypassed",
    "file-size-unknown": lambda _: "the size of the files and of memory",
    "database-size-unknown": lambda _: "the size of the database or of its cache",
    "hit-ratio-unknown": lambda _: "the hit ratio of the server's cache",
    "settings-unknown": lambda group: (
        f"the server does not report {', '.join(map(_setting, group.texts('setting')))}"
    ),
    "flush-unknown": lambda _: "the directory does not report if modifies wait for the disk",
    "file-system-unknown": lambda _: "the file system of the target",
    "governor-unknown": lambda _: "the host does not report it",
    "turbo-unknown": lambda _: "the host does not report it",
    "checkpoints-unknown": lambda _: "how often the server makes a checkpoint",
}
