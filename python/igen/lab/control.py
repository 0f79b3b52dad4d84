"""Arrays up and down."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from igen.errors import IgenError, InputError
from igen.lab import loop, throttle
from igen.lab.array import RECORD, Array, all_in, default_directory
from igen.lab.command import check_able, run
from igen.lab.kinds import kind_of
from igen.own_folder import only_one
from igen.units import format_bytes

Say = Callable[[str], None]
LEAST_DEVICE_BYTES = 256 << 20
"""A smaller btrfs has hardly room for more than its metadata."""
_DOING = "taking arrays up or down"
_MOUNT_OPTIONS = "nodatacow,noatime"
"""Blocks are overwritten where they are, as an array does: copied on write, a small write would cost metadata
and would never meet a full stripe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayStatus:
    """An array now."""

    name: str
    state: str
    """`up`, `down`, or `half` where an `up` or a `down` was cut off."""
    target: str
    devices: int
    device_bytes: int
    data_bytes: int
    iops: int
    """The cap that each device has now, 0 for none."""
    direct_io: bool
    """Whether the devices pass by the page cache."""
    disk_bytes: int
    """What its files take of the disk."""
    loops: list[str]
    folder: str


def up(
    kind: str,
    directory: Path | None = None,
    *,
    devices: int = 4,
    device_bytes: int = 1 << 30,
    iops: int = 500,
    force: bool = False,
    say: Say = lambda _text: None,
) -> Array:
    """Sees to it that the array of a kind is mounted; one that was made before keeps data and devices.

    The cap is the one asked for now. Raises `InputError` before anything is made where this is not root, a
    program is missing, the figures make no sense, or the disk is too small; what fails later is undone.
    """
    check_able()
    directory = (directory or default_directory()).resolve()
    wished = Array(kind=kind, folder=directory / kind, devices=devices, device_bytes=device_bytes, iops=iops)
    _check(wished)
    is_new = _array_of(kind, directory) is None
    if is_new:
        # Before the directory is made.
        _check_new(wished, force=force, say=say)
    directory.mkdir(parents=True, exist_ok=True)
    with only_one(directory, _DOING):
        # Another command may have made or removed it since.
        found = _array_of(kind, directory)
        if found and found.made:
            return _up_again(found, wished, say)
        if found:
            say(f"{found.name}: was left half made, and is made anew")
            remove(found)
        if found or not is_new:
            _check_new(wished, force=force, say=say)
        return _make(wished, say)


def down(directory: Path | None = None, name: str | None = None, *, remove_data: bool, say: Say) -> None:
    """Unmounts an array (all when `name` is None), and removes it with its data where that is asked for."""
    directory = (directory or default_directory()).resolve()
    if not selected(directory, name):
        return
    check_able()
    with only_one(directory, _DOING):
        for array in selected(directory, name):
            (remove if remove_data else stop)(array)
            say(f"{array.name}: {'removed' if remove_data else 'down'}")


def stop(array: Array) -> None:
    """Unmounts it and gives its loop devices back, without their caps; its files stay."""
    while _mounted(array):
        try:
            run("umount", str(array.mount_point))
        except IgenError as error:
            raise IgenError(error.text, where=array.name, hint="end what uses it, then try again") from None
    loops = loop.attached_below(array.folder)
    throttle.uncap(loops)
    for each in loops:
        with suppress(IgenError):  # btrfs remembers devices: the next file there is another one
            run("btrfs", "device", "scan", "--forget", each.path)
        loop.detach(each)
    if array.mount_point.exists():
        with suppress(IgenError):
            run("chattr", "-i", str(array.mount_point))
        with suppress(OSError):  # not empty: not ours to remove
            array.mount_point.rmdir()


def remove(array: Array) -> None:
    """Stops it and removes its files."""
    stop(array)
    # The record goes last: what is left of an interrupted removal is still an array.
    for file in array.files:
        file.unlink(missing_ok=True)
    if array.mount_point.exists():
        shutil.rmtree(array.mount_point)
    shutil.rmtree(array.folder)


def selected(directory: Path | None, name: str | None) -> list[Array]:
    """The array of that name in a directory, or all of them. Raises `InputError` where there is none."""
    arrays = all_in((directory or default_directory()).resolve())
    found = [array for array in arrays if name in (None, array.name)]
    if name is not None and not found:
        raise InputError(f"there is no array `{name}`", hint="`igen instances array list` shows them")
    return found


def status(array: Array) -> ArrayStatus:
    """What an array is now."""
    loops = loop.attached_below(array.folder)
    parts = [array.made, _mounted(array), len(loops) == array.devices]
    return ArrayStatus(
        name=array.name,
        state="up" if all(parts) else "down" if array.made and not (loops or parts[1]) else "half",
        target=array.target,
        devices=array.devices,
        device_bytes=array.device_bytes,
        data_bytes=array.data_bytes,
        iops=min((throttle.capped_iops(each) for each in loops), default=0),
        direct_io=bool(loops) and all(each.direct_io for each in loops),
        disk_bytes=sum(file.stat().st_blocks * 512 for file in array.files if file.exists()),
        loops=[each.path for each in loops],
        folder=str(array.folder),
    )


