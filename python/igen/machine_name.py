"""What people call machines that addresses name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from urllib.parse import urlsplit


def machine_names(urls: Iterable[str]) -> dict[str, str]:
    """By address the name of each machine: the whole address where several would be called alike."""
    addresses = set(urls)
    called = Counter(map(machine_name, addresses))
    return {url: name if called[name := machine_name(url)] == 1 else url for url in addresses}


def machine_name(url: str) -> str:
    """The address without scheme, user and path: `db1` of `ssh://igen@db1`, `db1:9100` of
    `http://db1:9100/metrics`."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or url
    except ValueError:
        return url
