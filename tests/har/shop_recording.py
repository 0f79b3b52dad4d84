"""What Chromium asked the built-in shop for, as `record.py` wrote it: packed it takes 7 kB instead of 165."""

from __future__ import annotations

import gzip
from pathlib import Path

PACKED = Path(__file__).parent / "recordings" / "shop.har.gz"


def write_shop_recording(path: Path) -> Path:
    """Writes the recording to a file of the test's own."""
    path.write_bytes(gzip.decompress(PACKED.read_bytes()))
    return path
