"""THE list of answers about an estate: each a number, or what it lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from igen.datacenter.estate import (
    Capacities,
    Group,
    added,
    by_system,
    fits,
    groups_of,
    height_of,
    racks_of,
    units_of_one,
)
from igen.datacenter.figures import swap
from igen.datacenter.number import Draw, Number, combined, exactly
from igen.datacenter.plan import Demand, Option, Plan
from igen.datacenter.power import HOURS_A_YEAR

Better = Literal["less", "more", ""]
LAST_YEAR = 30
"""How far into the future a full room is looked for."""


LIMITS = ("racks", "kw", "cooling_kw")
"""What the room has so much of."""


class Missing(Exception):
    """An input that the file does not tell; the text is its name."""


@dataclass(frozen=True, slots=True)
class Facts:
    """An estate from year to year, as the answers see it."""

    plan: Plan
    option: Option
    capacities: Capacities
    draw: Draw
    now: list[Group]
    years: list[list[Group]]
    """For each year for which is paid."""

    def told(self, of: object, key: str) -> Number:
        """An input of the room or a system. Raises `Missing`."""
        found = getattr(of, key)
        if found is None:
            raise Missing(key)
        return self.draw(found)


@dataclass(frozen=True, slots=True)
class Question:
    """An answer's name, its unit, what is better, and how it is found."""

    key: str
    title: str
    better: Better
    find: Callable[[Facts], Number]


def facts_of(plan: Plan, option: Option, capacities: Capacities, draw: Draw) -> Facts:
    """The estate now, and in each year."""
    years = range(max(1, round(plan.room.years.value)))
    grown = [groups_of(plan, option, capacities, float(year), draw) for year in years]
    return Facts(plan, option, capacities, draw, grown[0], grown)


def systems(groups: list[Group]) -> Number:
    """How many machines."""
    return added([group.count for group in groups])


def racks(facts: Facts, groups: list[Group]) -> Number:
    """How many racks."""
    return added([racks_of(facts.plan, system, count, facts.draw) for system, count in by_system(groups)])


def rack_units(facts: Facts) -> Number:
    """How high all of them are."""
    return added([height_of(group.system, group.count, facts.draw) for group in facts.now])


def kilowatts(groups: list[Group], *, day: bool = False) -> Number:
    """What all machines draw, at the peak hour or on average over the day."""
    each = [(group.count, group.day_watts if day else group.watts) for group in groups]
    for group in groups:
        if group.watts is None:
            raise Missing(_missing_watts(group))
    return added([count * watts for count, watts in each if watts is not None]) / 1000.0


def _missing_watts(group: Group) -> str:
    return "watts_max" if group.system.watts_max is None else "watts_idle"


def facility_kw(facts: Facts) -> Number:
    """With cooling and conversion."""
    return kilowatts(facts.now) * facts.told(facts.plan.room, "pue")


def energy_kwh(facts: Facts, groups: list[Group]) -> Number:
    """In a year, with cooling and conversion."""
    return kilowatts(groups, day=True) * HOURS_A_YEAR * facts.told(facts.plan.room, "pue")


def co2_t(facts: Facts) -> Number:
    """What the energy of the first year emits."""
    return energy_kwh(facts, facts.now) * facts.told(facts.plan.room, "co2_g_per_kwh") / 1e6


def embodied_t(facts: Facts) -> Number:
    """What making the machines has emitted."""
    last = facts.years[-1]
    return added([group.count * facts.told(group.system, "embodied_kg") for group in last]) / 1000.0


def capital(facts: Facts) -> Number:
    """Price of all machines that stand there in the last year; what stands there today is paid for."""
    if facts.option.counts:
        return exactly(0.0)
    return added([group.count * facts.told(group.system, "price") for group in facts.years[-1]])


def energy_cost(facts: Facts) -> Number:
    """Over all years."""
    tariff = facts.told(facts.plan.room, "tariff_per_kwh")
    return added([energy_kwh(facts, groups) * tariff for groups in facts.years])


def space_cost(facts: Facts) -> Number:
    """Over all years; 0 where the file does not speak of what a rack costs."""
    if "room.rack_price_per_year" in facts.plan.unknown:
        raise Missing("rack_price_per_year")
    if facts.plan.room.rack_price_per_year is None:
        return exactly(0.0)
    price = facts.draw(facts.plan.room.rack_price_per_year)
    return added([racks(facts, groups) * price for groups in facts.years])


