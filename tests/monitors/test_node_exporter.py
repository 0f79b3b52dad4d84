"""A node_exporter's series become the readings that our own monitors would have given."""

from __future__ import annotations

import pytest

from igen.monitors.node_exporter import CPU, readings_of
from igen.monitors.said import Sample
from tests.monitors.node_text import TEXT


def by_place(text: str) -> dict[tuple[str, str], Sample]:
    readings, _ = readings_of(text, 7.0)
    assert all(reading.at_s == 7.0 for reading in readings)
    return {(each.monitor, each.subject): each for each in readings}


def test_processors_are_told_together_and_each() -> None:
    found = by_place(TEXT)
    whole = found["cpu", ""]
    assert whole.counters["user_s"] == 300.25
    assert whole.counters["system_s"] == 100
    assert whole.counters["idle_s"] == 1900
    assert whole.counters["softirq_s"] == 3.25
    assert whole.counters["context_switches"] == 90_432_175
    assert whole.counters["processes_created"] == 11_651
    assert whole.gauges == {"runnable": 3}
    assert found["cpu", "cpu0"].counters["steal_s"] == 0.5
    assert found["cpu", "cpu1"].counters == {"idle_s": 900, "system_s": 60, "user_s": 200.25}


def test_memory_disks_and_interfaces_have_our_names() -> None:
    found = by_place(TEXT)
    memory = found["memory", ""]
    assert memory.gauges == {"total_bytes": 8e9, "available_bytes": 6e9, "swap_used_bytes": 2e6}
    assert memory.counters == {"page_faults": 1.2e7}
    assert found["disk", "vda"].counters == {
        "reads": 79_842,
        "read_bytes": 3_584_570_368,
        "written_bytes": 1_715_490_816,
        "busy_s": 36.96,
    }
    assert found["network", "eth0"].counters == {"received_bytes": 268_144_621, "sent_bytes": 441_825}
    # What stands on others would count twice.
    assert set(found) == {
        *(("cpu", subject) for subject in ("", "cpu0", "cpu1")),
        ("memory", ""),
        ("disk", "vda"),
        *(("network", subject) for subject in ("eth0", "lo")),
    }


def test_a_device_that_stands_on_others_counts_once_by_what_the_exporter_reports() -> None:
    def of(name: str, **values: int) -> str:
        return "".join(f'{name}{{device="{device}"}} {value}\n' for device, value in values.items())

    written = of("node_disk_written_bytes_total", sda=5, sdb=5, root=10, raid=10)
    sent = of("node_network_transmit_bytes_total", lan=7, lan100=7, team=7, cable=7)
    structure = (
        'node_disk_device_mapper_info{device="root",name="vg-root",vg_name="vg"} 1\n'
        'node_md_disks{device="raid",state="active"} 2\nnode_bonding_slaves{master="team"} 2\n'
        + of("node_network_iface_id", lan=2, lan100=3, team=4, cable=5)
        # The last one ends in another name space.
        + of("node_network_iface_link", lan=2, lan100=2, team=4, cable=77)
    )

    def subjects(text: str) -> set[str]:
        return {subject for monitor, subject in by_place(text) if monitor in ("disk", "network")}

    assert subjects(written + sent + structure) == {"sda", "sdb", "lan", "cable"}
    assert len(subjects(written + sent)) == 8


@pytest.mark.parametrize("value", ["NaN", "+Inf", "much", "1e308"])
def test_a_processor_without_a_number_is_no_sum(value: str) -> None:
    odd = TEXT.replace('mode="user"} 200.25', f'mode="user"}} {value}')
    readings, trouble = readings_of(odd, 7.0)
    assert (
        trouble
        == f"1 of its lines are too long, or have no number within 1e18 or odd labels, the first of {CPU}"
    )
    assert not [each for each in readings if each.monitor == "cpu"]
    assert [each for each in readings if each.monitor == "memory"]


def test_labels_of_a_hostile_exporter_reach_nobody() -> None:
    hostile = f'{TEXT}node_disk_read_bytes_total{{device="\x1b]0;sda\x07"}} 1\n'
    readings, trouble = readings_of(hostile, 7.0)
    assert trouble.startswith("1 of its lines")
    assert "\x1b" not in trouble
    assert {each.subject for each in readings if each.monitor == "disk"} == {"vda"}


def test_what_counts_backwards_from_zero_is_left_out() -> None:
    found = by_place(TEXT.replace("node_forks_total 11651", "node_forks_total -5"))
    assert "processes_created" not in found["cpu", ""].counters


def test_another_exporter_is_told() -> None:
    readings, trouble = readings_of("go_goroutines 8\n", 7.0)
    assert not readings
    assert trouble == f"it is no node_exporter: it says nothing of {CPU}"
