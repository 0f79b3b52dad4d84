"""A data centre of sliders: a plan from recorded runs and some numbers, and its answer."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from igen.console.analysis import Printed, printed
from igen.errors import InputError
from igen.store.run import Run


class Slider(NamedTuple):
    """A number that a visitor may change."""

    name: str
    label: str
    least: float
    most: float
    step: float
    usual: float


SLIDERS = (
    Slider("rate", "Demand: thousands of transactions per second in the peak hour", 1, 500, 1, 20),
    Slider("growth", "Growth of the demand, % per year", 0, 100, 5, 10),
    Slider("headroom", "Spare capacity at the peak, %", 0, 60, 5, 25),
    Slider("rack_units", "Height of a machine, rack units", 1, 8, 1, 1),
    Slider("watts", "Power under full load, W", 50, 2000, 50, 500),
    Slider("idle", "Power when idle, % of full load", 5, 95, 5, 40),
    Slider("price", "Price of a machine, in thousands", 1, 60, 1, 10),
    Slider("kw_per_rack", "Power per rack, kW", 2, 40, 1, 8),
    Slider("pue", "PUE", 1, 2.5, 0.05, 1.4),
    Slider("tariff", "Price of a kWh", 0.02, 0.6, 0.02, 0.2),
    Slider("years", "Years", 1, 8, 1, 4),
)


def values_of(given: Mapping[str, str]) -> dict[str, float]:
    """Return the values of the sliders. Raises `InputError` for a value that is malformed or out of range."""
    found = {}
    for each in SLIDERS:
        try:
            value = float(given.get(each.name) or each.usual)
        except ValueError:
            value = float("nan")
        if not each.least <= value <= each.most:
            raise InputError(
                f"must be from {each.least:g} to {each.most:g}", where=each.label, hint="move the slider"
            )
        found[each.name] = value
    return found


def answered(store: Path, ids: Sequence[str], values: Mapping[str, float]) -> tuple[Printed, str]:
    """Return the answer as a page and the plan as TOML, with sliders as assumptions. Raises `InputError`."""
    from igen.datacenter.estimate import estimate
    from igen.datacenter.plan_file import read_plan
    from igen.judge.curve.laws.curve import ScalingCurve, curve_of
    from igen.reference.load import reference_names
    from igen.report.datacenter import datacenter_page
    from igen.study.results import read_systems
    from igen.workbench.plan_of_runs import plan_of_runs
    from igen.workbench.toml_text import toml_text

    def guess(value: float) -> dict[str, object]:
        return {"value": value, "source": "guess"}

    plan = tomllib.loads(plan_of_runs([Run(store / run) for run in ids]))
    for system in plan["system"].values():
        system |= {
            "rack_units": guess(values["rack_units"]),
            "watts_max": guess(values["watts"]),
            "watts_idle": guess(values["watts"] * values["idle"] / 100),
            "price": guess(1000 * values["price"]),
        }
    for demand in plan["demand"].values():
        demand |= {
            "transactions_per_s": guess(1000 * values["rate"]),
            "growth_per_year": f"{values['growth']:g}%",
            "headroom": f"{values['headroom']:g}%",
        }
        demand.pop("response_time_limit", None)
    plan["room"] = {
        "source": "guess",
        "kw_per_rack": values["kw_per_rack"],
        "pue": values["pue"],
        "tariff_per_kwh": values["tariff"],
        "years": values["years"],
    }
    text = toml_text(plan)

    def curve_of_run(reference: str) -> ScalingCurve:
        return curve_of(read_systems(Run(store / reference))[0])

    with tempfile.TemporaryDirectory(prefix="igen-console-") as folder:
        path = Path(folder) / "plan.toml"
        path.write_text(text, encoding="utf-8")
        try:
            estimated = estimate(read_plan(path, reference_names(), curve_of_run))
        except InputError as error:
            error.where = ""  # a file that is gone in a moment
            raise
        return printed(datacenter_page(estimated))._replace(lines=[]), text
