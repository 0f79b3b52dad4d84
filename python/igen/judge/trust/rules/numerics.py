"""Parameters of numerical methods: how exact a computation is. No verdict depends on them."""

from __future__ import annotations

# Numbers
ROUNDING = 1e-15
"""Relative error of a product, with a margin."""
LITTLE = 1e-9
"""Number that changes no figure of the order of 1, and by which one can divide."""
TINY = 1e-300
"""The least divisor of a continued fraction (Lentz)."""
FARTHEST_LOG = 700.0
"""Largest difference of logarithms that a number can express."""

# Student's t
AS_GOOD_AS_NORMAL = 1e7
"""Degrees of freedom beyond which a critical value differs from the normal one by less than a millionth of
it, for tails above 1e-9."""
MOST_TERMS = 200
"""Terms of a continued fraction, and steps of Newton's method; both need far fewer."""
PRECISION = 1e-14
"""Relative change at which they stop."""
LEAST_START = 1e-8
"""Start of Newton's method, which needs a positive one."""
KEPT_VALUES = 4096
"""Values of slow functions that are kept for the next call."""
KEPT_CRITICAL = 65_536
"""Critical values that are kept: few bytes each, and needed most often."""
KEPT_CURVES = 64
"""Curves whose fits are kept."""

# The power of a t test
MANY_FREEDOM = 1000.0
"""Degrees of freedom beyond which the standard deviation is as good as known."""
REACH_SD = 6
"""Standard deviations to either side that an integral over the chi distribution covers."""
EFFECT_STEP = 1e-4
"""Step between effects, in standard errors, among which the smallest visible one is looked for."""
FIRST_REACH = 20.0
"""Standard errors beyond the critical value within which that effect is looked for first."""

# Least squares (Levenberg and Marquardt)
MOST_STEPS = 60
IDLE_STEPS = 4
"""Steps without a gain for any fit, after which it ends."""
SLOPE_STEP = 1e-6
"""Step of a parameter, which is of the order of 1, to find a slope."""
SETTLED, SETTLED_COST = 1e-8, 1e-14
"""A gain that is worth a step: relative to the cost, and absolute."""
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-2, 1e-9, 1e9
LESS_DAMPING, MORE_DAMPING = 4, 6
"""Factors after a step that was better, and after one that was not."""
RIDGE = 1e-12
"""Added to the diagonal, so that the equations have a solution."""
BISECTIONS = 48
"""Steps of a bisection: to 15 digits."""

# Where a fit of a law starts, and the bounds of its parameters
LOW_START, SHARE_START, HIGH_START = 0.1, 0.3, 1.5
ABOVE_SEEN = 1.05
"""Start of a highest throughput, times the highest measured one."""
SHARPEST_LOG = 3.0
"""Logarithm of the sharpness of a bend; a sharper one looks like two straight lines."""
LEAST_SHARE = 1e-5
"""Least share of a transaction's time that is spent at its bottleneck."""
MOST_LOG = 50.0
"""Largest logarithm of a parameter, so that no search ends in an overflow."""

# Integrals of laws
POINTS, FEW_POINTS = 40, 20
"""Points of a Gauss-Legendre quadrature: over all, and on each side of the summit."""
SUMMIT_SD, TAIL = 8.0, 30.0
"""Range: standard deviations of the summit, and the exponents of the tail of e^-u."""
USERS_STEP = 1e-5
"""Increase of the users, as a share, to find a slope."""

# Histograms
CELLS_PER_DOUBLING = 4
"""Cells of the grid in which intervals keep their times."""
LAGS = 1000
"""Equal shares of the transactions whose lag of start is computed."""
SD_PER_DEVIATION = 1.4826
"""Standard deviation of a normal variable over the median of its absolute deviations."""
MEDIAN_OF_SQUARES = 0.455
"""Median of the square of a normal variable of variance 1."""
BLOCK = 4
"""Intervals of a block, between whose means noise that lasts shows."""
MOST_CORRELATED = 0.99
"""Correlation of neighbours beyond which a series tells nothing of itself."""
LEAST_BLOCKS = 4
"""Blocks of a series, of fewer of which the median tells nothing."""
SHORTEST_PERIOD = 3
"""Intervals of a period that can be told from noise."""
MSER_BATCHES, MSER_BATCH = 20, 5
"""Batches that MSER needs, and intervals in a batch at most."""
SMOOTHED = 3
"""Intervals that are looked at together: one alone may be off by three standard deviations."""
LEAST_ORDERS, MOST_ORDERS = 1999, 9999
"""Random orders of a history that are tried."""
ORDERS_BATCH, MOST_ORDERED_VALUES = 100, 4_000_000
"""Random orders between two looks at the answer; fewer if each has many places, which bounds the memory."""
KEPT_QUESTIONS = 8
"""Lengths of a history whose places are kept."""
