"""Latency heat maps as small PNG images: a column for each interval, pixels on the logarithm of time."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Cells = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Heat = Sequence[Sequence[float]]
"""Counts of one interval: [bucket's upper edge in ms, count] pairs."""

SHADES = 32
LIGHT = (230, 240, 248)
DARK = (61, 133, 190)
"""From one transaction to the most that any cell holds; light enough for black lines on top."""
ROWS = 120
"""Pixels from the fastest to the slowest bucket, equally spaced on the logarithm."""
USUAL_BUCKET = 1.25
MOST_BUCKET = 1.5
"""Upper over lower edge: of a bucket without neighbours, and at most; what is wider is a gap."""


@dataclass(frozen=True, slots=True)
class HeatGrid:
    """The grid that several heat maps share."""

    edges_ms: tuple[float, ...]
    """Upper edges of all buckets that occur, ascending."""
    bucket: float
    """Upper over lower edge of the widest bucket, for those whose lower neighbour does not occur."""

    @classmethod
    def over(cls, edges_ms: Sequence[float]) -> HeatGrid:
        """The grid with these upper edges, ascending and at least one."""
        ratios = [upper / lower for lower, upper in pairwise(edges_ms) if upper / lower <= MOST_BUCKET]
        return cls(tuple(edges_ms), max(ratios, default=USUAL_BUCKET))

    @property
    def bottom_ms(self) -> float:
        """Lower edge of the lowest bucket."""
        return self.edges_ms[0] / self.bucket

    @property
    def top_ms(self) -> float:
        """Upper edge of the highest bucket."""
        return self.edges_ms[-1]

    def counts(self, heats: Sequence[Heat]) -> Cells:
        """A row for each bucket, the fastest first, and a column for each interval."""
        place = {edge: row for row, edge in enumerate(self.edges_ms)}
        counts = np.zeros((len(self.edges_ms), len(heats)))
        for column, heat in enumerate(heats):
            for edge_ms, count in heat:
                if edge_ms in place:
                    counts[place[edge_ms], column] += count
        return counts

    def pixels(self, counts: Cells) -> Cells:
        """The counts on `ROWS` rows from the slowest down; rows in a gap between buckets are 0.

        Buckets differ in width on the logarithm of time: a narrow one counts as if it were as wide as the
        widest, or its neighbours would draw stripes.
        """
        edges = np.asarray(self.edges_ms)
        lower = np.maximum(np.concatenate(([0.0], edges[:-1])), edges / self.bucket)
        even = counts * (math.log(self.bucket) / np.log(edges / lower))[:, np.newaxis]
        step = math.log(self.top_ms / self.bottom_ms) / ROWS
        middles = self.top_ms * np.exp(-step * (np.arange(ROWS) + 0.5))
        bucket = np.minimum(np.searchsorted(edges, middles), len(edges) - 1)
        inside = middles > edges[bucket] / self.bucket
        pixels: Cells = even[bucket] * inside[:, np.newaxis]
        return pixels


def shade(counts: Cells, most: float) -> bytes:
    """PNG of the counts on a logarithmic scale; no count is transparent, `most` is the darkest."""
    scale = math.log1p(max(most, 1.0))
    levels = np.ceil(np.log1p(counts) / scale * SHADES).clip(0, SHADES).astype(np.uint8)
    palette = np.linspace(LIGHT, DARK, SHADES).round().astype(int).tolist()
    return png(levels, [(255, 255, 255), *palette])


def png(levels: np.ndarray[tuple[int, int], np.dtype[np.uint8]], palette: Sequence[Sequence[int]]) -> bytes:
    """An indexed PNG (ISO/IEC 15948); index 0 is transparent."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = levels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    lines = np.zeros((height, width + 1), dtype=np.uint8)
    lines[:, 1:] = levels
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            chunk(b"PLTE", bytes(part for colour in palette for part in colour)),
            chunk(b"tRNS", b"\x00"),
            chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            chunk(b"IEND", b""),
        )
    )


def data_uri(image: bytes) -> str:
    """The image inside an address, so that no file has to be beside the report."""
    return "data:image/png;base64," + base64.b64encode(image).decode("ascii")
