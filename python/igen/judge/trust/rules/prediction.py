"""Limits of predictions (`igen predict`): which law of a curve is believed, and how far."""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit

GOOD_ENOUGH = Limit(
    0.01, "of a throughput", "a law whose errors are as small is not rejected, however quiet the machine"
)
REJECTED_SD = Limit(
    2.0,
    "standard errors of a level",
    "a law is rejected if the root mean square of its errors at held-out levels is larger: chance makes √2",
)
REJECTED_ONCE_SD = Limit(4.0, "standard errors of a level", "the same of the largest of these errors")
WORST_END = Limit(
    0.2, "of a throughput", "a law with a larger error at the held-out last third says nothing beyond"
)
LEAST_LEVELS_ALONE = Limit(
    5,
    "levels",
    "from which a law alone extrapolates: with four only laws of two parameters compete",
)
MOST_BEYOND = Limit(2.0, "times the last measured load", "nothing is predicted beyond")
USELESS = Limit(
    2.5, "times", "nothing is predicted if the highest possible throughput is as much over the lowest"
)
MOST_T = Limit(
    4.0, "standard errors", "Student's t of few held-out levels is endless; the largest error then counts"
)
WIDER_THAN_NOISE = Limit(1.2, "times the noise of a level", "least error of a law")
CERTAIN_SD = Limit(
    3.0,
    "standard errors",
    "ends of what is possible without any law: two levels are uncertain, and the one to come",
)
SLACK = Limit(
    0.02, "of a response time", "by which times may fall as load grows, if a system wakes a second half up"
)
UNREPEATED = Limit(0.02, "of a throughput", "noise of levels without repeats")
LEAST_THINKING = Limit(
    0.02, "of a user's cycle", "less is not think time, but the engine between two transactions"
)
ERROR_FREEDOM = Limit(4.0, "degrees of freedom", "of the error of a level: that of five runs")
