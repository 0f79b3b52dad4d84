"""What a `node_exporter` tells of its machine, as the readings that our own monitors would have given.

Names of its series: https://github.com/prometheus/node_exporter, release 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from igen.monitors.exposition import Samples, samples_of
from igen.monitors.said import Sample

CPU = "node_cpu_seconds_total"
MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_TOTALS = {
    "context_switches": "node_context_switches_total",
    "processes_created": "node_forks_total",
}
_NOW = {"runnable": "node_procs_running", "blocked": "node_procs_blocked"}
_MEMORY = {
    "total_bytes": "MemTotal",
    "free_bytes": "MemFree",
    "available_bytes": "MemAvailable",
    "buffers_bytes": "Buffers",
    "cached_bytes": "Cached",
    "dirty_bytes": "Dirty",
    "writeback_bytes": "Writeback",
    "anonymous_bytes": "AnonPages",
    "shared_bytes": "Shmem",
}
_FAULTS = {
    "page_faults": "node_vmstat_pgfault",
    "major_faults": "node_vmstat_pgmajfault",
    "out_of_memory_kills": "node_vmstat_oom_kill",
}
_DISK = {
    "reads": "node_disk_reads_completed_total",
    "read_bytes": "node_disk_read_bytes_total",
    "read_time_s": "node_disk_read_time_seconds_total",
    "writes": "node_disk_writes_completed_total",
    "written_bytes": "node_disk_written_bytes_total",
    "write_time_s": "node_disk_write_time_seconds_total",
    "busy_s": "node_disk_io_time_seconds_total",
    "weighted_s": "node_disk_io_time_weighted_seconds_total",
    "discards": "node_disk_discards_completed_total",
    "flushes": "node_disk_flush_requests_total",
    "flush_time_s": "node_disk_flush_requests_time_seconds_total",
}
_NETWORK = {
    "received_bytes": "node_network_receive_bytes_total",
    "received_packets": "node_network_receive_packets_total",
    "receive_errors": "node_network_receive_errs_total",
    "receive_drops": "node_network_receive_drop_total",
    "sent_bytes": "node_network_transmit_bytes_total",
    "sent_packets": "node_network_transmit_packets_total",
    "send_errors": "node_network_transmit_errs_total",
    "send_drops": "node_network_transmit_drop_total",
}
_MADE_OF_OTHERS = {
    "node_disk_device_mapper_info": "device",
    "node_md_disks": "device",
    "node_bonding_slaves": "master",
}
"""Series of devices that are made of others, and the label that names such a device."""
_INTERFACE, _LINK = "node_network_iface_id", "node_network_iface_link"
"""Index of an interface, and of the interface on which it stands, as a VLAN does."""
_ABOVE_OTHERS = ("dm-", "md", "loop", "ram", "zram")
"""Disks on others, if the exporter has no such series: the kernel gives these names. Their input and output
arrives at other disks, and would count twice."""
_ABOVE_INTERFACES = ("veth", "docker", "br-", "virbr", "bond", "tun", "tap", "cni", "flannel", "cali")
"""The same of interfaces: no series has the members of a bridge or the ends of a tunnel."""
_MOST_SUBJECTS = 4096
"""Processors, disks or interfaces of a machine: more than any has."""


@cache
def _wanted() -> frozenset[str]:
    memory = {f"node_memory_{name}_bytes" for name in [*_MEMORY.values(), "SwapTotal", "SwapFree"]}
    by_name = (_TOTALS, _NOW, _FAULTS, _DISK, _NETWORK)
    structure = {*_MADE_OF_OTHERS, _INTERFACE, _LINK}
    return frozenset({CPU, *memory, *structure, *(name for names in by_name for name in names.values())})


def readings_of(text: str, at_s: float) -> tuple[list[Sample], str]:
    """What a scrape says, and in words what of it cannot be used; empty where all can."""
    samples = samples_of(text, _wanted())
    found = [*_cpu(samples, at_s), *_memory(samples, at_s)]
    stacked = _stacked(samples)
    found += _by_device(samples, at_s, "disk", _DISK, _ABOVE_OTHERS, stacked)
    found += _by_device(samples, at_s, "network", _NETWORK, _ABOVE_INTERFACES, stacked)
    return found, _trouble(samples)


def _trouble(samples: Samples) -> str:
    if not samples.by_name.get(CPU) and not samples.odd:
        return f"it is no node_exporter: it says nothing of {CPU}"
    if samples.odd:
        what = "are too long, or have no number within 1e18 or odd labels"
        return f"{len(samples.odd)} of its lines {what}, the first of {samples.odd[0]}"
    return ""


def _cpu(samples: Samples, at_s: float) -> Iterator[Sample]:
    if CPU in samples.odd:
        return  # a sum without one of its parts would seem to go back
    by_processor: dict[str, dict[str, float]] = {}
    for labels, value in samples.of(CPU)[: _MOST_SUBJECTS * len(MODES)]:
        if labels.get("mode") in MODES and labels.get("cpu", "").isdecimal() and value >= 0:
            by_processor.setdefault(labels["cpu"], {})[f"{labels['mode']}_s"] = value
    if not by_processor:
        return
    modes = dict.fromkeys(mode for times in by_processor.values() for mode in times)
    whole = {mode: sum(times.get(mode, 0.0) for times in by_processor.values()) for mode in modes}
    yield Sample(
        monitor="cpu",
        subject="",
        at_s=at_s,
        counters=whole | _single(samples, _TOTALS),
        gauges=_single(samples, _NOW),
    )
    for number, times in by_processor.items():
        yield Sample(monitor="cpu", subject=f"cpu{number}", at_s=at_s, counters=times)


def _memory(samples: Samples, at_s: float) -> Iterator[Sample]:
    gauges = _single(samples, {ours: f"node_memory_{name}_bytes" for ours, name in _MEMORY.items()})
    swap = [samples.one(f"node_memory_Swap{which}_bytes") for which in ("Total", "Free")]
    if swap[0] is not None and swap[1] is not None:
        gauges["swap_used_bytes"] = swap[0] - swap[1]
    if gauges:
        yield Sample(
            monitor="memory", subject="", at_s=at_s, counters=_single(samples, _FAULTS), gauges=gauges
        )


def _single(samples: Samples, names: dict[str, str]) -> dict[str, float]:
    values = {ours: samples.one(theirs) for ours, theirs in names.items()}
    return {ours: value for ours, value in values.items() if value is not None and value >= 0}


def _stacked(samples: Samples) -> set[str]:
    """Return the devices that stand on others of the same machine, as far as the exporter reports it."""
    made = {
        labels[label]
        for name, label in _MADE_OF_OTHERS.items()
        for labels, _ in samples.of(name)[:_MOST_SUBJECTS]
        if label in labels
    }
    own = {labels.get("device", ""): index for labels, index in samples.of(_INTERFACE)[:_MOST_SUBJECTS]}
    others = set(own.values())
    links = {labels.get("device", ""): index for labels, index in samples.of(_LINK)[:_MOST_SUBJECTS]}
    # The interface of a container stands on an interface that the container does not see.
    return made | {device for device, link in links.items() if link != own.get(device) and link in others}


def _by_device(
    samples: Samples,
    at_s: float,
    monitor: str,
    names: dict[str, str],
    above: tuple[str, ...],
    stacked: set[str],
) -> Iterator[Sample]:
    devices: dict[str, dict[str, float]] = {}
    for ours, theirs in names.items():
        for labels, value in samples.of(theirs)[:_MOST_SUBJECTS]:
            device = labels.get("device", "")
            if device and device not in stacked and not device.startswith(above) and value >= 0:
                devices.setdefault(device, {})[ours] = value
    for device, counters in devices.items():
        yield Sample(monitor=monitor, subject=device, at_s=at_s, counters=counters)
