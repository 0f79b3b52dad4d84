"""Storage: what a run of `io` on real files leaves."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Done, aspect

from tests.said import parts_in, rules_in

Igen = Callable[[str], Done]
SHORT = "--duration 0.4s --warmup 0.1s --repeats 1"


def test_several_files_are_created_loaded_and_removed(igen: Igen, store: Path) -> None:
    files = [store.parent / name for name in ("one", "two")]
    targets = " ".join(f"--target file://{file}" for file in files)
    size = "--set size_bytes=4MiB"
    prepared = igen(f"data prepare io {targets} {size}")
    assert prepared.code == 0, prepared.err
    assert [file.stat().st_size for file in files] == [4 << 20] * 2

    done = igen(
        f"run io {targets} --set pattern=random block=8KiB read=70 depth=8 --users 2,4 {SHORT} --json"
    )
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    assert system["transaction"] == "I/Os"
    for level in system["levels"]:
        assert level["errors"] == 0
        operations, counters = level["operations"], level["counters"]
        ios = operations["read"]["count"] + operations["write"]["count"]
        assert operations["read"]["count"] / ios == pytest.approx(0.7, abs=0.05 + 2 / ios**0.5)
        moved = sum(counters[name]["per_transaction"] for name in ("read_bytes", "written_bytes"))
        # An I/O that ends just when an interval does may be counted in the next one.
        assert moved == pytest.approx(8192, rel=0.01 + 2 * level["users"] / level["transactions"])
        assert [target["target"] for target in aspect(level, "targets")["targets"]] == [
            f"file://{file}" for file in files
        ]
        # Eight I/Os of each user share its time: Little's law is told so.
        in_flight = [
            part["figure"]
            for part in parts_in(level, "users-unaccounted")
            if part["name"] == "in_flight_per_user"
        ]
        assert in_flight == [8] * rules_in(level).count("users-unaccounted")
    assert system["facts"]["workload.in_flight_per_user"] == 8
    assert system["facts"]["io.size_bytes"] == 8 << 20

    assert igen(f"data cleanup io {targets}").code == 0
    assert not any(file.exists() for file in files)


def test_what_others_wrote_stays_as_it_is(igen: Igen, store: Path) -> None:
    precious = store.parent / "precious"
    precious.parent.mkdir(exist_ok=True)
    precious.write_bytes(bytes(range(256)) * 4096)
    refused = igen(f"run io --target file://{precious} --set read=50 {SHORT}")
    assert refused.code == 2
    assert "iGen did not create this file" in refused.err
    assert "--i-own-this-data" in refused.err
    assert igen(f"run io --target file://{precious} {SHORT} --json").code == 0
    assert igen(f"data cleanup io --target file://{precious}").code == 0
    assert precious.read_bytes() == bytes(range(256)) * 4096


def test_durable_writes_and_a_schedule(igen: Igen, store: Path) -> None:
    target = f"--target file://{store.parent}/f --set size_bytes=2MiB"
    done = igen(f"run io {target} --set read=0 fsync_every=1 {SHORT} --duration 3s --json")
    (level,) = done.document["systems"][0]["levels"]
    write, fsync = (level["operations"][name] for name in ("write", "fsync"))
    assert fsync["count"] == pytest.approx(write["count"], abs=2)
    assert level["response_time_ms"]["mean"] > write["response_time_ms"]["mean"], "it waits for the flush"
    paced = igen(f"run io {target} --set depth=4 --users 2 --pace 50/s {SHORT}")
    assert paced.code == 2
    assert "stream load" in paced.err
    (level,) = igen(f"run io {target} --users 2 --pace 50/s {SHORT} --json").document["systems"][0]["levels"]
    assert level["operations"]["read"]["count"] > 0


@pytest.mark.parametrize("kind", ["hole", "reserved", "memory", "written"])
def test_data_that_is_not_on_storage_is_told(igen: Igen, store: Path, kind: str) -> None:
    folder = Path("/dev/shm") if kind == "memory" else Path.cwd()
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        if kind in ("memory", "written"):
            file.write(os.urandom(4 << 20))
        elif kind == "reserved":
            os.posix_fallocate(file.fileno(), 0, 4 << 20)
        else:
            file.truncate(4 << 20)
        file.flush()
        done = igen(f"run io --target file://{file.name} --users 1 --quiet --json {SHORT}")
    assert done.code == 0, done.err
    rules = rules_in(done.document["systems"][0]["levels"][0])
    assert ("data-unwritten" in rules) == (kind in ("hole", "reserved"))
    assert ("storage-in-memory" in rules) == (kind == "memory")
