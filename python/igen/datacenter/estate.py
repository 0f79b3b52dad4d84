"""One estate of machines, year by year: how many, and in how many racks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from igen.datacenter.capacity import Capacity
from igen.datacenter.number import Draw, Number, at_least, combined, exactly, smaller, whole, whole_down
from igen.datacenter.plan import HOURS, Demand, Option, Plan, PlannedSystem
from igen.datacenter.power import most_watts, watts_at

Capacities = Mapping[tuple[str, str], Capacity]
"""By system and demand."""


@dataclass(frozen=True, slots=True)
class Group:
    """Machines of one kind that serve one demand."""

    system: PlannedSystem
    count: Number
    per_s: Number
    """What is asked of all of them together at the peak hour."""
    able: Capacity
    """What one of them can do."""
    watts: Number | None
    """One of them draws it at the peak hour."""
    day_watts: Number | None
    """One of them draws it on average over the day."""


def asked_per_s(demand: Demand, response_s: float, year: float, draw: Draw) -> Number:
    """Transactions a second at the peak hour of a year: X = N / (R + Z) of users who think."""
    if demand.users is not None and demand.think_time_s is not None:
        rate = draw(demand.users) / (draw(demand.think_time_s) + response_s)
    else:
        assert demand.transactions_per_s is not None
        rate = draw(demand.transactions_per_s)
    return rate * (1 + draw(demand.growth_per_year)) ** year if year else rate


def groups_of(plan: Plan, option: Option, capacities: Capacities, year: float, draw: Draw) -> list[Group]:
    """The machines of a year: what stands there, or ceil(asked / (1 - headroom) / capacity) and the spare."""
    if option.counts:
        return _standing(plan, option, capacities, year, draw)
    groups, spared = [], set()
    for demand in plan.demands:
        system = plan.systems[option.systems[demand.name]]
        able = capacities[system.name, demand.name]
        rate = asked_per_s(demand, able.response_s, year, draw)
        count = whole(rate / (1 - draw(demand.headroom)) / draw(able.per_s))
        if system.name not in spared:
            count = count + float(option.spare)
            spared.add(system.name)
        profile = [draw(hour) for hour in demand.profile]
        groups.append(_group(system, count, rate, able, profile, draw))
    return groups


def _standing(plan: Plan, option: Option, capacities: Capacities, year: float, draw: Draw) -> list[Group]:
    """All demands on all machines, each kind with its share of what they can do together."""
    tightest = {
        name: min((capacities[name, demand.name] for demand in plan.demands), key=lambda of: of.per_s.value)
        for name in option.counts
    }
    able = {name: draw(count) * draw(tightest[name].per_s) for name, count in option.counts.items()}
    together = added([*able.values()])
    slowest_s = max(of.response_s for of in tightest.values())
    rates = [asked_per_s(demand, slowest_s, year, draw) for demand in plan.demands]
    rate, profile = added(rates), _common_profile(plan.demands, rates, draw)
    return [
        _group(plan.systems[name], draw(count), rate * able[name] / together, tightest[name], profile, draw)
        for name, count in option.counts.items()
    ]


def _common_profile(demands: Sequence[Demand], rates: Sequence[Number], draw: Draw) -> list[Number]:
    """What all demands ask for by hour, against all their peak hours; empty where none tells its hours."""
    if not any(demand.profile for demand in demands):
        return []
    hours = [[draw(hour) for hour in demand.profile] or [exactly(1.0)] * HOURS for demand in demands]
    at = [
        added([rate * each[hour] for rate, each in zip(rates, hours, strict=True)]) for hour in range(HOURS)
    ]
    return [asked / added([*rates]) for asked in at]


def _group(
    system: PlannedSystem,
    count: Number,
    rate: Number,
    able: Capacity,
    profile: Sequence[Number],
    draw: Draw,
) -> Group:
    used = rate / count / draw(able.peak_per_s)
    hours = [watts_at(system, used * hour, draw) for hour in profile]
    known = [watts for watts in hours if watts is not None]
    watts = watts_at(system, used, draw)
    return Group(system, count, rate, able, watts, added(known) / float(len(known)) if known else watts)


def by_system(groups: Sequence[Group]) -> list[tuple[PlannedSystem, Number]]:
    """How many machines of each kind: they stand together, whichever demand they serve."""
    counts: dict[str, list[Number]] = {}
    for group in groups:
        counts.setdefault(group.system.name, []).append(group.count)
    systems = {group.system.name: group.system for group in groups}
    return [(systems[name], added(each)) for name, each in counts.items()]


def racks_of(plan: Plan, system: PlannedSystem, count: Number, draw: Draw) -> Number:
    """Racks that so many machines fill, by height and by what a rack may draw; kinds do not share one."""
    return whole(count / at_least(per_rack(plan, system, draw)[0], 1.0))


def per_rack(plan: Plan, system: PlannedSystem, draw: Draw) -> tuple[Number, str]:
    """Machines in a rack, and what limits them. 0 where one draws more than a rack may."""
    room = plan.room
    if system.most_per_chassis is not None and system.chassis_rack_units is not None:
        chassis = whole_down(draw(room.rack_units) / draw(system.chassis_rack_units))
        by_height = chassis * draw(system.most_per_chassis)
    else:
        by_height = whole_down(draw(room.rack_units) / draw(system.rack_units))
    watts = most_watts(system, draw)
    if room.kw_per_rack is None or watts is None:
        return by_height, "height"
    by_power = whole_down(1000 * draw(room.kw_per_rack) / watts)
    return smaller(by_height, by_power), "power" if by_power.value < by_height.value else "height"


def height_of(system: PlannedSystem, count: Number, draw: Draw) -> Number:
    """Rack units of so many machines, in whole chassis where they have one."""
    if system.most_per_chassis is not None and system.chassis_rack_units is not None:
        return whole(count / draw(system.most_per_chassis)) * draw(system.chassis_rack_units)
    return count * draw(system.rack_units)


def units_of_one(system: PlannedSystem, draw: Draw) -> Number:
    """Rack units of one machine; in a chassis its part of that."""
    if system.most_per_chassis is not None and system.chassis_rack_units is not None:
        return draw(system.chassis_rack_units) / draw(system.most_per_chassis)
    return draw(system.rack_units)


def added(numbers: list[Number]) -> Number:
    """Their sum; 0 of none."""
    return reduce(lambda one, other: one + other, numbers, exactly(0.0))


def fits(number: Number, most: Number) -> Number:
    """1 where it is no more, else 0."""
    return combined(lambda x, y: np.where(x <= y * (1 + 1e-12), 1.0, 0.0), number, most)
