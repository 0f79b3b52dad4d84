"""Histograms of the agent's layout, many at once: counted, and encoded as HDR V2 payloads.

The agent's own encoder and the reference library encode one value or one histogram after the other, which
would take longer than all judging.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_HEAD = struct.Struct(">IIIIQQd")
_FRAME = struct.Struct(">II")
_COOKIE, _COMPRESSED_COOKIE = 0x1C849313, 0x1C849314
_HIGHEST_NS = 2**42 - 1

Integers = NDArray[np.int64]


def buckets_of(values_ns: Integers) -> Integers:
    """The bucket of each value: 128 in each power of two."""
    exponents = np.frexp(np.maximum(values_ns, 1).astype(float))[1]
    shift = np.maximum(exponents - 8, 0)
    buckets: Integers = (shift << 7) + (values_ns >> shift)
    return buckets


def counted(values_ns: Integers, intervals: Integers, number: int) -> tuple[Integers, int]:
    """Counts by interval (rows) and bucket (columns), and the bucket of the first column."""
    if not len(values_ns):
        return np.zeros((number, 0), np.int64), 0
    buckets = buckets_of(values_ns)
    first = int(buckets.min())
    width = int(buckets.max()) - first + 1
    flat = np.bincount(intervals * width + (buckets - first), minlength=number * width)
    return flat.reshape(number, width), first


def encoded(counts: Integers, first: int) -> list[str]:
    """A payload for each row of counts, empty for a row without a value."""
    rows, columns = np.nonzero(counts)
    if not len(rows):
        return [""] * len(counts)
    filled = counts[rows, columns]
    before = np.empty(len(rows), np.int64)
    before[1:] = columns[:-1]
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    before[begins] = -first - 1
    gaps = columns - before - 1
    # One empty bucket is a count of 0, several are a negative word.
    words = np.empty(2 * len(rows), np.int64)
    words[0::2], words[1::2] = np.where(gaps > 1, -gaps, 0), filled
    kept = np.ones(len(words), bool)
    kept[0::2] = gaps > 0
    row_of_word = np.repeat(rows, 2)[kept]
    payload, row_of_byte = _zigzag_leb128(words[kept], row_of_word)
    ends = np.searchsorted(row_of_byte, np.arange(len(counts)), side="right")
    texts, begin = [], 0
    for end in ends.tolist():
        texts.append(_framed(payload[begin:end]) if end > begin else "")
        begin = end
    return texts


def _zigzag_leb128(words: Integers, rows: Integers) -> tuple[bytes, Integers]:
    """The bytes of signed numbers below 2^27, and the row that each byte belongs to."""
    unsigned = (words << 1) ^ (words >> 63)
    sizes = 1 + (unsigned >= 1 << 7) + (unsigned >= 1 << 14) + (unsigned >= 1 << 21)
    places = np.arange(4)
    parts = (unsigned[:, None] >> (7 * places)) & 0x7F
    parts[places < (sizes - 1)[:, None]] |= 0x80
    used = places < sizes[:, None]
    return parts[used].astype(np.uint8).tobytes(), np.repeat(rows, sizes)


def _framed(words: bytes) -> str:
    plain = _HEAD.pack(_COOKIE, len(words), 0, 2, 1, _HIGHEST_NS, 1.0) + words
    deflated = zlib.compress(plain, 1)
    return base64.b64encode(_FRAME.pack(_COMPRESSED_COOKIE, len(deflated)) + deflated).decode()
