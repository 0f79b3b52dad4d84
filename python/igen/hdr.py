"""Histograms as they stand in events: HDR V2 payloads, deflated, in base64.

Layout: lowest value 1 and two significant figures, so 128 buckets in each power of two.
Format: https://github.com/HdrHistogram/HdrHistogram, `V2EncodingCookieBase`.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

HALF_BITS = 7
"""Two significant figures: 128 buckets in each power of two."""
_COOKIE = 0x1C849303
_COMPRESSED_COOKIE = 0x1C849304
_WORD_SIZE = 0xF0
"""Bits of a cookie that tell the word size, which V2 does not use."""
_VARIABLE = 0x10
"""What those bits are where it is written."""
_SIGNIFICANT_FIGURES, _LOWEST, _RATIO = 2, 1, 1.0
_HIGHEST = (1 << 42) - 1
"""The largest time that agents count, in nanoseconds: 73 minutes."""
_BUCKETS = 1 << 13
"""No number of 64 bits is in one beyond these."""
_TOGETHER = 32
"""Payloads whose words and what is made of them stay in the processor's own memory."""
_FRAME = struct.Struct(">II")
_PAYLOAD = struct.Struct(">IIIIQQd")

Integers = NDArray[np.int64]
Counts = tuple[Integers, Integers]
"""Buckets that are not empty, in ascending order, and how many values each counts."""


def no_integers() -> Integers:
    """An empty column."""
    return np.empty(0, np.int64)


def decoded(payloads: Sequence[str]) -> list[Counts]:
    """What each payload counts; no text is no values. A `ValueError` says what is wrong.

    Some together take a quarter of the time, most of which numpy spends on each call.
    """
    found: list[Counts] = []
    for buckets, counts, cuts in batches(payloads):
        found += [(buckets[begin:end], counts[begin:end]) for begin, end in pairwise(cuts.tolist())]
    return found


def summed(payloads: Sequence[str]) -> Counts:
    """All values that these payloads count: what `added` makes of them `decoded`, and faster."""
    counts = np.zeros(_BUCKETS)
    for buckets, counted, _ in batches(payloads):
        if len(buckets):
            if buckets.max() >= _BUCKETS:
                raise ValueError(f"an HDR histogram of more than {_BUCKETS:,} buckets")
            counts += np.bincount(buckets, counted, _BUCKETS)
    (filled,) = np.nonzero(counts)
    return filled, counts[filled].astype(np.int64)


