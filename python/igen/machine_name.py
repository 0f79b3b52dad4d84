"""What people call a machine that an address names."""

from __future__ import annotations

from urllib.parse import urlsplit


def machine_name(url: str) -> str:
    """The address without scheme, user and path: `db1` of `ssh://igen@db1`, `db1:9100` of
    `http://db1:9100/metrics`."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or url
    except ValueError:
        return url
