"""Histograms of times: decoded from HDR V2 payloads, merged, asked for quantiles.

A value is known to within its bucket (`igen.hdr`); its middle is at most 0.4 % off, and the middle is what
every quantile (and the maximum) is reported as. The sum, hence the mean, is exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from igen.hdr import HALF_BITS, Counts, Integers, added, batches, no_integers
from igen.judge.trust.rules.numerics import CELLS_PER_DOUBLING, ROUNDING

_HALF = 1 << HALF_BITS
_WIDTHS = {np.dtype(each).itemsize: each for each in (np.uint8, np.uint16, np.uint32, np.int64)}
"""Integers by their length in bytes."""
_BYTES = tuple(_WIDTHS)
_MOST = [int(np.iinfo(each).max) for each in _WIDTHS.values()]
"""The largest number of each length."""


class Histogram(Struct, frozen=True, eq=False, gc=False):
    """Counts of the buckets that are not empty, in ascending order, and the exact sum in nanoseconds.

    Both columns are kept as the narrowest integers, a fifth of the memory: a long run has millions of them.
    """

    sum_ns: int = 0
    size: int = 0
    """Number of buckets that are not empty."""
    count: int = 0
    """Number of values."""
    columns: bytes = b""
    """The buckets, then the number of values in each."""
    of_buckets: int = 1
    """Length in bytes of a number of the first column."""
    of_counts: int = 1
    """Length in bytes of a number of the second column."""

    @classmethod
    def counted(cls, buckets: Integers, counts: Integers, sum_ns: int = 0) -> Histogram:
        """Return the histogram of two columns of the same length."""
        return next(_of_each(buckets, counts, [0, len(buckets)], [sum_ns])) if len(buckets) else cls(sum_ns)

    @property
    def narrow(self) -> Counts:
        """Both columns as they are kept."""
        begin = self.size * self.of_buckets
        return (
            np.frombuffer(self.columns, _WIDTHS[self.of_buckets], self.size),
            np.frombuffer(self.columns, _WIDTHS[self.of_counts], self.size, begin),
        )

    @property
    def buckets(self) -> Integers:
        """The buckets that are not empty."""
        return self.narrow[0].astype(np.int64)

    @property
    def counts(self) -> Integers:
        """The number of values in each of these buckets."""
        return self.narrow[1].astype(np.int64)

    @classmethod
    def of(cls, values_ns: Sequence[int]) -> Histogram:
        """What the agent would have counted."""
        values = np.asarray(values_ns, np.int64)
        shift = np.maximum(np.frexp(np.maximum(values, 1).astype(float))[1] - HALF_BITS - 1, 0)
        buckets, counts = np.unique((shift << HALF_BITS) + (values >> shift), return_counts=True)
        return cls.counted(buckets, counts.astype(np.int64), int(values.sum()))

    @property
    def mean_ns(self) -> float:
        """Exact mean; not a number without values."""
        return self.sum_ns / self.count if self.count else float("nan")

    def quantiles_ns(self, shares: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """The values below which these shares (0 to 1) of all values lie, in ns; not numbers without values.

        By rank: share q of n values is the ⌈q n⌉-th smallest, as in HDR's own reader.
        """
        if not self.size:
            return np.full(len(shares), np.nan)
        cumulated = np.cumsum(self.counts)
        rank = _ranks(np.asarray(shares), int(cumulated[-1]))
        return middle_ns(self.buckets[np.searchsorted(cumulated, rank)])

    @property
    def max_ns(self) -> float:
        """The largest value; not a number without values."""
        return float(middle_ns(self.buckets[-1:])[0]) if self.size else float("nan")


NO_TIMES = Histogram()


def _width(largest: int) -> int:
    """Return the length in bytes of the narrowest integers that hold a number."""
    return _BYTES[bisect_left(_MOST, largest)]


def _of_each(
    buckets: Integers, counts: Integers, cuts: Sequence[int], sums_ns: Iterable[int]
) -> Iterator[Histogram]:
    """Yield the histogram of each part of two columns between two cuts: numpy spends its time on calls."""
    begins = [begin for begin, end in pairwise(cuts) if begin < end]
    totals = iter(np.add.reduceat(counts, begins).tolist() if begins else ())
    most = iter(np.maximum.reduceat(counts, begins).tolist() if begins else ())
    narrow_buckets, narrow_counts = _Narrow(buckets), _Narrow(counts)
    for (begin, end), sum_ns in zip(pairwise(cuts), sums_ns, strict=True):
        if begin == end:
            yield Histogram(sum_ns)
            continue
        # Buckets are in ascending order.
        of_buckets, of_counts = _width(int(buckets[end - 1])), _width(next(most))
        columns = narrow_buckets.part(begin, end, of_buckets) + narrow_counts.part(begin, end, of_counts)
        yield Histogram(sum_ns, end - begin, next(totals), columns, of_buckets, of_counts)


class _Narrow:
    """A column as integers of each length, which are made when they are first asked for."""

    def __init__(self, column: Integers) -> None:
        self._column = column
        self._bytes: dict[int, bytes] = {}

    def part(self, begin: int, end: int, width: int) -> bytes:
        """Return the numbers of a part as integers of that many bytes, which must hold them."""
        if width not in self._bytes:
            self._bytes[width] = self._column.astype(_WIDTHS[width]).tobytes()
        return self._bytes[width][begin * width : end * width]


def lower_edge_ns(buckets: Integers) -> Integers:
    """The smallest value that each bucket counts; the next bucket's is the first that it does not."""
    shift = np.maximum(buckets >> HALF_BITS, 1) - 1
    edges: Integers = (buckets - (shift << HALF_BITS)) << shift
    return edges


