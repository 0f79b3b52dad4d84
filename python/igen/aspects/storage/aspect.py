"""Files and block devices as an aspect."""

from __future__ import annotations

from igen.aspects.storage.device_tables import device_io_table, devices_table
from igen.aspects.storage.measure import MONITOR, device_io_of, page_cache
from igen.aspects.storage.parts import DeviceIo
from igen.aspects.storage.reached import beside_storage
from igen.aspects.storage.tables import megabytes_by_title, published_io_table, storage_table
from igen.judge.aspect import Aspect

STORAGE = Aspect(
    name="storage",
    level_part=DeviceIo,
    measure=device_io_of,
    check=beside_storage,
    check_level=page_cache,
    tables=(
        ("Bytes and cost of I/O", storage_table),
        ("Storage: beside published figures", published_io_table),
        ("Logical and physical I/O", device_io_table),
    ),
    figures=megabytes_by_title,
    tables_of_level=(devices_table,),
    monitors=(MONITOR,),
    # An I/O of 256 KiB is not one of 4 KiB.
)
