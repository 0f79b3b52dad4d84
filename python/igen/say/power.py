"""Sentences about energy, watts, rack units and the price of a system."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.trust.finding import Part
from igen.say.group import Group
from igen.say.said import Said
from igen.say.words import joined, rate
from igen.units import format_energy_j, format_number, format_time_ms


def _does(group: Group) -> str:
    throughput = rate(group.findings[0].part("throughput_per_s"))
    return f"{group.listed('system')} does {throughput} at {group.listed('load')}"


def _transaction(group: Group) -> str:
    return group.findings[0].part("throughput_per_s").text.removesuffix("s")


def _given(value: float) -> str:
    """Return a number as it is in the study, without a further digit."""
    return f"{value:,.10g}"


def _source(group: Group) -> str:
    meter = group.listed("meter")
    return f"watts read from the host's meter {meter}" if meter else "watts from the study"


def _energy(group: Group) -> Said:
    watts = group.findings[0].figure("watts")
    power = format_number(watts, 3) if group.has("meter") else _given(watts)
    energy = group.number("joules_per_transaction", format_energy_j)
    return Said(
        f"{_does(group)} for {power} W: {energy} per {_transaction(group)}.",
        f"watts / throughput; {_source(group)}",
    )


def _disks(group: Group) -> Said:
    disks, each = group.findings[0].part("disks"), _given(group.findings[0].figure("disk_per_s"))
    return Said(
        f"{_does(group)}, the same as {format_number(disks.figure or 0.0, 3)} {disks.text} with {each} "
        f"{_transaction(group)}s/s each.",
        "throughput / throughput of one disk, from the study",
    )


def _density(group: Group) -> Said:
    found = group.findings[0]
    limit = format_time_ms(found.limit or 0.0)
    figures = []
    evidence = f"the highest VALID load within {limit}"
    if group.has("users_per_watt"):
        power = format_number(found.figure("watts"), 4)
        figures.append(f"{_per_watt(found.part('users_per_watt'))} at {power} W")
        evidence += f"; {_source(group)}"
    if group.has("users_per_rack_unit"):
        per_unit = format_number(found.figure("users_per_rack_unit"), 3)
        units = found.figure("rack_units")
        figures.append(f"{per_unit} users/RU in {units:g} {'rack unit' if units == 1 else 'rack units'}")
    if group.has("users_per_1000_of_price"):
        users = format_number(found.figure("users_per_1000_of_price"), 3)
        figures.append(f"{users} users for each 1,000 of its price of {_given(found.figure('price'))}")
    serves = f"{group.listed('system')} serves {group.listed('load')} within {limit}"
    return Said(f"{serves}: {joined(figures)}.", evidence)


def _per_watt(part: Part) -> str:
    """Return `13.3 users/W (13.1 to 13.5)`."""
    text = f"{format_number(part.figure or 0.0, 3)} users/W"
    if part.span is None or part.span[1] is None:
        return text
    low, high = (format_number(end, 3) for end in (part.span[0], part.span[1]))
    return f"{text} ({low} to {high})"


def _meter_not_read(group: Group) -> str:
    read = ", ".join(group.texts("meter_read"))
    others = f"the meters read are: {read}" if read else "no meter of this host was read"
    reason = '`monitors = ["power"]` in the job reports why'
    return f"watts: the meter `{group.listed('meter')}` was not read; {others} ({reason})"


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "energy-per-transaction": _energy,
    "disks-replaced": _disks,
    "density": _density,
}
PHRASES: dict[str, Callable[[Group], str]] = {"meter-not-read": _meter_not_read}
