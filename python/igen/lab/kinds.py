"""THE list of kinds of arrays, and what differs between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from igen.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayKind:
    """A way to spread data over devices; its name is btrfs's profile of the data."""

    name: str
    least_devices: int
    data_devices: Callable[[int], float]
    """How many of so many devices hold data and no copy or parity."""


KINDS = {
    kind.name: kind
    for kind in (
        ArrayKind(name="raid1", least_devices=2, data_devices=lambda devices: devices / 2),
        ArrayKind(name="raid10", least_devices=4, data_devices=lambda devices: devices / 2),
        ArrayKind(name="raid5", least_devices=3, data_devices=lambda devices: devices - 1),
    )
}


def kind_of(name: str) -> ArrayKind:
    """The kind of that name. Raises `InputError`."""
    try:
        return KINDS[name]
    except KeyError:
        raise InputError(f"no kind of array `{name}`", hint=f"there is {', '.join(KINDS)}") from None
