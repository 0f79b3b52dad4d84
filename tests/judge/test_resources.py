from __future__ import annotations

import pytest

from checks import tree
from igen.judge.record.recording import Reading, Recording
from igen.judge.result import Resources
from igen.judge.run.resources import MOST_PROCESSES, Host, mean_of, per_transaction, resources
from tests.judge.synthetic import MEASURE_BEGIN_S, readings, recording

CPU = {
    "user_s": 0.9,
    "system_s": 0.3,
    "idle_s": 0.6,
    "iowait_s": 0.1,
    "steal_s": 0.1,
    "context_switches": 500.0,
}


def measured() -> Recording:
    """Two processors for ten seconds."""
    made = recording()
    for subject in ("", "cpu0", "cpu1"):
        made.readings.update(readings("cpu", CPU, subject))
    made.readings.update(readings("process", {"user_s": 0.8, "system_s": 0.2}, "agent"))
    made.readings.update(readings("process", {"user_s": 0.1, "system_s": 0.0}, "17 postgres"))
    for disk in ("vda", "vdb"):
        made.readings.update(
            readings("disk", {"read_bytes": 10.0, "written_bytes": 20.0, "reads": 1, "writes": 2}, disk)
        )
    for interface in ("lo", "eth0"):
        made.readings.update(readings("network", {"received_bytes": 100.0, "sent_bytes": 50.0}, interface))
    made.readings.update(readings("pressure", {"some_s": 0.25}, "cpu"))
    gauges = {"total_bytes": 1000.0, "available_bytes": 400.0}
    made.readings["memory", ""] = [Reading(MEASURE_BEGIN_S + i, {}, gauges) for i in range(11)]
    return made


def host(made: Recording) -> Host:
    return Host(made, MEASURE_BEGIN_S, MEASURE_BEGIN_S + 10)


def test_programs_that_the_driver_starts_are_neither_foreign_nor_its_own_cost() -> None:
    made = measured()
    agent = {"user_s": 0.1, "system_s": 0.0, "children_user_s": 0.6, "children_system_s": 0.3}
    made.readings.update(readings("process", agent, "agent"))
    used = resources(host(made))
    assert used.driver_cpu_percent == pytest.approx(5)
    assert used.foreign_cpu_percent == pytest.approx(5), "60 - 50 (driver and its programs) - 5"


def test_every_figure() -> None:
    used = resources(host(measured()))
    assert used.cpu_percent == pytest.approx(60)
    assert (used.cpu_user_percent, used.cpu_system_percent) == (pytest.approx(45), pytest.approx(15))
    assert (used.cpu_iowait_percent, used.cpu_steal_percent) == (pytest.approx(5), pytest.approx(5))
    assert used.driver_cpu_percent == pytest.approx(50)
    assert used.foreign_cpu_percent == pytest.approx(5), "60 - 50 (driver) - 5 (process of interest)"
    assert used.memory_used_bytes == 600
    assert (used.disk_read_bytes_per_s, used.disk_written_bytes_per_s) == (
        pytest.approx(20),
        pytest.approx(40),
    )
    assert used.disk_operations_per_s == pytest.approx(6)
    assert used.network_received_bytes_per_s == pytest.approx(100), "the loopback is no network"
    assert used.context_switches_per_s == pytest.approx(500)
    assert used.pressure_cpu_percent == pytest.approx(25)
    assert used.pressure_io_percent is None


def test_a_processor_that_spins_is_not_busy() -> None:
    """Two processors for ten seconds, 2 s of spinning; a host without a load process has no part in it."""
    made = measured()
    made.facts["engine.spun_s"] = 2.0
    used = resources(host(made))
    assert used.spun_cpu_percent == pytest.approx(10)
    assert used.cpu_percent == pytest.approx(50)
    assert used.driver_cpu_percent == pytest.approx(40)
    assert used.foreign_cpu_percent == pytest.approx(5)
    del made.readings["process", "agent"]
    other = resources(host(made))
    assert (other.spun_cpu_percent, other.cpu_percent) == (None, pytest.approx(60))