def _array_of(kind: str, directory: Path) -> Array | None:
    return next((array for array in all_in(directory) if array.kind == kind), None)


def _check(wished: Array) -> None:
    kind = kind_of(wished.kind)
    least = kind.least_devices
    if wished.devices < least:
        raise InputError(f"{kind.name} needs {least} devices or more", where="--devices")
    if kind.name == "raid10" and wished.devices % 2:
        raise InputError("raid10 needs an even number of devices", where="--devices")
    if wished.device_bytes < LEAST_DEVICE_BYTES:
        least_size = format_bytes(LEAST_DEVICE_BYTES)
        raise InputError(f"a device is {least_size} or larger", where="--size")


def _check_new(wished: Array, *, force: bool, say: Say) -> None:
    """Tells what a new array will take. Raises `InputError` where it does not fit, or its folder is taken."""
    if not wished.is_free:
        raise InputError(
            f"there is a folder that holds no array (no {RECORD})",
            where=str(wished.folder),
            hint="remove it, or choose another --directory",
        )
    existing = next(path for path in wished.folder.parents if path.exists())
    free_bytes = shutil.disk_usage(existing).free
    say(
        f"{wished.name}: {wished.devices} devices of {format_bytes(wished.device_bytes)},"
        f" {format_bytes(wished.data_bytes)} for data; takes up to {format_bytes(wished.disk_bytes)} of disk"
        f" as it is filled; free: {format_bytes(free_bytes)}"
    )
    if wished.disk_bytes > free_bytes and not force:
        raise InputError(
            f"{format_bytes(wished.disk_bytes)} of disk are more than the {format_bytes(free_bytes)} that are"
            " free",
            where=str(existing),
            hint="use a smaller --size or another --directory, or go on with --force",
        )


def _make(array: Array, say: Say) -> Array:
    array.folder.mkdir(exist_ok=True)
    array.write()
    try:
        for file in array.files:
            with file.open("xb") as empty:
                empty.truncate(array.device_bytes)
        loops = _attached(array, say)
        profiles = ["--data", array.kind, "--metadata", "raid1", "--label", f"igen-{array.name}"]
        run("mkfs.btrfs", "--quiet", *profiles, *(each.path for each in loops))
        _mount(array, loops, say)
        array = replace(array, made=True)
        array.write()
    except BaseException:
        remove(array)
        raise
    return array


def _up_again(found: Array, wished: Array, say: Say) -> Array:
    if (found.devices, found.device_bytes) != (wished.devices, wished.device_bytes):
        say(f"{found.name}: was made before, with {found.devices} devices of "
            f"{format_bytes(found.device_bytes)}, and keeps them")  # fmt: skip
    array = replace(found, iops=wished.iops)
    array.write()
    mounted = _mounted(array)
    loops = _attached(array, say)
    if mounted:
        _cap(array, loops, say)
    else:
        try:
            _mount(array, loops, say)
        except BaseException:
            stop(array)
            raise
    return array


def _attached(array: Array, say: Say) -> list[loop.Loop]:
    """Its loop devices; those that are missing are attached."""
    behind = {each.file for each in loop.attached_below(array.folder)}
    for file in array.files:
        if file not in behind:
            loop.attach(file)
    loops = loop.attached_below(array.folder)
    if not all(each.direct_io for each in loops):
        say(f"warning: {array.name}: no direct I/O on this file system: devices go through the page cache")
    return loops


def _mount(array: Array, loops: list[loop.Loop], say: Say) -> None:
    _cap(array, loops, say)
    array.mount_point.mkdir(exist_ok=True)
    with suppress(IgenError):
        # While nothing is mounted, after a restart, a load must not fill the disk below instead.
        run("chattr", "+i", str(array.mount_point))
    # Named one by one: nobody need have scanned them.
    members = ",".join(f"device={each.path}" for each in loops)
    options = f"{_MOUNT_OPTIONS},{members}"
    run("mount", "-t", "btrfs", "-o", options, loops[0].path, str(array.mount_point))


def _cap(array: Array, loops: list[loop.Loop], say: Say) -> None:
    throttle.uncap(loops)
    if not array.iops:
        return
    try:
        throttle.cap(loops, array.iops)
    except IgenError as error:
        say(
            f"warning: {array.name}: the devices have no cap: {error.text}; with control groups of version 2"
            " alone there is none (before systemd 258: start Linux with systemd.unified_cgroup_hierarchy=0)"
        )


def _mounted(array: Array) -> bool:
    return array.mount_point.is_mount()
