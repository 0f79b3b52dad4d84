"""When requests go out: how long a user thinks, and which requests of a page are under way together."""

from __future__ import annotations

from igen.har import toml_text as toml
from igen.har.scenario import PlannedPage, PlannedRequest

SPREAD = 0.5
"""Think times are between so much less and so much more than the recorded one."""
LEAST_THINK_S = 0.05
"""What is shorter is no thought."""


def think_line(page: PlannedPage) -> str:
    """How long the user thought behind a page; empty where it did not."""
    if page.think_s < LEAST_THINK_S:
        return ""
    low_s, high_s = (page.think_s * (1 + sign * SPREAD) for sign in (-1, 1))
    return f"think = {toml.text(f'uniform:{low_s:.3g}s,{high_s:.3g}s')}"


def comes_after(requests: list[PlannedRequest]) -> dict[str, str]:
    """By name of a request that of the one that it comes after, where that is not the one right above it.

    It is the last that was answered before it began; one that began while the first was under way comes after
    that one, as pages do. A request that needs what another has told comes after that one.
    """
    parents = [0] * len(requests)
    for place in range(1, len(requests)):
        began_s = requests[place].step.hops[0].began_s
        ended = [(_ended_s(requests[above]), above) for above in range(place)]
        done = [each for each in ended if each[0] <= began_s]
        parent = max(done)[1] if done else 0
        needed = [above for above in range(place) if _needs(requests[place], requests[above])]
        for above in needed:
            if above not in _line(parents, parent):
                parent = above
        if any(above not in _line(parents, parent) for above in needed):
            return {}
        parents[place] = parent
    names = [request.name for request in requests]
    return {
        names[place]: names[parents[place]] for place in range(1, len(names)) if parents[place] != place - 1
    }


def _ended_s(request: PlannedRequest) -> float:
    return max(hop.ended_s for hop in request.step.hops)


def _needs(request: PlannedRequest, above: PlannedRequest) -> bool:
    """Whether it has a variable that the one above extracts."""
    return any(value.hole in above.step.extracts for value in request.step.draft.values() if value.hole)


def _line(parents: list[int], place: int) -> set[int]:
    """A request and those before it, up to the first."""
    line = {place}
    while place:
        place = parents[place]
        line.add(place)
    return line