def licence_cost(facts: Facts) -> Number:
    """Over all years; 0 for systems whose licences the file does not speak of."""
    if any("licence_per_core_year" in group.system.unknown for group in facts.now):
        raise Missing("licence_per_core_year")
    return added(
        [
            group.count * facts.told(group.system, "cores") * facts.draw(group.system.licence_per_core_year)
            for groups in facts.years
            for group in groups
            if group.system.licence_per_core_year is not None
        ]
    )


def cost(facts: Facts) -> Number:
    """All of them."""
    return capital(facts) + energy_cost(facts) + space_cost(facts) + licence_cost(facts)


def served(facts: Facts) -> Number:
    """Users at the peak hour; transactions a second where a demand is one of them."""
    demands: list[Demand] = list(facts.plan.demands)
    if all(demand.users is not None for demand in demands):
        return added([facts.draw(demand.users) for demand in demands if demand.users is not None])
    return added([group.per_s for group in facts.now])


def per_core(facts: Facts) -> Number:
    """Served by each core."""
    return served(facts) / added([group.count * facts.told(group.system, "cores") for group in facts.now])


def swap_of(facts: Facts) -> Number:
    """Mean over the machines."""
    parts = []
    for group in facts.now:
        if group.watts is None:
            raise Missing(_missing_watts(group))
        units = units_of_one(group.system, facts.draw)
        performance = group.per_s / group.count
        parts.append(combined(swap, performance, units, group.watts) * group.count)
    return added(parts) / systems(facts.now)


def full_in_years(facts: Facts) -> Number:
    """Years until the room holds no more, by racks, power or cooling; `LAST_YEAR` where it holds as long."""
    room = facts.plan.room
    if facts.option.counts or (room.racks is None and room.kw is None and room.cooling_kw is None):
        raise Missing("racks")
    fitting, lasted = exactly(1.0), exactly(0.0)
    for year in range(LAST_YEAR):
        groups = groups_of(facts.plan, facts.option, facts.capacities, float(year), facts.draw)
        for name in LIMITS:
            if getattr(room, name) is not None:
                needed = need(facts, groups, name)
                fitting = fitting * fits(needed, facts.draw(getattr(room, name)))
        lasted = lasted + fitting
    return lasted


def need(facts: Facts, groups: list[Group], name: str) -> Number:
    """What groups take of one of `LIMITS`. Raises `Missing`."""
    return racks(facts, groups) if name == "racks" else kilowatts(groups)


def questions(plan: Plan) -> list[Question]:
    """All of them, in the order of a report."""
    users = "users" if all(demand.users is not None for demand in plan.demands) else "transactions/s"
    last, money = len(range(max(1, round(plan.room.years.value)))), plan.currency
    grows = any(demand.growth_per_year.value or demand.growth_per_year.is_range for demand in plan.demands)
    later = [
        Question("systems_last_year", f"systems in year {last}", "less", lambda of: systems(of.years[-1]))
    ]
    later += [
        Question("racks_last_year", f"racks in year {last}", "less", lambda of: racks(of, of.years[-1]))
    ]
    return [
        Question("systems", "systems", "less", lambda of: systems(of.now)),
        Question("racks", "racks", "less", lambda of: racks(of, of.now)),
        *(later if grows and last > 1 else []),
        Question("rack_units", "rack units", "less", rack_units),
        Question("kw", "kW of the machines, peak hour", "less", lambda of: kilowatts(of.now)),
        Question("facility_kw", "kW with PUE, peak hour", "less", facility_kw),
        Question("kwh_per_year", "kWh a year with PUE", "less", lambda of: energy_kwh(of, of.now)),
        Question("co2_t_per_year", "t CO₂ a year", "less", co2_t),
        Question("embodied_co2_t", "t CO₂ embodied", "less", embodied_t),
        Question("capital", f"machines, {money}", "less", capital),
        Question("energy_cost", f"energy, {money} in {last} years", "less", energy_cost),
        Question("space_cost", f"space, {money} in {last} years", "less", space_cost),
        Question("licence_cost", f"licences, {money} in {last} years", "less", licence_cost),
        Question("cost", f"all, {money} in {last} years", "less", cost),
        Question("per_watt", f"{users} per W", "more", lambda of: served(of) / kilowatts(of.now) / 1000.0),
        Question("per_rack_unit", f"{users} per rack unit", "more", lambda of: served(of) / rack_units(of)),
        Question("per_core", f"{users} per core", "more", per_core),
        Question("per_1000", f"{users} per 1,000 {money}", "more", lambda of: 1000.0 * served(of) / cost(of)),
        Question("swap", "SWaP: transactions/s per rack unit and W", "more", swap_of),
        Question("full_in_years", "years until the room is full", "more", full_in_years),
    ]
