"""Was a level steady, and which part of its executions counts? Decided once, from all executions together.

1. A period (checkpoints, garbage collection) is found by autocorrelation. Its profile is taken out before the
   other rules look, and what is measured is cut to whole periods, at least three; where the user said how
   long the warm-up is, it needs as many and nothing is cut (`measured`).
2. Where the judge was left to choose the warm-up, its rest is cut (`approach`): one cut for all executions.
3. Four tests look at what remains, at a total false-alarm rate of 5 % over all tests, executions and looks:
   - change: the part of an execution, of any length and place, whose mean differs most from the rest (steps,
     drifts, random walks; the two ends of a cumulative sum);
   - drift: the slope of the mean over all executions;
   - wandering: the mean, over all executions, of what the change test saw in each of them. A random walk of
     1 % an interval hides in one execution of four, but not in five of them;
   - outage: an interruption of 5 % of the measurement, or of two intervals, in which less than half of the
     usual was done.
   Noise may be correlated from interval to interval up to 0.5: the correlation is that of all executions,
   from differences over one and over two intervals, which steps and drifts hardly touch. Values are clipped
   at three standard deviations, so that a single bad interval is noise and a lasting one is not.
   What changes the mean by less than half a percent is no change.
4. An execution that was measured longer is judged at its planned length too: a finding is never replaced.

Simulated in tests/judge/test_steady.py, with 50 intervals: one execution, and five.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from igen.judge.run.approach import approach, noise_of
from igen.judge.trust.finding import Finding, Part, finding
from igen.judge.trust.rules.steady import (
    BY_CHANCE,
    CLEAR_PART,
    CLEAR_SD,
    CLIP_SD,
    COUNTED,
    DRIFT_RUNS,
    DRIFT_SD,
    DRIFT_SD_ALONE,
    LEAST_DRIFT,
    LEAST_EFFECT,
    LEAST_INTERVALS,
    LEAST_NOISE,
    LEAST_PERIODS,
    LOOK_AGAIN_SD,
    MOST_CORRELATION,
    MOST_INTERVALS,
    NEARLY_AS_GOOD,
    OUTAGE_INTERVALS,
    OUTAGE_LEVEL,
    OUTAGE_SD,
    OUTAGE_SHARE,
    PERIOD_CORRELATION,
    PERIOD_SD,
    STEP_SD,
    STEP_SD_OF_MORE,
    WANDER_SD,
    WANDER_SD_OF_FEW,
)

BLOCK = 4
MEDIAN_OF_SQUARES = 0.455
"""Median of the square of a normal variable of variance 1."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What is used of the executions: of each the intervals `cut` to `stops` (exclusive), the end of its last
    whole period."""

    cut: int = 0
    stops: list[int] = field(default_factory=list)
    period: int | None = None
    """In intervals."""
    reasons: list[list[Finding]] = field(default_factory=list)
    """By execution: why it was not steady; empty for a steady one."""

    @property
    def steady(self) -> bool:
        """Whether no test spoke against any execution."""
        return not any(self.reasons)


def steadiness(
    executions: Sequence[Sequence[float]],
    *,
    may_cut: bool,
    planned: Sequence[int] | None = None,
    interval_s: float = 1.0,
    counted: float = COUNTED.value,
) -> Steadiness:
    """Judges the throughputs a second in consecutive intervals of equal length, of MEASURE alone.

    `may_cut`: the judge chooses the warm-up. `planned` are the lengths in intervals that the executions were
    to have; longer ones were extended. `counted` is by how many transactions intervals differ that the load
    itself makes different.
    """
    lengths = [len(values) for values in executions]
    judged = [place for place, length in enumerate(lengths) if length >= LEAST_INTERVALS.value]
    found = [
        []
        if length >= LEAST_INTERVALS.value
        else [finding("few-intervals", limit=LEAST_INTERVALS.value, intervals=length)]
        for length in lengths
    ]
    if not judged:
        return Steadiness(0, lengths, None, found)
    plans = planned or lengths
    told = _judged(
        [np.asarray(executions[place], float) for place in judged],
        may_cut,
        [min(plans[place], lengths[place]) for place in judged],
        interval_s,
        counted,
    )
    stops = list(lengths)
    for place, stop, reasons in zip(judged, told.stops, told.reasons, strict=True):
        stops[place], found[place] = stop, reasons
    return Steadiness(told.cut, stops, told.period, found)


def _judged(
    series: list[Floats], may_cut: bool, planned: list[int], interval_s: float, counted: float
) -> Steadiness:
    lengths = [len(x) for x in series]
    levels = [_level_of(x) for x in series]
    if not all(levels):
        return Steadiness(0, lengths, None, [[] for _ in lengths])
    series = [x / level for x, level in zip(series, levels, strict=True)]
    counts = [level * interval_s for level in levels]
    period = find_period(series)
    if period is not None and not _is_seen(series, period, counts, counted):
        period = None
    flat = series if period is None else [x - _profile(x, period) for x in series]
    front = approach(flat) if may_cut else None
    cut = front.cut if front and front.ended else 0
    found: list[list[Finding]] = [[] for _ in series]
    if front and not front.ended:
        found = [[finding("long-warm-up", warm_up_s=front.cut * interval_s)] for _ in series]
    stops = lengths
    if period is not None:
        stops = [cut + max((length - cut) // period, 1) * period for length in lengths]
        stops = [min(stop, length) for stop, length in zip(stops, lengths, strict=True)]
        for reasons, length in zip(found, lengths, strict=True):
            if (length - cut) < LEAST_PERIODS.value * period:
                reasons.append(
                    finding(
                        "few-periods",
                        limit=LEAST_PERIODS.value,
                        periods=(length - cut) / period,
                        period_s=period * interval_s,
                    )
                )
    rests = [x[cut:] for x in flat]
    extended = planned != lengths
    stricter = LOOK_AGAIN_SD.value if extended else 0.0
    at_first = [x[: max(plan - cut, 0)] for x, plan in zip(rests, planned, strict=True)]
    looks = _findings(rests, cut * interval_s, interval_s, stricter, counts)
    if extended:
        early = _findings(at_first, cut * interval_s, interval_s, stricter, counts)
        looks = [
            [_at_first(reason, plan * interval_s) for reason in first] or reasons
            for first, reasons, plan in zip(early, looks, planned, strict=True)
        ]
    for reasons, new in zip(found, looks, strict=True):
        reasons.extend(new)
    return Steadiness(cut, stops, period, found)


def _at_first(reason: Finding, planned_s: float) -> Finding:
    """Return a reason of the planned length of an execution that was measured longer."""
    return replace(reason, parts=(*reason.parts, Part(name="planned_s", figure=planned_s)))


def find_period(series: Sequence[Floats]) -> int | None:
    """Length of the shortest clear period of all series, in elements; None without one or below two of them.

    A lag counts as a period if the mean autocorrelation has a peak there, above 0.5 and 3.5 standard errors,
    and was below half of that before. False alarms: below 2 % of series with autocorrelation up to 0.5.
    """
    n = min(len(x) for x in series)
    correlations = [r for x in series if (r := _autocorrelation(x[:n])) is not None]
    if not correlations:
        return None
    r = np.mean(correlations, axis=0)
    looks = np.sqrt(len(series) * (n - np.arange(len(r))))
    needed = np.maximum(PERIOD_CORRELATION.value, PERIOD_SD.value / looks)
    peaks = [
        lag
        for lag in range(3, len(r) - 1)
        if r[lag] >= max(r[lag - 1], r[lag + 1], needed[lag]) and r[1:lag].min() < r[lag] / 2
    ]
    # Multiples of the period correlate as well: the first that is nearly as good is the period.
    return next((lag for lag in peaks if r[lag] >= NEARLY_AS_GOOD.value * r[peaks].max()), None)


def _autocorrelation(x: Floats) -> Floats | None:
    """At lags up to half of the length, without the slope; None of a constant series."""
    n = len(x)
    time = np.arange(n) - (n - 1) / 2
    y = x - x.mean() - time * (time @ x) / (time @ time)
    variance = float(y @ y) / n
    if variance <= 1e-18 * float(x @ x) / n:
        return None
    r: Floats = np.array([y[lag:] @ y[: n - lag] / (n - lag) for lag in range(n // 2 + 1)]) / variance
    return r


def _profile(x: Floats, period: int) -> Floats:
    """What the phase of the period adds to the mean, for each element."""
    phases = np.arange(len(x)) % period
    means = np.bincount(phases, x, period) / np.bincount(phases, minlength=period)
    profile: Floats = means[phases] - x.mean()
    return profile


def _level_of(x: Floats) -> float:
    """What the series is measured in: the median of its second half, where a warm-up is over."""
    return float(np.median(x[len(x) // 2 :])) or float(x.mean())


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a series that differs most from the rest, by its edges."""

    begin: int
    end: int
    distance: float
    """Distance of the clipped sums, before it is divided by the noise."""

    def _means(self, x: Floats) -> tuple[float, float, float]:
        """Inside and outside, and the share of the time inside."""
        inside = np.zeros(len(x), bool)
        inside[self.begin : self.end] = True
        return float(x[inside].mean()), float(x[~inside].mean()), float(inside.mean())

    def is_clear(self, x: Floats, count: float) -> bool:
        """Whether the part is another level beyond doubt, in series too short for the test to tell; so few of
        `count` transactions an interval are none."""
        inside = np.zeros(len(x), bool)
        inside[self.begin : self.end] = True
        if min(inside.sum(), (~inside).sum()) < CLEAR_PART.value:
            return False
        distance = abs(float(np.median(x[inside]) - np.median(x[~inside])))
        part, rest = sorted((x[inside], x[~inside]), key=len)
        against = _against(count * float(part.sum()), count * len(part) * float(rest.mean()))
        return distance > CLEAR_SD.value * noise_of(x) and against >= BY_CHANCE.value

    def effect_on(self, x: Floats) -> float:
        """By which the mean is off that of the longer of both parts, as a share of it."""
        inside, outside, share = self._means(x)
        of_rest = outside if share < 0.5 else inside
        return abs(inside - outside) * min(share, 1 - share) / of_rest if of_rest > 0 else 1.0

    def change(self, x: Floats, begin_s: float, length_s: float) -> list[Part]:
        """Return the change in percent and its time; of a part at the start, of what follows it."""
        inside, outside, _ = self._means(x)
        from_s, to_s = begin_s + self.begin * length_s, begin_s + self.end * length_s
        if self.begin == 0:
            return _change(outside, inside, (to_s, None))
        return _change(inside, outside, (from_s, None if self.end == len(x) else to_s))


