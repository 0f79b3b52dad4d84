"""The file of a data centre: its tables, read in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from igen.datacenter.plan import HOURS, Demand, Option, Plan, PlannedSystem, Room
from igen.datacenter.reader import MOST, Reader
from igen.datacenter.source import HINT, Input, Source
from igen.datacenter.system_curve import read_curve
from igen.judge.curve.laws.curve import ScalingCurve

TABLES = ("title", "currency", "system", "demand", "room", "today", "option")
OF_SYSTEM = (
    "source", "curve", "extrapolate", "rack_units", "watts_max", "watts_idle", "watts_curve", "price",
    "licence_per_core_year", "embodied_kg", "cores", "sockets", "memory_gb", "most_per_chassis",
    "chassis_rack_units",
)  # fmt: skip
OF_DEMAND = (
    "source", "users", "think_time", "transactions_per_s", "growth_per_year", "headroom",
    "response_time_limit", "profile",
)  # fmt: skip
OF_ROOM = (
    "source", "racks", "rack_units", "kw_per_rack", "kw", "cooling_kw", "pue", "tariff_per_kwh",
    "co2_g_per_kwh", "rack_price_per_year", "years",
)  # fmt: skip
MOST_SPARE, MOST_YEARS = 1_000_000, 50.0
HEADROOM = (0.25, "75 % of what a system can do")
RACK_UNITS = (42.0, "a full rack")
YEARS = (4.0, "four years")
NO_GROWTH = (0.0, "no growth told")
CurveOfRun = Callable[[str], ScalingCurve]
"""The curve of a recorded run, by its id. Raises `InputError`."""


def read_plan(path: Path, references: list[str], curve_of_run: CurveOfRun) -> Plan:
    """The plan that a file describes; `references` are the sets of published results that it may name.

    Raises `InputError` with the file, the line and a hint: a number without source or unit, a curve of one
    point, a PUE below 1, a name that is nowhere.
    """
    reader = Reader.of(path, references)
    reader.section([], TABLES)
    names = reader.named("system")
    if not names:
        raise reader.error([], "no system is told", "[system.NAME], as `igen datacenter from-run` writes it")
    systems = {name: _system(reader, name, curve_of_run) for name in names}
    demands = [_demand(reader, name) for name in reader.named("demand")]
    if not demands:
        raise reader.error([], "no demand is told", '[demand.NAME] with users and think_time = "8s"')
    options = [_option(reader, name, systems, demands) for name in reader.named("option")]
    today = _today(reader, systems)
    if not options and today is None:
        raise reader.error([], "neither [today] nor an option is told", '[option.NAME] with system = "NAME"')
    return Plan(
        file=str(path),
        title=str(reader.table.get("title", path.stem)),
        currency=str(reader.table.get("currency", "EUR")),
        systems=systems,
        demands=demands,
        room=_room(reader),
        today=today,
        options=options,
        inputs=reader.inputs,
        unknown=reader.unknown,
    )


def _system(reader: Reader, name: str, curve_of_run: CurveOfRun) -> PlannedSystem:
    path = ["system", name]
    table = reader.section(path, OF_SYSTEM)
    curve, source = read_curve(reader, name, curve_of_run)
    rack_units = reader.number([*path, "rack_units"], least=0.01, required=True)
    if rack_units is None:
        raise reader.error([*path, "rack_units"], "`rack_units` is unknown", f"say it: {HINT}")
    watts = reader.listed([*path, "watts_curve"])
    points = [reader.number([*path, "watts_curve", place], least=0.0) for place in range(len(watts))]
    optional = (*OF_SYSTEM[4:6], *OF_SYSTEM[7:])
    numbers = {key: reader.number([*path, key], least=_least(key)) for key in optional}
    return PlannedSystem(
        name=name,
        curve=curve,
        curve_source=source,
        extrapolate=bool(table.get("extrapolate", False)),
        rack_units=rack_units,
        watts_curve=[*_all_known(reader, [*path, "watts_curve"], points)],
        unknown=[key for key in optional if ".".join([*path, key]) in reader.unknown],
        **numbers,
    )


def _all_known(reader: Reader, path: list[str], numbers: list[Input | None]) -> Iterator[Input]:
    """The numbers of a list, none of which may be left out: its places mean something."""
    for number in numbers:
        if number is None:
            raise reader.error(path, f"a number of `{path[-1]}` is unknown", f"say it: {HINT}")
        yield number


def _least(key: str) -> float:
    """A little for what others are divided by."""
    return 1e-6 if key in ("cores", "sockets", "most_per_chassis", "chassis_rack_units", "price") else 0.0


def _demand(reader: Reader, name: str) -> Demand:
    path = ["demand", name]
    reader.section(path, OF_DEMAND)
    users = reader.number([*path, "users"], least=1.0)
    think = reader.number([*path, "think_time"], kind="time")
    rate = reader.number([*path, "transactions_per_s"], least=1e-9)
    headroom = reader.number([*path, "headroom"], kind="share", most=0.95, default=HEADROOM)
    growth = reader.number([*path, "growth_per_year"], kind="share", least=-0.9, most=10.0, default=NO_GROWTH)
    for key in ("users", "think_time", "transactions_per_s", "headroom", "growth_per_year"):
        if f"demand.{name}.{key}" in reader.unknown:
            raise reader.error([*path, key], f"`{key}` is unknown", f"say it: {HINT}")
    assert headroom is not None
    assert growth is not None
    if (users is None) == (rate is None) or (users is not None and think is None):
        hint = 'users = 20000 and think_time = "8s", or transactions_per_s = 580'
        raise reader.error(path, f"`{name}` asks for neither users who think nor transactions, or both", hint)
    profile = reader.listed([*path, "profile"])
    if profile and len(profile) != HOURS:
        raise reader.error([*path, "profile"], f"`profile` is not a list of {HOURS} hours")
    hours = [reader.number([*path, "profile", hour], kind="share", most=1.0) for hour in range(len(profile))]
    return Demand(
        name=name,
        line=reader.line(path),
        users=users,
        think_time_s=think,
        transactions_per_s=rate,
        growth_per_year=growth,
        headroom=headroom,
        response_time_limit_s=reader.number([*path, "response_time_limit"], kind="time", least=1e-9),
        profile=[*_all_known(reader, [*path, "profile"], hours)],
    )


def _room(reader: Reader) -> Room:
    reader.section(["room"], OF_ROOM)
    if "room" not in reader.table:
        return Room(rack_units=_default("rack_units", RACK_UNITS), years=_default("years", YEARS))
    defaults = {"rack_units": RACK_UNITS, "years": YEARS}
    most = {"years": MOST_YEARS, "rack_units": 100.0}
    least = {"pue": 1.0, "rack_units": 1.0, "years": 1.0}
    found = {
        key: reader.number(
            ["room", key], least=least.get(key, 0.0), most=most.get(key, MOST), default=defaults.get(key)
        )
        for key in OF_ROOM[1:]
    }
    needed = {key: found.pop(key) or _default(key, rule) for key, rule in defaults.items()}
    return Room(rack_units=needed["rack_units"], years=needed["years"], **found)


def _default(key: str, rule: tuple[float, str]) -> Input:
    return Input(f"room.{key}", rule[0], rule[0], rule[0], Source("default", rule[1]))


def _option(reader: Reader, name: str, systems: Mapping[str, PlannedSystem], demands: list[Demand]) -> Option:
    path = ["option", name]
    table = reader.section(path, ("system", "systems", "spare"))
    asked = [demand.name for demand in demands]
    every = {demand: table.get("system") for demand in asked}
    chosen: dict[str, Any] = {**every, **reader.section([*path, "systems"], asked)}
    for demand in asked:
        if not isinstance(chosen[demand], str) or chosen[demand] not in systems:
            hint = f'system = "{next(iter(systems))}", or systems = {{ {demand} = … }}'
            raise reader.error(path, f"`{name}` names no system of this file for the demand `{demand}`", hint)
    spare = table.get("spare", 0)
    if not isinstance(spare, int) or isinstance(spare, bool) or not 0 <= spare <= MOST_SPARE:
        raise reader.error([*path, "spare"], "`spare` is not a number of machines", "spare = 1 is N + 1")
    return Option(name=name, line=reader.line(path), systems=chosen, spare=spare)


def _today(reader: Reader, systems: Mapping[str, PlannedSystem]) -> Option | None:
    if "today" not in reader.table:
        return None
    reader.section(["today"], ("source", "systems"))
    counts: dict[str, Input] = {}
    for name in reader.section(["today", "systems"], ()):
        if name not in systems:
            raise reader.error(["today"], f"there is no system `{name}`", f"one of {', '.join(systems)}")
        if (count := reader.number(["today", "systems", name], least=1.0)) is not None:
            counts[name] = count
    if not counts:
        raise reader.error(["today"], "nothing stands there", 'systems = { NAME = 40 } and source = "…"')
    return Option(name="today", line=reader.line(["today"]), counts=counts)
