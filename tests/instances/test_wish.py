"""What an instance that was made before has instead of what is wished for now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from igen.instances.control import Wish
from igen.instances.instance import Instance

MADE = Instance(
    kind="postgresql",
    number=1,
    folder=Path("/nowhere/postgresql-1"),
    port=15432,
    cache_bytes=128 << 20,
    max_connections=200,
    durable=True,
    settings={"work_mem": "4MB"},
    version="15",
    created_unix_s=0,
)
LIKE_IT: dict[str, Any] = {"settings": {"work_mem": "4MB"}}


@pytest.mark.parametrize(
    ("wish", "differences"),
    [
        ({}, []),
        ({"port_from": 20000, "cache_bytes": 128 << 20}, []),
        ({"cache_bytes": 256 << 20}, ["a cache of 128 MiB instead of 256 MiB"]),
        ({"max_connections": 500}, ["200 connections instead of 500"]),
        ({"durable": False}, ["commits that wait for the disk"]),
        ({"settings": {"work_mem": "8MB"}}, ["work_mem=4MB instead of work_mem=8MB"]),
        ({"settings": {}}, ["work_mem=4MB instead of the default of work_mem"]),
        (
            {"settings": {"jit": "off", "work_mem": "4MB"}, "max_connections": 9},
            ["200 connections instead of 9", "the default of jit instead of jit=off"],
        ),
    ],
)
def test_each_difference_is_told(wish: dict[str, Any], differences: list[str]) -> None:
    assert [*Wish(**LIKE_IT | wish).differences(MADE)] == differences
