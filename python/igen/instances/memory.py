"""How much memory is left for more processes of this one's: of the machine, or of a container's limit."""

from __future__ import annotations

from pathlib import Path


def available_bytes(root: Path = Path("/")) -> int:
    """The least of `MemAvailable` and of what is left in this process's control group and those above it.

    Control groups of version 2 only. `root` is where /proc and /sys are.
    """
    machine_kib = _field((root / "proc/meminfo").read_text(), "MemAvailable:")
    return min([machine_kib * 1024, *_left_in_groups_bytes(root)])


def _left_in_groups_bytes(root: Path) -> list[int]:
    """Limit less use of each group that has a limit; the root of all groups has none."""
    mount = root / "sys/fs/cgroup"
    names = [line[4:] for line in _text(root / "proc/self/cgroup").splitlines() if line.startswith("0::/")]
    folders = [folder for name in names for folder in (mount / name, *(mount / name).parents)]
    limits = {folder: _text(folder / "memory.max") for folder in folders if folder.is_relative_to(mount)}
    return [max(0, int(limit) - _used_bytes(folder)) for folder, limit in limits.items() if limit.isdecimal()]


def _used_bytes(folder: Path) -> int:
    """Memory of a control group without the page cache that can be dropped at once, as in `MemAvailable`."""
    used = int(_text(folder / "memory.current") or 0)
    return max(0, used - _field(_text(folder / "memory.stat"), "inactive_file"))


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _field(text: str, name: str) -> int:
    """The number after a name in lines `name number …`; 0 where it is not there."""
    for line in text.splitlines():
        if line.startswith(f"{name} "):
            return int(line.split()[1])
    return 0
