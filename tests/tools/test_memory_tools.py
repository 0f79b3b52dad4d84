"""`pages` and `shmalloc`: sums, refusals, what is held."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from tool_said import Tool

from igen.agent_program import find_agent
from tests.waiting import wait_for


def meminfo(name: str) -> int:
    text = Path("/proc/meminfo").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name}:")]
    return 1024 * int(line.split()[1])


def test_parts_of_memory_add_up_to_its_total(tool: Tool) -> None:
    said = tool("pages", "--json")
    assert said.code in {0, 1}
    *parts, total = said.rows("parts")
    assert total["size_bytes"] == meminfo("MemTotal")
    assert abs(sum(part["size_bytes"] for part in parts) - total["size_bytes"]) <= total["size_bytes"] / 100
    assert sum(row["free_bytes"] for row in said.rows("free_blocks")) <= total["size_bytes"]


def test_what_is_counted_agrees_with_the_sums_of_the_kernel(tool: Tool) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root counts pages")
    notes: list[str] = []
    # Other tests may take and give memory between the sums and the count.
    for _ in range(10):
        notes = tool("pages", "--json").document["notes"]
        if any("/proc/kpageflags" in note for note in notes):
            pytest.skip("pages cannot be counted here")
        if "the counted pages and /proc/meminfo agree within 1 % of memory" in notes:
            return
    pytest.fail("\n".join(notes))


def test_without_root_the_sums_of_the_kernel_are_shown() -> None:
    command = ["setpriv", "--reuid=65534", "--clear-groups", str(find_agent()), "tool", "pages"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "setpriv" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip("not root already, or the agent is in a folder of root's own")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode in {0, 1}
    assert any("/proc/kpageflags" in line.get("note", "") for line in lines)
    free = r" are free, and at most [0-9.]+ \w+ more can be freed without I/O"
    assert re.search(free, lines[-1]["verdict"]["text"])


def test_memory_can_be_had(tool: Tool) -> None:
    said = tool("pages", "--can-i-have", "16MiB", "--pages", "4k", "--json")
    assert said.code == 0
    assert said.document["verdict"]["text"].startswith("16 MiB are available")
    assert [row["page_bytes"] for row in said.rows("large_blocks")] == [2 << 20, 4 << 20]
    assert set(said.rows("large_blocks")[0]) == {
        "page_bytes",
        "free_before",
        "free_while_taken",
        "free_after",
    }
    assert tool("pages", "--can-i-have", "1000TiB", "--json").code == 1


def test_memory_is_taken_held_and_given_back(tool: Tool) -> None:
    said = tool("shmalloc", "32MiB", "--threads", "2", "--lock", "--hold", "0s", "--json")
    if said.code == 2:
        pytest.skip(said.err)
    assert said.document["verdict"]["text"].startswith("32 MiB were locked and held")
    assert [row["pass"] for row in said.rows("rates")] == ["taken: first touch", "written once more"]


def test_more_than_there_is_is_refused(tool: Tool) -> None:
    said = tool("shmalloc", f"{meminfo('MemTotal')}")
    assert said.code == 2
    assert "can be allocated" in said.err
    assert "use a smaller size" in said.err


def test_it_is_the_first_to_be_ended_and_ends_when_it_is_told() -> None:
    process = subprocess.Popen([find_agent(), "tool", "shmalloc", "8MiB"], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        while "holding" not in process.stdout.readline():
            assert process.poll() is None
        assert Path(f"/proc/{process.pid}/oom_score_adj").read_text() == "1000\n"
        status = Path(f"/proc/{process.pid}/status").read_text()
        (resident,) = [line for line in status.splitlines() if line.startswith("RssAnon:")]
        assert int(resident.split()[1]) >= 8 * 1024
        process.send_signal(signal.SIGINT)
        *_, last = process.stdout
        assert "8 MiB were held for" in json.loads(last)["verdict"]["text"]
    assert process.returncode == 0


def test_nothing_stays_locked_when_it_is_killed() -> None:
    words = [str(find_agent()), "tool", "shmalloc", "64MiB", "--lock"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = next((line for line in process.stdout if "holding" in line or "error" in line), "")
        if "holding" not in said:
            pytest.skip(said)
        status = Path(f"/proc/{process.pid}/status").read_text()
        (locked,) = [line for line in status.splitlines() if line.startswith("VmLck:")]
        assert int(locked.split()[1]) >= 64 * 1024
        before = meminfo("Mlocked")
        process.kill()
    assert process.returncode == -signal.SIGKILL
    # Others may lock and unlock meanwhile, and the kernel adds such pages up a little late.
    wait_for(lambda: meminfo("Mlocked") <= before - (48 << 20))