def test_per_transaction() -> None:
    used = per_transaction(resources(host(measured())), 2, throughput_per_s=1000)
    assert used.cpu_us == pytest.approx(1200)
    assert used.driver_cpu_us == pytest.approx(1000)
    assert used.disk_written_bytes == pytest.approx(0.04)
    assert used.network_bytes == pytest.approx(0.15)
    assert per_transaction(resources(host(measured())), 2, throughput_per_s=0).cpu_us is None


def test_nothing_is_made_up() -> None:
    empty = resources(host(recording()))
    assert empty == Resources()
    short = recording()
    short.readings.update(readings("disk", {"reads": 1.0}, "vda", seconds=4))
    assert resources(host(short)).disk_operations_per_s is None, "3 of 10 seconds"


def test_a_rate_belongs_to_the_time_between_its_readings() -> None:
    made = recording()
    made.readings["cpu", ""] = [
        Reading(MEASURE_BEGIN_S + 0.4 + i, {"context_switches": 7.0 * i}, {}) for i in range(9)
    ]
    assert host(made).per_s("cpu", "context_switches") == pytest.approx(7.0)


def test_a_counter_that_goes_back_is_no_growth() -> None:
    made = recording()
    made.readings.update(readings("cpu", {"idle_s": -0.01}))
    assert host(made).per_s("cpu", "idle_s") == 0.0


def test_busy_processes_come_first() -> None:
    made = recording()
    made.readings.update(readings("processes", {"user_s": 0.1, "system_s": 0.0}, "7 cron"))
    before = [Reading(MEASURE_BEGIN_S + at_s, {"user_s": 5.0 + 0.3 * at_s}, {}) for at_s in (0, 10)]
    made.readings["processes", "8 shell"] = before
    made.readings["processes", "9 backup"] = [Reading(MEASURE_BEGIN_S + 8, {"user_s": 3, "system_s": 1}, {})]
    assert host(made).processes() == [
        ("9 backup", pytest.approx(0.4)),
        ("8 shell", pytest.approx(0.3)),
        ("7 cron", pytest.approx(0.1)),
    ]


def used(at_s: float, user_s: float) -> Reading:
    return Reading(MEASURE_BEGIN_S + at_s, {"user_s": user_s}, {})


def test_a_process_that_no_look_has_named_is_charged_from_that_look_on() -> None:
    """The look before MEASURE is 9 s old: of 9 s that it used since, most may be of the time before."""
    made = recording()
    made.readings["processes", "7 cron"] = [used(-9, 1.0), used(10, 1.0)]
    made.readings["processes", "8 shell"] = [used(10, 9.0)]
    assert host(made).processes()[0] == ("8 shell", pytest.approx(9 / 19))


def test_a_process_that_is_read_without_an_earlier_look_is_charged_from_there_on() -> None:
    made = recording()
    made.readings["processes", "8 shell"] = [used(2, 300.0), used(10, 304.0)]
    assert host(made).processes() == [("8 shell", pytest.approx(0.5))]


def test_where_a_look_names_as_many_as_it_can_the_others_had_used_as_much_as_the_least_of_them() -> None:
    made = recording()
    for number in range(MOST_PROCESSES):
        made.readings["processes", f"{number} busy"] = [used(0, 10.0), used(10, 10.0)]
    made.readings["processes", "99 unnamed"] = [used(10, 11.0)]
    assert host(made).processes()[0] == ("99 unnamed", pytest.approx(0.1))


def test_the_monitor_names_as_many_as_the_judge_believes() -> None:
    source = tree.ROOT / "crates" / "igen-monitors" / "src" / "processes.rs"
    assert f"const MOST: usize = {MOST_PROCESSES};" in source.read_text(encoding="utf-8")


def test_a_mean_is_over_those_that_know() -> None:
    parts = [Resources(cpu_percent=10.0), Resources(cpu_percent=20.0, cpu_iowait_percent=1.0)]
    assert mean_of(Resources, parts) == Resources(cpu_percent=15.0, cpu_iowait_percent=1.0)