def batches(payloads: Sequence[str]) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Buckets that are not empty and their counts, one payload after the other, and where each ends."""
    for begin in range(0, len(payloads), _TOGETHER):
        yield _batch(payloads[begin : begin + _TOGETHER])


def _batch(payloads: Sequence[str]) -> tuple[Integers, Integers, Integers]:
    plain = [_inflated(text) for text in payloads]
    sizes = np.array([len(each) for each in plain], np.int64)
    joined = np.frombuffer(b"".join(plain), np.uint8)
    filled = np.cumsum(sizes)[sizes > 0] - 1
    if (joined[filled] >= 0x80).any():
        raise ValueError("an HDR histogram that ends inside a number")
    words, ends = _zigzag_leb128(joined)
    # A negative word is a run of empty buckets, any other the count of the next bucket.
    after = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.maximum(-words, 1), out=after[1:])
    bounds = np.concatenate(([0], np.searchsorted(ends, np.cumsum(sizes))))
    (counted,) = np.nonzero(words > 0)
    cuts = np.searchsorted(counted, bounds)
    buckets = after[counted] - np.repeat(after[bounds[:-1]], np.diff(cuts))
    return buckets, words[counted], cuts


def added(parts: Sequence[Counts]) -> Counts:
    """All values of all parts: exact, the same in every order and grouping."""
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return no_integers(), no_integers()
    if len(parts) == 1:
        return parts[0]
    first = min(int(buckets[0]) for buckets, _ in parts)
    # Sums of integers below 2^53 are exact as floating-point numbers too.
    counts = np.bincount(
        np.concatenate([buckets for buckets, _ in parts]) - first,
        np.concatenate([counts for _, counts in parts]),
    ).astype(np.int64)
    (filled,) = np.nonzero(counts)
    return filled + first, counts[filled]


def encoded(counts: Counts) -> str:
    """The payload of what is counted; no text for no values."""
    if not len(counts[0]):
        return ""
    words = _leb128_zigzag(_words(counts))
    head = (_COOKIE | _VARIABLE, len(words), 0, _SIGNIFICANT_FIGURES, _LOWEST, _HIGHEST, _RATIO)
    deflated = zlib.compress(_PAYLOAD.pack(*head) + words, 1)
    framed = _FRAME.pack(_COMPRESSED_COOKIE | _VARIABLE, len(deflated)) + deflated
    return base64.b64encode(framed).decode("ascii")


def _words(counts: Counts) -> Integers:
    """The count of each bucket, and between those that are not neighbours the empty ones, below zero."""
    empty = np.diff(counts[0], prepend=-1) - 1
    places = np.arange(len(empty)) + np.cumsum(empty > 0)
    words = np.empty(places[-1] + 1, np.int64)
    words[places] = counts[1]
    words[places[empty > 0] - 1] = -empty[empty > 0]
    return words


def _leb128_zigzag(words: Integers) -> bytes:
    """Signed integers of at most eight bytes each, for counts below 2^55; most are small."""
    unsigned = (words << 1) ^ (words >> 63)
    sizes = np.ones(len(unsigned), np.int64)
    for byte in range(1, 9):
        sizes += unsigned >= 1 << 7 * byte
    ends = np.cumsum(sizes)
    found = np.empty(ends[-1], np.uint8)
    for byte in range(int(sizes.max())):
        (those,) = np.nonzero(sizes > byte)
        seven = (unsigned[those] >> 7 * byte) & 0x7F
        found[ends[those] - sizes[those] + byte] = seven | (sizes[those] > byte + 1) * 0x80
    return found.tobytes()


def _inflated(text: str) -> bytes:
    """The words of a payload; none of an empty one."""
    if not text:
        return b""
    try:
        framed = binascii.a2b_base64(text, strict_mode=True)
        cookie, length = _FRAME.unpack_from(framed)
        if cookie & ~_WORD_SIZE != _COMPRESSED_COOKIE:
            raise ValueError(f"cookie {cookie:#x} is not of a deflated V2 histogram")
        plain = zlib.decompress(framed[8 : 8 + length])
        cookie, length, offset, figures, lowest, _highest, ratio = _PAYLOAD.unpack_from(plain)
    except (binascii.Error, struct.error, zlib.error) as error:
        raise ValueError(f"not an HDR V2 histogram: {error}") from error
    layout = (offset, figures, lowest, ratio)
    if cookie & ~_WORD_SIZE != _COOKIE or layout != (0, _SIGNIFICANT_FIGURES, _LOWEST, _RATIO):
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
    # Most words are of one byte, and numbers of eight bits take an eighth of the time.
    short = raw[last]
    words = ((short >> 1) ^ -(short & 1)).view(np.int8).astype(np.int64)
    if len(last) == len(raw):
        return words, last
    # Few words have a second byte, and fewer a third.
    longer = np.searchsorted(last, np.nonzero(raw >= 0x80)[0])
    first = np.where(longer, last[longer - 1] + 1, 0)
    further = last[longer] - first
    if further.max() > 7:
        raise ValueError("an HDR histogram with a count beyond 2^55")
    unsigned = (raw[first] & 0x7F).astype(np.int64)
    for byte in range(1, int(further.max()) + 1):
        (those,) = np.nonzero(further >= byte)
        unsigned[those] |= (raw[first[those] + byte] & 0x7F).astype(np.int64) << 7 * byte
    words[longer] = (unsigned >> 1) ^ -(unsigned & 1)
    return words, last
