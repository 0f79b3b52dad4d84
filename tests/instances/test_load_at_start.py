"""Instances that are loaded as soon as they run."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_control import DATABASES, FIRST

from igen.cli import run_arguments
from igen.errors import InputError
from igen.instances import control
from igen.instances.products import PRODUCTS
from igen.instances.resources import Demand, Free
from tests.own_ports import own_ports

CUSTOMERS = "SELECT COUNT(*), MIN(c_id), MAX(c_id) FROM customers"


@pytest.mark.parametrize("kind", FIRST[: len(DATABASES)])
def test_each_instance_gets_its_shard(kind: str, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = f"--count 2 --port-from {own_ports(2)} --memory 32MiB --no-durable"
    up = f"instances up {kind} {flags} --load oltp --load-set customers=200"
    assert run_arguments(up.split()) == 0
    err = capsys.readouterr().err
    assert "of disk with the loaded data" in err
    assert err.count("loaded: 2,200 of 2,200 rows") == 2
    found = control.selected(directory, kind)
    rows = [control.administer(one, CUSTOMERS, "igen").replace("|", "\t").split() for one in found]
    assert rows == [["200", "1", "200"], ["200", "201", "400"]]
    # The same again: nothing is loaded a second time.
    assert run_arguments(up.split()) == 0
    assert "loaded: " not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--load oltp --load-set customer=1", "--load-set customer: unknown field `customer`"),
        ("--load oltp --load-set customers=0", "--load-set customers"),
        ("--load cpu", "--load: the disk space for `cpu` is unknown"),
        ("--load-set customers=1", "--load-set: needs --load"),
    ],
)
def test_what_cannot_be_loaded_is_told_before_anything_is_made(
    flags: str, words: str, directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(f"instances up postgresql {flags}".split()) == 2
    assert words in capsys.readouterr().err
    assert list(directory.iterdir()) == []


@pytest.mark.parametrize("kind", list(PRODUCTS))
def test_data_need_disk_only_where_they_are_yet_to_be_loaded(kind: str) -> None:
    product = PRODUCTS[kind]
    needs = product.needs
    empty_bytes = needs.disk_bytes + needs.log_bytes
    for is_new, load_bytes, disk_bytes in [
        (True, 0, empty_bytes),
        (True, 1_000_000, empty_bytes + 1_000_000),
        (False, 1_000_000, 0),
    ]:
        demand = Demand(
            product=product, cache_bytes=0, max_connections=10, is_new=is_new, load_bytes=load_bytes
        )
        assert demand.disk_bytes == disk_bytes
        Free(memory_bytes=1 << 40, disk_bytes=2 * disk_bytes).check([demand, demand])
        if disk_bytes:
            with pytest.raises(InputError, match="not enough disk"):
                Free(memory_bytes=1 << 40, disk_bytes=2 * disk_bytes - 1).check([demand, demand])
