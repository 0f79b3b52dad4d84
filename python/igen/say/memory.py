"""Sentences about the bandwidth and the latency of memory."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group, three_digits
from igen.say.said import Said
from igen.say.words import half_width
from igen.units import format_bytes, format_short


def _subject(group: Group) -> str:
    return f"{group.listed('system')} at {group.listed('load')}"


def _bandwidth(group: Group) -> Said:
    passes = zip(group.parts("bytes_per_s"), group.parts("width"), strict=True)
    rates = ", ".join(
        f"{rate.text} {(rate.figure or 0.0) / 1e9:,.1f} GB/s ({width.text})" for rate, width in passes
    )
    return Said(
        f"{_subject(group)}: {rates}.",
        "GB = 10^9 bytes, counted by STREAM's rule; nt: non-temporal stores, which STREAM does not use",
    )


def _latency(group: Group) -> Said:
    return Said(
        f"{_subject(group)}: a look-up that depends on the previous look-up takes "
        f"{group.number('access_ns', format_short, ' ns')}.",
        "chase through a random cycle of cache lines",
    )


def _curve(group: Group) -> Said:
    who = f"{group.listed('system')}, {group.count('users', 'user')}"
    smallest, largest = (group.number(f"{name}_bytes", format_bytes) for name in ("smallest", "largest"))
    evidence = f"{group.number('sizes')} sizes from {smallest} to {largest}"
    kernel, rule = group.listed("kernel"), group.findings[0].rule
    if rule == "no-plateau":
        text = f"{kernel} has no plateau: its bandwidth still changes at the largest arrays"
    elif rule == "same-at-all-sizes":
        text = f"{kernel} has the same bandwidth at all sizes, {group.number('bytes_per_s', _gigabytes)} GB/s"
    else:
        since = group.number("plateau_bytes", format_bytes)
        low, high, caches = (
            group.number(f"{name}_bytes_per_s", _gigabytes) for name in ("least", "most", "caches")
        )
        text = (
            f"with arrays of {since} or more {kernel} stays at {low} to {high} GB/s, the speed of memory; "
            f"smaller arrays fit into caches, up to {caches} GB/s"
        )
        evidence += f"; a plateau lies within {group.findings[0].limit:g} % of the largest size"
    return Said(f"{who}: {text}.", evidence)


def _gigabytes(value: float) -> str:
    return format_short(value / 1e9)


def _exact_gigabytes(value: float) -> str:
    return three_digits(value / 1e9)


def _fastest_pass(group: Group) -> str:
    return _headline(
        group, "bytes_per_s", f"{group.number('bytes_per_s', _exact_gigabytes)} GB/s", "fastest pass"
    )


def _shortest_look_up(group: Group) -> str:
    return _headline(group, "access_ns", group.number("access_ns", three_digits, " ns"), "shortest look-up")


def _headline(group: Group, name: str, figure: str, what: str) -> str:
    part, runs = group.parts(name)[0], round(group.parts("runs_used")[0].figure or 0)
    doubt = half_width(part, runs)
    return f"{figure} ({part.text}) at {group.listed('load')}, {doubt}: the {what} of {_who(group)}"


def _no_pass(group: Group) -> str:
    return f"No usable pass of {_who(group)}: neither bandwidth nor latency was measured"


def _who(group: Group) -> str:
    return f"{group.listed('system')} ({group.listed('workload')})"


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "memory-bandwidth": _bandwidth,
    "memory-latency": _latency,
    "plateau": _curve,
    "no-plateau": _curve,
    "same-at-all-sizes": _curve,
}
PHRASES: dict[str, Callable[[Group], str]] = {
    "fastest-pass": _fastest_pass,
    "shortest-look-up": _shortest_look_up,
    "no-pass-usable": _no_pass,
}
"""Headlines of a system."""
