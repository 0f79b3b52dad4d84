"""Observations of one system."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.trust.finding import Part
from igen.say.group import Group
from igen.say.said import Said
from igen.say.words import (
    because,
    efficiency_percent,
    factor_with_interval,
    joined,
    number_of_runs,
    rate,
    rate_with_interval,
)
from igen.units import counted, format_number, format_time_ms

WIDENED = ", widened by possible disturbances of the machine"


def _name(group: Group) -> str:
    return group.texts("system")[0]


def _load(group: Group, name: str = "load") -> str:
    return group.texts(name)[0]


def _one(group: Group, name: str) -> Part:
    return group.parts(name)[0]


def _figure(group: Group, name: str) -> float:
    return _one(group, name).figure or 0.0


def _sample(group: Group) -> str:
    """Return the evidence of a figure: `3 runs of 8 users, 1,234 transactions`."""
    runs = f"{group.count('runs', 'run')} of {_load(group)}"
    return f"{runs}, {group.count('transactions', 'transaction')}"


def _throughput(group: Group) -> str:
    return rate_with_interval(_one(group, "throughput_per_s"), round(_figure(group, "runs")))


def _single(group: Group) -> Said:
    times = (
        f", {group.number('response_time_ms', format_time_ms)} each" if group.has("response_time_ms") else ""
    )
    return Said(f"{_name(group)} does {_throughput(group)} at {_load(group)}{times}.", _sample(group))


def _added(group: Group, *rules: str) -> str:
    """Return phrases that continue a sentence."""
    found = because(group, *rules)
    return f"; {found}" if found else ""


def _peak(group: Group) -> Said:
    doubt = "" if because(group, "confirmed") else " (not confirmed)"
    at = f"{_load(group)}{doubt}"
    if group.findings[0].rule == "most-of-loads-tried":
        text = f"{_name(group)} is fastest at {at}, the highest load tried, with {_throughput(group)}: "
        text += "its peak may lie beyond"
    elif group.findings[0].rule == "reaches-plateau":
        text = f"{_name(group)} levels off at {_throughput(group)} from {at} on"
    else:
        text = f"{_name(group)} peaks at {at} with {_throughput(group)}"
    text += _added(group, "higher-loads-invalid")
    text += _added(group, "alike-loads")
    text += _added(group, "no-sweet-spot", "lowest-load-tried", "no-lower-load-does-as-much")
    evidence = _sample(group)
    if confirmed := because(group, "confirmed"):
        evidence += f", {confirmed}"
    evidence += _added(group, "best-of-loads")
    for alike in (each for each in group.because if each[0].rule == "alike-loads"):
        evidence += f"; {Group(alike).texts('test')[0]} interval of the ratio to the highest{WIDENED}"
    return Said(f"{text}.", evidence)


def _growth(group: Group) -> Said:
    ratio = _one(group, "ratio")
    ideal = _figure(group, "ideal")
    share = f"{100 * (ratio.figure or 0) / ideal:.0f} % of the ideal {format_number(ideal, 3)} ×"
    loads = f"From {group.number('lowest_users')} to {_load(group)}"
    return Said(f"{loads} throughput grows {factor_with_interval(ratio)}, {share}.", _paired(group))


def _paired(group: Group) -> str:
    return f"{group.texts('test')[0]} over {group.number('runs')} runs of both levels{WIDENED}"


def _beyond(group: Group) -> Said:
    if group.findings[0].rule == "falls-beyond-peak":
        change = f"throughput falls to {100 * _figure(group, 'ratio'):.0f} % of the peak"
    else:
        least = 100 * (group.findings[0].limit or 0.0)
        change = f"throughput is still at least {least:g} % of the peak's"
    text = f"Beyond {_load(group)} additional users only wait: at {_load(group, 'higher_load')} {change}"
    if group.has("times_ratio"):
        text += f" and the response time is {factor_with_interval(_one(group, 'times_ratio'))} as long"
    return Said(f"{text}.", _paired(group))


def _cpu_bound(group: Group) -> Said:
    text = f"The processors are the limit: {group.percent('cpu_percent', '.0f')} busy at {_load(group)}"
    if group.has("cpu_user_percent") and group.has("cpu_system_percent"):
        user, system = (group.percent(f"cpu_{name}_percent", ".0f") for name in ("user", "system"))
        text += f" ({user} user, {system} system)"
    return Said(f"{text}.", f"CPU above {group.findings[0].limit:g} % and no growth beyond")


def _io_bound(group: Group) -> Said:
    waited, busy = (group.percent(name, ".0f") for name in ("pressure_io_percent", "cpu_percent"))
    return Said(
        f"I/O is the limit at {_load(group)}: some task waited for it {waited} of the time, "
        f"processors were {busy} busy.",
        f"I/O pressure above {group.findings[0].limit:g} % and no growth beyond",
    )


def _hidden(group: Group) -> Said:
    of = f" of {group.texts('of_load')[0]}" if group.has("of_load") else ""
    response, service = (group.number(f"{name}_p99_ms", format_time_ms) for name in ("response", "service"))
    longest = group.number("longest_service_ms", format_time_ms)
    text = (
        f"At {_load(group)} the p99{of} is {response} from the intended start but {service} from the actual "
        "start: "
    )
    if group.findings[0].rule == "hidden-stall":
        text += f"a stall of {longest} is visible only from the intended start."
    else:
        text += "transactions waited for a free user in between."
    return Said(text, f"{group.count('transactions', 'transaction')}, longest service {longest}")


def _below(group: Group) -> str:
    """Return the evidence that the mean response time of a level is below a limit."""
    if not group.has("runs"):
        return "95 % interval of the mean below the limit"
    runs = number_of_runs(round(_figure(group, "runs")))
    return f"mean of {runs}, without an interval, below the limit"


def _within(group: Group) -> Said:
    limit, mean = (
        format_time_ms(group.findings[0].limit or 0.0),
        group.number("response_time_ms", format_time_ms),
    )
    text = f"{_name(group)} answers within {limit} up to {_load(group)} (mean {mean})"
    tried = because(group, "highest-load-tried")
    text += f", {tried}" if tried else _added(group, "load-invalid", "first-load-beyond")
    return Said(f"{text}.", _below(group))


def _no_point(what: str) -> Callable[[Group], Said]:
    return lambda group: Said(
        f"{_name(group)} has no {what}: {because(group)}.", "follows from the load model"
    )


def _scaling(group: Group) -> Said:
    instances = round(_figure(group, "instances"))
    do = "does" if instances == 1 else "do"
    text = f"{_name(group)}: {counted(instances, 'instance')} {do} {_throughput(group)}"
    if group.has("statements_per_s"):
        text += f", {group.number('statements_per_s', format_number)} statements/s"
    if group.has("efficiency"):
        text += f"; that is {efficiency_percent(_one(group, 'efficiency'))} of {instances} times one instance"
    runs, transactions = group.count("runs", "run"), group.count("transactions", "transaction")
    return Said(f"{text}.", f"{runs}, {transactions}")


def _instances_within(group: Group) -> Said:
    limit = format_time_ms(group.findings[0].limit or 0.0)
    mean = group.number("response_time_ms", format_time_ms)
    text = (
        f"Up to {group.count('instances', 'instance')} the mean response time stays below {limit}: {mean} at "
        f"{rate(_one(group, 'throughput_per_s'))}"
    )
    return Said(f"{text}{_added(group)}.", _below(group))


def _load_processes(group: Group) -> Said:
    where, most = group.texts("machine"), group.number("most")
    on = where[0] if len(where) == 1 else f"{len(where)} machines ({', '.join(where)})"
    count = most if group.number("fewest") == most else f"{group.number('fewest')} to {most}"
    text = f"The load came from {count} load process{'' if most == '1' else 'es'} on {on}"
    evidence = "number of load processes in each run"
    if begin := because(group):
        text += f", started {begin}"
        evidence += ", their start commands, and the measured offsets of their clocks"
    return Said(f"{text}.", evidence)


def _more_instances(group: Group) -> str:
    mean = group.number("response_time_ms", format_time_ms)
    return f"{group.count('instances', 'instance')} answer in {mean}"


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "single-load": _single,
    "peak": _peak,
    "reaches-plateau": _peak,
    "most-of-loads-tried": _peak,
    "no-peak": _no_point("peak"),
    "no-load-within-limit": _no_point("highest load within the response-time limit"),
    "growth": _growth,
    "falls-beyond-peak": _beyond,
    "waits-beyond-peak": _beyond,
    "cpu-bound": _cpu_bound,
    "io-bound": _io_bound,
    "hidden-stall": _hidden,
    "hidden-wait": _hidden,
    "within-limit": _within,
    "scaling": _scaling,
    "instances-within-limit": _instances_within,
    "load-processes": _load_processes,
}
PHRASES: dict[str, Callable[[Group], str]] = {
    "confirmed": lambda _: "fresh confirmation runs",
    "best-of-loads": lambda group: (
        f"the lower end allows for the choice of the best of {group.count('loads', 'load')}"
    ),
    "alike-loads": lambda group: (
        f"{joined(group.texts('loads'))} do the same within "
        f"±{format_number(_figure(group, 'within_percent'), 2)} %"
    ),
    "no-sweet-spot": lambda group: f"no sweet spot can be shown: {because(group)}",
    "lowest-load-tried": lambda _: "this is the lowest load tried",
    "no-lower-load-does-as-much": lambda _: "every lower load is slower",
    "highest-load-tried": lambda _: "the highest load tried",
    "load-invalid": lambda group: f"the load of {_load(group)} is INVALID",
    "first-load-beyond": lambda group: (
        f"at {_load(group)} it does not, or not clearly "
        f"(mean {group.number('response_time_ms', format_time_ms)})"
    ),
    "interval-crosses-limit": lambda group: f"{_more_instances(group)}, but the interval crosses the limit",
    "more-instances-beyond": _more_instances,
    "started-when-ready": lambda _: "as soon as all were ready: their clocks are not known to within 2 ms",
    "started-at-same-time": lambda _: "at the same time",
    "started-by-same-clock": lambda _: "at the same time, by the same clock",
    "started-by-known-clocks": lambda group: (
        f"at the same time; their clocks are known to within {group.number('clock_error_ms', format_time_ms)}"
    ),
}