def _change(value: float, base: float, span_s: tuple[float, float | None]) -> list[Part]:
    """Return the change and its time; a change from nothing has no figure."""
    percent = [Part(name="change_percent", figure=100 * (value / base - 1))] if base > 0 else []
    return [*percent, Part(name="changed_s", span=span_s)]


def _findings(
    parts: Sequence[Floats], begin_s: float, interval_s: float, stricter: float, counts: Sequence[float]
) -> list[list[Finding]]:
    """Why each execution is not steady; `parts` begin `begin_s` after MEASURE did, `counts` are transactions
    an interval."""
    found: list[list[Finding]] = [[] for _ in parts]
    judged = [index for index, x in enumerate(parts) if len(x) >= LEAST_INTERVALS.value]
    if not judged:
        return found
    batch = -(-max(len(parts[index]) for index in judged) // MOST_INTERVALS.value)
    raw = [_batches(parts[index], batch) for index in judged]
    length_s = batch * interval_s
    clipped = [_clipped(x) for x in raw]
    different = [_most_different(y) for y in clipped]
    variances = _long_run_variances(raw, clipped)
    distances = [part.distance / sqrt(noise) for part, noise in zip(different, variances, strict=True)]
    limits = [_change_limit(len(x), len(judged)) + stricter for x in raw]
    left: list[int] = []
    for place, (index, x, part) in enumerate(zip(judged, raw, different, strict=True)):
        if (gap := _outage(x, batch * counts[index])) is not None:
            at_s = (begin_s + gap[0] * length_s, begin_s + gap[1] * length_s)
            found[index].append(finding("outage", Part(name="below_half_s", span=at_s)))
        elif (distances[place] > limits[place] or part.is_clear(x, batch * counts[index])) and part.effect_on(
            x
        ) >= LEAST_EFFECT.value:
            found[index].append(finding("step", *part.change(x, begin_s, length_s)))
        else:
            left.append(place)
    # What one execution does alone is no drift of all.
    drift = _drift([clipped[place] for place in left], [variances[place] for place in left], stricter)
    if drift is not None:
        for place in left:
            found[judged[place]].append(finding("drift", change_percent=100 * drift))
    elif _wander(distances, limits, min(map(len, raw)), stricter):
        for place in left:
            part, x = different[place], raw[place]
            if part.effect_on(x) >= LEAST_EFFECT.value:
                found[judged[place]].append(finding("wander", *part.change(x, begin_s, length_s)))
    return found


def _batches(x: Floats, batch: int) -> Floats:
    batches = len(x) // batch
    means: Floats = x[: batches * batch].reshape(batches, batch).mean(axis=1)
    return means


def _clipped(x: Floats) -> Floats:
    """Without their median, a single outlier no further off than noise goes."""
    noise = CLIP_SD.value * noise_of(x)
    clipped: Floats = np.clip(x - np.median(x), -noise, noise)
    return clipped


def _long_run_variances(raw: Sequence[Floats], clipped: Sequence[Floats]) -> list[float]:
    """By series: n times the variance that the mean of n such values has, their correlation allowed for.

    Differences over k intervals of an autoregressive series have the variance 2 σ² (1 - φ^k), so that those
    over two and over one tell φ: 1 + φ is their quotient. Noise that is none from one interval to the next
    and lasts for some shows between the means of neighbouring blocks: the larger of both counts, up to what
    the largest correlation that is allowed for would make of the first.
    """
    halves, twos, blocks = [], [], []
    for x, y in zip(raw, clipped, strict=True):
        limit = np.sqrt(2) * CLIP_SD.value * noise_of(x)
        one, two = (np.clip(y[lag:] - y[:-lag], -limit, limit) for lag in (1, 2))
        half = float(one @ one) / len(one) / 2
        halves.append(half)
        if half > 0:
            twos.append(float(two @ two) / len(two) / 2 / half)
            blocks += [variance / half for variance in _between_blocks(y)]
    quotient = float(np.mean(twos)) if twos else 1.0
    # Low by about one in the number of values.
    quotient += quotient / sum(len(y) for y in clipped)
    correlation = min(max(quotient - 1, 0.0), MOST_CORRELATION.value)
    factor = max(_long_run_factor(correlation), float(np.mean(blocks)) if blocks else 0.0)
    factor = min(factor, _long_run_factor(MOST_CORRELATION.value))
    return [max(half * factor, LEAST_NOISE.value**2) for half in halves]


def _long_run_factor(correlation: float) -> float:
    """Variance of a mean of n values, n times, over half of that of a difference of neighbours."""
    return (1 + correlation) / (1 - correlation) ** 2


def _between_blocks(y: Floats) -> list[float]:
    """The same from neighbouring blocks of `BLOCK` values, none for a short series; by the median, which a
    change of level does not move."""
    if len(y) < 4 * BLOCK:
        return []
    sums = np.concatenate(([0.0], np.cumsum(y)))
    means = (sums[BLOCK:] - sums[:-BLOCK]) / BLOCK
    squares = (means[BLOCK:] - means[:-BLOCK]) ** 2
    return [BLOCK * float(np.median(squares)) / MEDIAN_OF_SQUARES / 2]


def _most_different(y: Floats) -> _Part:
    """Where |sum - length × mean| / √(length (1 - length / n)) is largest, over all parts of the series."""
    n = len(y)
    sums = np.concatenate(([0.0], np.cumsum(y - y.mean())))
    edges = np.arange(n + 1)
    length = np.abs(edges[None, :] - edges[:, None])
    inner = (length > 0) & (length < n)
    scale = np.sqrt(np.where(inner, length * (1 - length / n), 1.0))
    distance = np.where(inner, np.abs(sums[None, :] - sums[:, None]) / scale, 0.0)
    begin, end = sorted(divmod(int(np.argmax(distance)), n + 1))
    return _Part(begin, end, float(distance[begin, end]))


def _change_limit(n: int, executions: int) -> float:
    """Critical value of the change test: 3 % of steady levels have an execution beyond it (simulated)."""
    return _at(STEP_SD.value, n) + _at(STEP_SD_OF_MORE.value, n) * float(np.log(executions))


def _at(limits: dict[int, float], n: int) -> float:
    """Return a critical value at a number of intervals, by interpolation."""
    return float(np.interp(n, [*limits], [*limits.values()]))


def _wander(distances: Sequence[float], limits: Sequence[float], n: int, stricter: float) -> bool:
    """Whether the executions change more than noise does, taken together: 1 % of steady levels (simulated).

    One that is beyond its own limit counts as if it were at it: it is no evidence about the others.
    """
    if len(distances) < 2:
        return False
    mean = float(np.mean(np.minimum(distances, limits)))
    return mean > _at(WANDER_SD.value, n) + _at(WANDER_SD_OF_FEW.value, n) / sqrt(len(distances)) + stricter


def _drift(series: Sequence[Floats], variances: Sequence[float], stricter: float) -> float | None:
    """From begin to end, as a share of the level, where it is beyond its limits."""
    if not series:
        return None
    limit = (DRIFT_SD_ALONE.value if len(series) < DRIFT_RUNS.value else DRIFT_SD.value) + stricter
    n = min(len(y) for y in series)
    mean = np.mean([y[:n] for y in series], axis=0)
    time = np.arange(n) - (n - 1) / 2
    slope = float(time @ mean) / float(time @ time)
    error = sqrt(np.mean(variances) / len(series) / float(time @ time))
    drift = slope * (n - 1)
    return drift if abs(slope) > limit * error and abs(drift) > LEAST_DRIFT.value else None


def _outage(x: Floats, count: float) -> tuple[int, int] | None:
    """The longest run of intervals below half of the median, if it is long enough; that few of `count`
    transactions an interval come is no outage where they come so by chance."""
    median = float(np.median(x))
    low = (x < OUTAGE_LEVEL.value * median) & (x < median - OUTAGE_SD.value * noise_of(x))
    edges = np.flatnonzero(np.diff(np.concatenate(([False], low, [False])).astype(int)))
    runs = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
    begin, end = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    if end - begin < max(min(OUTAGE_SHARE.value * len(x), OUTAGE_INTERVALS.value), 1):
        return None
    against = _against(count * float(x[begin:end].sum()), count * median * (end - begin))
    return (begin, end) if against >= BY_CHANCE.value else None


def _against(came: float, expected: float) -> float:
    """Log-likelihood that a number of transactions which come at random has against it (Poisson)."""
    if came <= 0 or expected <= 0:
        return max(came, expected)
    return float(expected - came + came * np.log(came / expected))


def _is_seen(series: Sequence[Floats], period: int, counts: Sequence[float], counted: float) -> bool:
    """Whether a period is more than how a regular load falls into intervals."""
    swings = [float(np.ptp(_profile(x, period))) * count for x, count in zip(series, counts, strict=True)]
    return max(swings) > counted
