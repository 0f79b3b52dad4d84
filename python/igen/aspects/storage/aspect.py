"""Files and block devices as an aspect."""

from __future__ import annotations

from igen.aspects.storage.measure import MONITOR, device_io_of, io_warnings
from igen.aspects.storage.parts import DeviceIo
from igen.judge.aspect import Aspect

STORAGE = Aspect(
    name="storage",
    level_part=DeviceIo,
    measure=device_io_of,
    warn=io_warnings,
    monitors=(MONITOR,),
    passing_facts=("io.resident_*",),
)
