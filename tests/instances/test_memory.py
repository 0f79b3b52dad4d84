"""How much memory is left: the machine's, or what the tightest control group allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.instances.memory import available_bytes

MACHINE = "MemTotal:       24639752 kB\nMemFree:  1 kB\nMemAvailable:   1000 kB\n"
MACHINE_BYTES = 1_024_000
Group = tuple[str, str, str, str]
"""Folder, limit, use, statistics."""


@pytest.mark.parametrize(
    ("of_process", "groups", "expected_bytes"),
    [
        pytest.param(None, [], MACHINE_BYTES, id="a kernel without control groups"),
        pytest.param("4:memory:/old\n", [("old", "10", "0", "")], MACHINE_BYTES, id="version 1 only"),
        pytest.param("0::/\n", [], MACHINE_BYTES, id="the root of all groups"),
        pytest.param("0::/\n", [("", "9000", "2000", "")], 7_000, id="a container"),
        pytest.param("0::/a\n", [("a", "max", "2000", "")], MACHINE_BYTES, id="no limit"),
        pytest.param("0::/a\n", [("a", "2000000", "1", "")], MACHINE_BYTES, id="a limit above the machine"),
        pytest.param("4:pids:/\n0::/a/b\n", [("a", "9", "7", ""), ("a/b", "max", "1", "")], 2, id="above"),
        pytest.param("0::/a\n", [("a", "900", "700", "anon 1\ninactive_file 50\n")], 250, id="cache"),
        pytest.param("0::/a\n", [("a", "900", "950", "")], 0, id="more than allowed"),
        pytest.param("0::/a\n", [("a", "max", "1", ""), ("other", "9", "1", "")], MACHINE_BYTES, id="others"),
    ],
)  # fmt: skip
def test_the_tightest_limit_decides(
    of_process: str | None, groups: list[Group], expected_bytes: int, tmp_path: Path
) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text(MACHINE)
    if of_process is not None:
        (tmp_path / "proc/self/cgroup").write_text(of_process)
    for name, limit, used, statistics in groups:
        folder = tmp_path / "sys/fs/cgroup" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text(f"{used}\n")
        (folder / "memory.stat").write_text(statistics)
    assert available_bytes(tmp_path) == expected_bytes


def test_this_machine_tells() -> None:
    assert available_bytes() > 0
