"""The part of a ratio that each factor has, as one product."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.trust.finding import Part
from igen.say.group import Group
from igen.say.said import Said
from igen.say.words import because, factor_with_interval
from igen.units import counted, format_number


def _parts(group: Group) -> Said:
    """Return `B is 1.540 × the throughput of A at 8 users: cpu 1.100 × · os 1.400 ×; …`."""
    system, base = group.texts("system")[0], group.texts("base")[0]
    whole = factor_with_interval(group.parts("ratio")[0])
    product = " · ".join(f"{part.text} {factor_with_interval(part)}" for part in group.parts("factor"))
    text = (
        f"{system} has {whole} the {group.texts('quantity')[0]} of {base} at {group.texts('load')[0]} "
        f"= {product}"
    )
    interaction = because(group)
    repeats = round(group.parts("repeats")[0].figure or 0)
    evidence = f"t on logarithms over {counted(repeats, 'repeat')} of all systems, 95 % for each ratio"
    return Said(f"{text}; {interaction}." if interaction else f"{text}.", evidence)


def _interact(group: Group) -> str:
    before, after = group.parts("step")[:2]
    return (
        f"the factors interact: {before.text} is {_factor(before)} before {group.texts('factor')[0]} changes "
        f"and {_factor(after)} after it"
    )


def _factor(part: Part) -> str:
    return f"{format_number(part.figure or 0.0, 3)} ×"


PHRASES: dict[str, Callable[[Group], str]] = {
    "factors-interact": _interact,
    "no-interaction-shown": lambda group: (
        f"no interaction was shown: {factor_with_interval(group.parts('interaction')[0])}"
    ),
}
SENTENCES: dict[str, Callable[[Group], Said]] = {"parts-of-ratio": _parts}