def middle_ns(buckets: Integers) -> NDArray[np.float64]:
    """The middle of what each bucket counts: at most 0.4 % away from any value in it."""
    return (lower_edge_ns(buckets) + lower_edge_ns(buckets + 1) - 1) / 2


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """All values of all histograms: exact, the same in every order and grouping.

    An agent that was interrupted while it read a value may tell its time an interval later than its count:
    such a histogram has a sum and no buckets.
    """
    told = list(histograms)
    parts = [histogram for histogram in told if histogram.size]
    sum_ns = sum(histogram.sum_ns for histogram in told)
    if len(parts) == 1:
        (only,) = parts
        return only if only.sum_ns == sum_ns else structs.replace(only, sum_ns=sum_ns)
    return Histogram.counted(*added([part.narrow for part in parts]), sum_ns)


def above(histogram: Histogram, limit_ns: float) -> Histogram:
    """The values in buckets that begin at the limit or above; their sum by the buckets' middles."""
    kept = lower_edge_ns(histogram.buckets) >= limit_ns
    return _with_counts(histogram.buckets, np.where(kept, histogram.counts, 0))


def least_values(histogram: Histogram, number: int) -> Histogram:
    """Return the `number` smallest values; their sum by the buckets' middles."""
    ends = np.minimum(np.cumsum(histogram.counts), number)
    return _with_counts(histogram.buckets, np.diff(ends, prepend=0))


def most_values(histogram: Histogram, number: int) -> Histogram:
    """Return the `number` largest values; their sum by the buckets' middles."""
    ends = np.maximum(np.cumsum(histogram.counts), histogram.count - number)
    return _with_counts(histogram.buckets, np.diff(ends, prepend=histogram.count - number))


def _with_counts(buckets: Integers, counts: Integers) -> Histogram:
    kept = counts > 0
    buckets, counts = buckets[kept], counts[kept]
    return Histogram.counted(buckets, counts, round(float(middle_ns(buckets) @ counts)))


def coarse(
    histograms: Sequence[Histogram], buckets_per_doubling: int = CELLS_PER_DOUBLING
) -> list[list[tuple[float, int]]]:
    """(upper edge in ns, count) of each histogram over a grid that all share, for heat maps.

    `buckets_per_doubling` is a power of two up to 128. Times below 256 ns share the first cells.
    """
    buckets, counts, owners = _together(histograms)
    if not len(buckets):
        return [[] for _ in histograms]
    width = _HALF // buckets_per_doubling
    cells = buckets // width
    (begins,) = np.nonzero(np.diff(cells, prepend=-1) | np.diff(owners, prepend=-1))
    sums = np.add.reduceat(counts, begins)
    edges = lower_edge_ns((cells[begins] + 1) * width).astype(float)
    found = list(zip(edges.tolist(), sums.tolist(), strict=True))
    ends = np.searchsorted(owners[begins], np.arange(len(histograms)), "right").tolist()
    return [found[begin:end] for begin, end in pairwise([0, *ends])]


def quantiles_of_each_ns(
    histograms: Sequence[Histogram], shares: Sequence[float] | NDArray[np.float64]
) -> NDArray[np.float64]:
    """`Histogram.quantiles_ns` of each histogram (rows) for each share (columns)."""
    found = np.full((len(histograms), len(shares)), np.nan)
    buckets, counts, _ = _together(histograms)
    if not len(buckets):
        return found
    cumulated = np.cumsum(counts)
    ends = np.cumsum([histogram.size for histogram in histograms])
    filled = np.diff(ends, prepend=0) > 0
    totals = cumulated[ends[filled] - 1]
    number = np.diff(totals, prepend=0)
    rank = _ranks(np.asarray(shares)[None, :], number[:, None])
    found[filled] = middle_ns(buckets[np.searchsorted(cumulated, rank + (totals - number)[:, None])])
    return found


def _ranks(shares: NDArray[np.float64], number: Integers | int) -> NDArray[np.float64]:
    """Which of `number` values lies at each share: the ⌈share × number⌉-th smallest."""
    # The small step back keeps 0.9 × 10 from becoming rank 10 by rounding.
    ranks: NDArray[np.float64] = np.ceil(shares * number * (1 - ROUNDING)).clip(1, number)
    return ranks


def _together(histograms: Sequence[Histogram]) -> tuple[Integers, Integers, Integers]:
    """Buckets and counts of all histograms one after the other, and the number of each one's histogram."""
    if not histograms:
        return no_integers(), no_integers(), no_integers()
    sizes = [histogram.size for histogram in histograms]
    buckets, counts = zip(*(histogram.narrow for histogram in histograms), strict=True)
    return (
        np.concatenate(buckets, dtype=np.int64),
        np.concatenate(counts, dtype=np.int64),
        np.repeat(np.arange(len(histograms)), sizes),
    )


def decode(text: str, sum_ns: int) -> Histogram:
    """From base64 of a deflated V2 payload; no text is no values. A `ValueError` says what is wrong."""
    return decode_all([(text, sum_ns)])[0]


def decode_all(payloads: Sequence[tuple[str, int]]) -> list[Histogram]:
    """From pairs of payload and sum, as `decode` takes them.

    Together they take a quarter of the time, most of which numpy spends on each call.
    """
    sums_ns = iter([sum_ns for _, sum_ns in payloads])
    return [
        histogram
        for buckets, counts, cuts in batches([text for text, _ in payloads])
        for histogram in _of_each(buckets, counts, cuts.tolist(), islice(sums_ns, len(cuts) - 1))
    ]
