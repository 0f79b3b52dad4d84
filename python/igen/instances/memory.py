"""Free memory for more processes: of the machine, or within a container's limit."""

from __future__ import annotations

from pathlib import Path


def available_bytes(root: Path = Path("/")) -> int:
    """The least of `MemAvailable` and of what is left in this process's control group and those above it.

    Control groups of version 2 only. `root` is where /proc and /sys are.
    """
    machine_kib = _field((root / "proc/meminfo").read_text(), "MemAvailable:")
    return min([machine_kib * 1024, *_left_in_groups_bytes(root)])


def _left_in_groups_bytes(root: Path) -> list[int]:
    """Yield the free memory of each control group with a limit."""
    mount = root / "sys/fs/cgroup"
    names = [line[4:] for line in _text(root / "proc/self/cgroup").splitlines() if line.startswith("0::/")]
    folders = [folder for name in names for folder in (mount / name, *(mount / name).parents)]
    limits = {folder: _text(folder / "memory.max") for folder in folders if folder.is_relative_to(mount)}
    return [max(0, int(limit) - _used_bytes(folder)) for folder, limit in limits.items() if limit.isdecimal()]


def _used_bytes(folder: Path) -> int:
    """Return the memory of a control group without droppable page cache, as in `MemAvailable`."""
    used = int(_text(folder / "memory.current") or 0)
    return max(0, used - _field(_text(folder / "memory.stat"), "inactive_file"))


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _field(text: str, name: str) -> int:
    """Return the number after a name in lines `name number …`; 0 if absent."""
    for line in text.splitlines():
        if line.startswith(f"{name} "):
            return int(line.split()[1])
    return 0
