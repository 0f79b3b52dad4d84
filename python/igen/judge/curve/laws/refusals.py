"""Why a curve says nothing of a load: each refusal with what would tell."""

from __future__ import annotations

from igen.errors import OutOfReach
from igen.judge.curve.laws.curve import ScalingCurve
from igen.judge.trust.rules.prediction import MOST_BEYOND
from igen.units import counted, format_count, format_rate, format_time_ms

USERS, RESPONSE_TIME = "--users", "--response-time"


def one_level(curve: ScalingCurve) -> OutOfReach:
    """A point is no curve."""
    text = f"{curve.name} has one level that may be used: a curve takes two, a law five"
    return OutOfReach(text, where="RUN", hint="measure several: igen run WORKLOAD --users 1,2,4,8,16")


def outside(curve: ScalingCurve, users: float) -> OutOfReach:
    """The default beyond either end."""
    first, last = curve.users[0], curve.users[-1]
    text = f"{_users(users)} lie outside of what was measured, {format_count(first)} to {_users(last)}"
    if users < first:
        return OutOfReach(text, where=USERS, hint="measure fewer users")
    hint = _measure(users)
    if users <= MOST_BEYOND.value * last:
        hint += "; or --extrapolate, which is labelled as such"
    return OutOfReach(text, where=USERS, hint=hint)


def too_far(curve: ScalingCurve, users: float) -> OutOfReach:
    """Beyond even what may be extrapolated."""
    text = f"{_users(users)} are more than twice the {format_count(curve.users[-1])} that were measured"
    return OutOfReach(f"extrapolation refused: {text}", where=USERS, hint="measure more users")


def nobody_knows(curve: ScalingCurve, users: float) -> OutOfReach:
    """No law predicted the end of the curve, or those that did disagree."""
    text = f"extrapolation refused: no law that predicts the end of this curve says what {_users(users)} do"
    return OutOfReach(text, where=USERS, hint=_measure(users))


def anything_is_possible(curve: ScalingCurve, users: float, low: float, high: float) -> OutOfReach:
    """The levels reject every law, and lie too far apart to tell without."""
    text = (
        f"no law describes this curve, and at {_users(users)} anything from {format_rate(low)} to "
        f"{format_rate(high)} {curve.transaction}/s is possible"
    )
    return OutOfReach(text, where=USERS, hint=_measure(users))


def above_limit(curve: ScalingCurve, users: float, time_ms: float, limit_ms: float) -> OutOfReach:
    """Not even the fewest users are within the limit."""
    text = f"already at {_users(users)} it takes {format_time_ms(time_ms)}, not {format_time_ms(limit_ms)}"
    return OutOfReach(text, where=RESPONSE_TIME, hint="measure fewer users")


def never_reached(
    curve: ScalingCurve, users: float, time_ms: float, limit_ms: float, *, extrapolated: bool
) -> OutOfReach:
    """The limit lies beyond the end of the curve."""
    limit = format_time_ms(limit_ms)
    text = f"at {_users(users)}, the most that were measured, it takes {format_time_ms(time_ms)}"
    if extrapolated:
        text = f"{text}; {limit} is not reached at twice as many"
        return OutOfReach(text, where=RESPONSE_TIME, hint="measure more users")
    hint = "measure more users; or --extrapolate, which is labelled as such"
    return OutOfReach(f"{text}: where {limit} is reached was not measured", where=RESPONSE_TIME, hint=hint)


def _measure(users: float) -> str:
    return f"measure it: igen run WORKLOAD --users {users:.10g}"


def _users(users: float) -> str:
    return counted(int(users), "user") if users == int(users) else f"{users:,.10g} users"
