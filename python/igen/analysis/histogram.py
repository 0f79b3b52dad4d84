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
        # The small step back keeps 0.9 × 10 from becoming rank 10 by rounding.
        rank = np.ceil(np.asarray(shares) * cumulated[-1] * (1 - 1e-15)).clip(1, cumulated[-1])
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
    buckets, positions = np.unique(np.concatenate([part.buckets for part in parts]), return_inverse=True)
    counts = np.zeros(len(buckets), np.int64)
    np.add.at(counts, positions, np.concatenate([part.counts for part in parts]))
    return Histogram(buckets, counts, sum(part.sum_ns for part in parts))


def coarse(histogram: Histogram, buckets_per_doubling: int = 4) -> list[tuple[float, int]]:
    """(upper edge in ns, count) over a grid that all histograms share, for heat maps.

    `buckets_per_doubling` is a power of two up to 128. Times below 256 ns share the first cells.
    """
    width = _HALF // buckets_per_doubling
    cells, positions = np.unique(histogram.buckets // width, return_inverse=True)
    counts = np.zeros(len(cells), np.int64)
    np.add.at(counts, positions, histogram.counts)
    edges = lower_edge_ns((cells + 1) * width)
    return [(float(edge), int(count)) for edge, count in zip(edges, counts, strict=True)]


def decode(text: str, sum_ns: int) -> Histogram:
    """From base64 of a deflated V2 payload; no text is no values. A `ValueError` says what is wrong."""
    if not text:
        return Histogram()
    try:
        framed = base64.b64decode(text, validate=True)
        cookie, length = struct.unpack_from(">II", framed)
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
    words = _zigzag_leb128(np.frombuffer(plain, np.uint8, length, _PAYLOAD.size))
    # A negative word is a run of empty buckets, any other the count of the next bucket.
    buckets = np.cumsum(np.where(words < 0, -words, 1)) - 1
    filled = words > 0
    return Histogram(buckets[filled], words[filled], sum_ns)


def _zigzag_leb128(raw: NDArray[np.uint8]) -> Integers:
    """Signed integers of up to eight bytes each, which is enough for counts below 2^55."""
    if not len(raw):
        return np.empty(0, np.int64)
    last = np.flatnonzero(raw < 0x80)
    if not len(last) or last[-1] != len(raw) - 1:
        raise ValueError("an HDR histogram that ends inside a number")
    first = np.concatenate(([0], last[:-1] + 1))
    sizes = last - first + 1
    if sizes.max() > 8:
        raise ValueError("an HDR histogram with a count beyond 2^55")
    shifts = 7 * (np.arange(len(raw)) - np.repeat(first, sizes))
    unsigned = np.add.reduceat((raw & 0x7F).astype(np.int64) << shifts, first)
    return (unsigned >> 1) ^ -(unsigned & 1)
