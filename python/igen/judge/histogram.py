"""Histograms of times: decoded from HDR V2 payloads, merged, asked for quantiles.

Layout: HDR with lowest value 1 and two significant figures, so 128 buckets in each power of two. A value is
known to within its bucket; its middle is at most 0.4 % off, and the middle is what every quantile (and the
maximum) is reported as. The sum, hence the mean, is exact.
Format: https://github.com/HdrHistogram/HdrHistogram, `V2EncodingCookieBase`.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_HALF_BITS = 7
_HALF = 1 << _HALF_BITS
_COOKIE = 0x1C849303
_COMPRESSED_COOKIE = 0x1C849304
_WORD_SIZE = 0xF0
"""Bits of a cookie that tell the word size, which V2 does not use."""
_FRAME = struct.Struct(">II")
_PAYLOAD = struct.Struct(">IIIIQQd")

Integers = NDArray[np.int64]


def _no_integers() -> Integers:
    return np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of the buckets that are not empty, in ascending order, and the exact sum in nanoseconds."""

    buckets: Integers = field(default_factory=_no_integers)
    counts: Integers = field(default_factory=_no_integers)
    sum_ns: int = 0

    @classmethod
    def of(cls, values_ns: Sequence[int]) -> Histogram:
        """What the agent would have counted."""
        values = np.asarray(values_ns, np.int64)
        shift = np.maximum(np.frexp(np.maximum(values, 1).astype(float))[1] - _HALF_BITS - 1, 0)
        buckets, counts = np.unique((shift << _HALF_BITS) + (values >> shift), return_counts=True)
        return cls(buckets, counts.astype(np.int64), int(values.sum()))

    @property
    def count(self) -> int:
        """Number of values."""
        return int(self.counts.sum())

    @property
    def mean_ns(self) -> float:
        """Exact mean; not a number without values."""
        count = self.count
        return self.sum_ns / count if count else float("nan")

    def quantiles_ns(self, shares: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """The values below which these shares (0 to 1) of all values lie, in ns; not numbers without values.

        By rank: share q of n values is the ⌈q n⌉-th smallest, as in HDR's own reader.
        """
        if not len(self.counts):
            return np.full(len(shares), np.nan)
        cumulated = np.cumsum(self.counts)
        rank = _ranks(np.asarray(shares), int(cumulated[-1]))
        return middle_ns(self.buckets[np.searchsorted(cumulated, rank)])

    @property
    def max_ns(self) -> float:
        """The largest value; not a number without values."""
        return float(middle_ns(self.buckets[-1:])[0]) if len(self.buckets) else float("nan")


def lower_edge_ns(buckets: Integers) -> Integers:
    """The smallest value that each bucket counts; the next bucket's is the first that it does not."""
    shift = np.maximum(buckets >> _HALF_BITS, 1) - 1
    edges: Integers = (buckets - (shift << _HALF_BITS)) << shift
    return edges


def middle_ns(buckets: Integers) -> NDArray[np.float64]:
    """The middle of what each bucket counts: at most 0.4 % away from any value in it."""
    return (lower_edge_ns(buckets) + lower_edge_ns(buckets + 1) - 1) / 2


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """All values of all histograms: exact, the same in every order and grouping."""
    parts = [histogram for histogram in histograms if len(histogram.buckets)]
    if not parts:
        return Histogram()
    if len(parts) == 1:
        return parts[0]
    first = min(int(part.buckets[0]) for part in parts)
    # Sums of integers below 2^53 are exact as floating-point numbers too.
    counts = np.bincount(
        np.concatenate([part.buckets for part in parts]) - first,
        np.concatenate([part.counts for part in parts]),
    ).astype(np.int64)
    (filled,) = np.nonzero(counts)
    return Histogram(filled + first, counts[filled], sum(part.sum_ns for part in parts))


def above(histogram: Histogram, limit_ns: float) -> Histogram:
    """The values in buckets that begin at the limit or above; their sum by the buckets' middles."""
    kept = lower_edge_ns(histogram.buckets) >= limit_ns
    buckets, counts = histogram.buckets[kept], histogram.counts[kept]
    return Histogram(buckets, counts, round(float(middle_ns(buckets) @ counts)))


def coarse(histograms: Sequence[Histogram], buckets_per_doubling: int = 4) -> list[list[tuple[float, int]]]:
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
    found: list[list[tuple[float, int]]] = [[] for _ in histograms]
    for owner, edge, count in zip(owners[begins].tolist(), edges.tolist(), sums.tolist(), strict=True):
        found[owner].append((edge, count))
    return found


def quantiles_of_each_ns(
    histograms: Sequence[Histogram], shares: Sequence[float] | NDArray[np.float64]
) -> NDArray[np.float64]:
    """`Histogram.quantiles_ns` of each histogram (rows) for each share (columns)."""
    found = np.full((len(histograms), len(shares)), np.nan)
    buckets, counts, _ = _together(histograms)
    if not len(buckets):
        return found
    cumulated = np.cumsum(counts)
    ends = np.cumsum([len(histogram.buckets) for histogram in histograms])
    filled = np.diff(ends, prepend=0) > 0
    totals = cumulated[ends[filled] - 1]
    number = np.diff(totals, prepend=0)
    rank = _ranks(np.asarray(shares)[None, :], number[:, None])
    found[filled] = middle_ns(buckets[np.searchsorted(cumulated, rank + (totals - number)[:, None])])
    return found


def _ranks(shares: NDArray[np.float64], number: Integers | int) -> NDArray[np.float64]:
    """Which of `number` values lies at each share: the ⌈share × number⌉-th smallest."""
    # The small step back keeps 0.9 × 10 from becoming rank 10 by rounding.
    ranks: NDArray[np.float64] = np.ceil(shares * number * (1 - 1e-15)).clip(1, number)
    return ranks


def _together(histograms: Sequence[Histogram]) -> tuple[Integers, Integers, Integers]:
    """Buckets and counts of all histograms one after the other, and the number of each one's histogram."""
    if not histograms:
        return _no_integers(), _no_integers(), _no_integers()
    sizes = [len(histogram.buckets) for histogram in histograms]
    return (
        np.concatenate([histogram.buckets for histogram in histograms]),
        np.concatenate([histogram.counts for histogram in histograms]),
        np.repeat(np.arange(len(histograms)), sizes),
    )


def decode(text: str, sum_ns: int) -> Histogram:
    """From base64 of a deflated V2 payload; no text is no values. A `ValueError` says what is wrong."""
    return decode_all([(text, sum_ns)])[0]


def decode_all(payloads: Sequence[tuple[str, int]]) -> list[Histogram]:
    """From pairs of payload and sum, as `decode` takes them.

    Together they take a quarter of the time, most of which numpy spends on each call.
    """
    plain = [_inflated(text) for text, _ in payloads]
    sizes = np.array([len(each) for each in plain], np.int64)
    joined = np.frombuffer(b"".join(plain), np.uint8)
    filled = np.cumsum(sizes)[sizes > 0] - 1
    if (joined[filled] >= 0x80).any():
        raise ValueError("an HDR histogram that ends inside a number")
    words, ends = _zigzag_leb128(joined)
    # A negative word is a run of empty buckets, any other the count of the next bucket.
    after = np.concatenate(([0], np.cumsum(np.where(words < 0, -words, 1))))
    bounds = np.concatenate(([0], np.searchsorted(ends, np.cumsum(sizes))))
    buckets = after[1:] - 1 - np.repeat(after[bounds[:-1]], np.diff(bounds))
    (counted,) = np.nonzero(words > 0)
    buckets, counts = buckets[counted], words[counted]
    cuts = np.searchsorted(counted, bounds).tolist()
    return [
        Histogram(buckets[begin:end], counts[begin:end], sum_ns)
        for begin, end, (_, sum_ns) in zip(cuts, cuts[1:], payloads, strict=False)
    ]


def _inflated(text: str) -> bytes:
    """The words of a payload; none of an empty one."""
    if not text:
        return b""
    try:
        framed = base64.b64decode(text, validate=True)
        cookie, length = _FRAME.unpack_from(framed)
        if cookie & ~_WORD_SIZE != _COMPRESSED_COOKIE:
            raise ValueError(f"cookie {cookie:#x} is not of a deflated V2 histogram")
        plain = zlib.decompress(framed[8 : 8 + length])
        cookie, length, offset, figures, lowest, _highest, ratio = _PAYLOAD.unpack_from(plain)
    except (binascii.Error, struct.error, zlib.error) as error:
        raise ValueError(f"not an HDR V2 histogram: {error}") from error
    if cookie & ~_WORD_SIZE != _COOKIE or (offset, figures, lowest, ratio) != (0, 2, 1, 1.0):
        raise ValueError(
            "an HDR histogram of another layout: need V2, two significant figures, lowest value 1"
        )
    words = plain[_PAYLOAD.size : _PAYLOAD.size + length]
    if len(words) < length:
        raise ValueError(f"an HDR histogram of {len(words)} bytes where its head says {length}")
    return words


def _zigzag_leb128(raw: NDArray[np.uint8]) -> tuple[Integers, Integers]:
    """Signed integers of up to eight bytes each (counts below 2^55), and where each ends."""
    (last,) = np.nonzero(raw < 0x80)
    if not len(last):
        return _no_integers(), _no_integers()
    first = np.concatenate(([0], last[:-1] + 1))
    sizes = last - first + 1
    if sizes.max() > 8:
        raise ValueError("an HDR histogram with a count beyond 2^55")
    shifts = 7 * (np.arange(len(raw)) - np.repeat(first, sizes))
    unsigned = np.add.reduceat((raw & 0x7F).astype(np.int64) << shifts, first)
    return (unsigned >> 1) ^ -(unsigned & 1), last
