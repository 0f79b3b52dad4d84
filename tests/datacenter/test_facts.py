"""Published figures, recomputed by the same formulas as a plan's: values from the built-in reference sets."""

from __future__ import annotations

from itertools import pairwise

import pytest

from igen.aspects.published.recomputed import think_time_s
from igen.aspects.published.reference import PublishedApplication, PublishedStatistic
from igen.datacenter.figures import efficiency, in_the_system, interactive_rate_per_s, swap
from igen.reference.load import load_reference

WEB, DIRECTORY, MACHINES = load_reference("web"), load_reference("directory"), load_reference("machines")
OLTP, STORAGE = load_reference("oltp"), load_reference("storage")
BLADES, BLADE_RACK_UNITS = 10, 10


def application(users: int) -> PublishedApplication:
    return next(each for each in WEB.applications if each.users == users)


def statistic(table: int, name: str) -> PublishedStatistic:
    return next(row for row in DIRECTORY.tables[table].rows if row.statistic == name)


@pytest.mark.parametrize(("users", "per_watt", "per_unit"), [(28_000, 13.289, 7000), (14_000, 10.97, 3500)])
def test_users_per_watt_and_rack_unit(users: int, per_watt: float, per_unit: float) -> None:
    of = application(users)
    assert of.users / (of.watts or 0) == pytest.approx(per_watt, abs=0.005)
    assert of.users / (of.rack_units or 0) == per_unit


def test_one_of_them_was_cut_not_rounded() -> None:
    of = application(28_000)
    exact = of.users / (of.watts or 0)
    assert of.users_per_watt == str(int(10 * exact) / 10) != f"{exact:.1f}"


def test_four_nodes_do_93_percent_of_four_times_one() -> None:
    one, four = application(7500), application(28_000)
    x1, x4 = one.transactions_per_s or 0, four.transactions_per_s or 0
    assert x4 / x1 == pytest.approx(3.74, abs=0.005)
    assert efficiency(x1, x4, four.nodes) == pytest.approx(0.935, abs=0.0005)


def test_the_think_time_of_one_predicts_the_other() -> None:
    one, four = application(7500), application(28_000)
    thought = [
        think_time_s(of.users, of.transactions_per_s or 0, of.response_time_s or 0) for of in (one, four)
    ]
    assert thought == [pytest.approx(48.2, abs=0.05), pytest.approx(48.0, abs=0.05)]
    predicted = interactive_rate_per_s(four.users, round(thought[0], 1), four.response_time_s or 0)
    assert predicted == pytest.approx(577.9, abs=0.05)
    assert predicted / (four.transactions_per_s or 0) == pytest.approx(1, abs=0.005)


def test_eleven_operations_a_transaction_on_ten_blades() -> None:
    told = 11  # a transaction, by the publication's words
    assert 4180 * told == 45_980
    assert 4180 * told * BLADES == 459_800
    assert 4180 * told * BLADES / BLADE_RACK_UNITS == 45_980
    # Its table counts ten: a bind, a modification, eight searches.
    steps = ("Bind Operations Performed", "Modify Operations Performed", "Search Operations Performed")
    counted = sum(statistic(1, step).avg_per_second or 0 for step in steps)
    assert counted / (statistic(1, "Authentication Attempts").avg_per_second or 0) == pytest.approx(
        10, abs=0.01
    )


def test_threads_in_the_system_by_littles_law() -> None:
    searches = statistic(0, "Searches Completed").avg_per_second or 0
    time_ms = statistic(0, "Search Time").avg_duration_ms or 0
    assert in_the_system(searches, time_ms / 1e3) == pytest.approx(19.8, abs=0.05)
    done = statistic(1, "Successful Authentications").avg_per_second or 0
    time_ms = statistic(1, "Authentication Time").avg_duration_ms or 0
    assert in_the_system(done, time_ms / 1e3) == pytest.approx(199, abs=0.5)


def test_the_steps_add_up_to_the_authentication() -> None:
    bind, modify, first, rest = (
        statistic(1, name).avg_duration_ms or 0
        for name in ("Bind Time", "Modify Time", "Initial Search Time", "Subsequent Search Time")
    )
    assert bind + modify + first + 7 * rest == pytest.approx(47.63, abs=0.005)
    assert statistic(1, "Authentication Time").avg_duration_ms == 47.652


def test_two_boards_in_the_place_of_eight() -> None:
    (upgrade,) = OLTP.upgrades
    does = upgrade.boards * upgrade.factor
    assert does == 8.25 >= upgrade.other_boards
    assert does / upgrade.other_boards - 1 == pytest.approx(0.031, abs=0.0005)


def test_milliwatts_of_an_io_and_how_many_disks_it_replaces() -> None:
    (device,) = STORAGE.devices
    assert 1e3 * device.watts / device.io_per_s == pytest.approx(0.1648, abs=0.00005)
    assert device.io_per_s / device.disks == pytest.approx(500, abs=1)
    assert device.io_per_s / device.disks > 2 * device.disk_io_per_s


def test_memory_against_a_solid_state_disk() -> None:
    memory, disk = OLTP.peaks[:2]
    assert disk.per_s / memory.per_s == pytest.approx(0.83, abs=0.005)
    threads = [in_the_system(peak.per_s, (peak.response_ms or 0) / 1e3) for peak in (memory, disk)]
    assert threads == [pytest.approx(19.7, abs=0.05), pytest.approx(20.6, abs=0.06)]


def test_watts_a_thread() -> None:
    exact = [chip.watts / chip.threads for chip in OLTP.chips]
    assert exact == [28, 30, pytest.approx(16.9, abs=0.03), 17.5]
    assert [chip.watts_per_thread for chip in OLTP.chips] == ["28", "30", "17", "17"]


def test_space_watts_and_performance() -> None:
    (example,) = MACHINES.swaps
    one = swap(example.performance, example.rack_units, example.watts)
    other = swap(example.other_performance, example.other_rack_units, example.other_watts)
    assert (one, other) == (pytest.approx(0.833, abs=0.0005), pytest.approx(0.156, abs=0.0005))
    assert one / other == pytest.approx(5.33, abs=0.005)
    assert f"{round(one, 2) / round(other, 2):.1f}" == example.factor  # from rounded values


def test_advantages_by_users_and_by_throughput_are_kept_apart() -> None:
    found = {each.text: (each.users / each.other_users, each.factor, each.metric) for each in WEB.advantages}
    assert found["Siebel 8.0 against IBM"] == (2.0, "1.9", "throughput")
    assert found["Siebel 8.0 against HP"] == (pytest.approx(2.69, abs=0.005), "2.5", "throughput")


def test_the_landscape_of_published_servers() -> None:
    best, *others = WEB.servers
    assert [best.users / each.users for each in others] == [
        pytest.approx(2.8), pytest.approx(4.8, abs=0.03), pytest.approx(7.0),
    ]  # fmt: skip
    per_chip = [each.users / each.servers / each.chips for each in WEB.servers]
    assert per_chip == [7000, 2000, pytest.approx(967, abs=0.5), 1000]
    assert [each.users / each.servers / each.cores for each in WEB.servers][:2] == [875, 250]
    assert best.users / best.threads == 109.375
    assert all(one.users > two.users for one, two in pairwise(WEB.servers))
