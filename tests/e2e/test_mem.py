"""Bandwidth of memory from the processor's kernels to the table, and what is refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import UNWATCHED, Done, about, aspect

from igen.agent_program import find_agent
from tests.said import rules_in

Igen = Callable[[str], Done]
SHORT = "--duration 0.6s --warmup 0.1s --repeats 1"


def measured(igen: Igen, users: int, params: str) -> dict[str, Any]:
    """The only system of a study, measured long enough for each kernel to have its turn on a busy machine."""
    for measure_s in ("2s", "8s", "32s"):
        Path("kernels.toml").write_text(
            f"""
            plan = {{ mode = "sweep", repeats = 1 }}
            [job]
            {UNWATCHED}
            workload = "mem"
            params = {{ {params}size_bytes = "64KiB" }}
            phases = {{ measure_s = "{measure_s}", warmup_s = "0.1s" }}
            [axes]
            "load.closed.users" = [{users}]
            """
        )
        done = igen("study run kernels.toml --json --quiet")
        assert done.code == 0, done.err
        (system,) = done.document["systems"]
        if "kernels-missed" not in rules_in(system["levels"][0]):
            break
    return dict(system)


# Two users wait for each other before each turn, which takes long where others compute: few kernels for them.
@pytest.mark.parametrize(
    ("users", "params", "kernels", "alike"),
    [
        pytest.param(
            1, "", {"read_scalar", "write_memcpy", "triad_scalar", "chase"}, True, marks=pytest.mark.slow
        ),
        (2, 'width = "memcpy", ', {"write_memcpy", "copy_memcpy"}, False),
        # The kernel is in the first one, the waiting users are in the second.
        pytest.param(2, 'kernel = "chase", ', {"chase"}, True, marks=pytest.mark.slow),
    ],
    ids=["all-with-one-user", "memcpy-with-two", "chase-with-two"],
)
def test_kernels_are_measured_and_verified(
    igen: Igen, users: int, params: str, kernels: set[str], alike: bool
) -> None:
    system = measured(igen, users, params)
    told = system["facts"]["mem.kernels"]
    assert kernels == set(told) if params else kernels < set(told)
    (level,) = system["levels"]
    assert level["users"] == users
    assert set(aspect(level, "memory")["kernels"]) == set(told)
    assert level["errors"] == 0
    for name, kernel in aspect(level, "memory")["kernels"].items():
        figure = kernel["access_ns"] if name == "chase" else kernel["bytes_per_s"]
        assert figure["value"] > 0, name
    passes = {name: level["operations"][name]["count"] for name in told}
    # Passes that bring into the caches what others drove out are neither timed nor counted.
    moved = sum(passes[name] * kernel.get("bytes", 0) for name, kernel in told.items())
    counted = level["counters"]["bytes"]["count"] if moved else len(level["counters"])
    assert counted == pytest.approx(moved, rel=8 / level["transactions"])
    warmed = level["operations"]["warm_caches"]["count"]
    assert (warmed > 0) == (len(told) > 1)
    # Others of the same kernel leave in the caches what it would.
    assert (warmed < level["transactions"] / 2) == alike
    assert "kernels-missed" not in rules_in(level)
    # 16 MiB and more in each pass, so that the clock does not show.
    assert system["facts"]["mem.passes_per_transaction"] == 256
    if params:
        return
    assert "copy regular" in igen("show last --all").out
    for name in ("r.md", "r.html"):
        assert igen(f"show last -o {name}").code == 0
        assert "non-temporal" in Path(name).read_text()


def test_one_form_of_one_kernel(igen: Igen) -> None:
    flags = "--set kernel=copy width=scalar stores=regular pages=4k size_bytes=1MiB --users 1"
    done = igen(f"run mem {flags} {SHORT} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    (level,) = system["levels"]
    assert list(aspect(level, "memory")["kernels"]) == ["copy_scalar"]
    rate = aspect(level, "memory")["kernels"]["copy_scalar"]["bytes_per_s"]["value"]
    assert level["counters"]["bytes"]["per_transaction"] == about(2 * 16 * 2**20, level)
    assert rate > 0
    expected = level["counters"]["bytes"]["per_transaction"] * level["throughput_per_s"]["value"]
    assert level["counters"]["bytes"]["per_s"] == pytest.approx(expected, rel=0.01)
    assert system["facts"]["mem.pages"] == "4k"


@pytest.mark.parametrize(
    ("flags", "field", "text"),
    [
        ("size_bytes=900TiB", "size_bytes", "memory are available"),
        ("size_bytes=1KiB", "size_bytes", "too few"),
        ("kernel=read stores=nt", "stores", "there is no read"),
        ("kernel=triad width=memcpy", "width", "there is no triad"),
        ("pages=hugetlb size_bytes=4GiB", "pages", "huge page"),
        ("node=4000", "node", "NUMA node 4000 does not exist"),
        ("kernel=sort", "kernel", "triad"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(igen: Igen, flags: str, field: str, text: str) -> None:
    done = igen(f"run mem --set {flags} --users 1 {SHORT}")
    assert done.code == 2
    assert field in done.err
    assert text in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("pages", ["4k", "thp"])
def test_tickets_are_searched_in_pages_of_a_kind(igen: Igen, pages: str) -> None:
    flags = f"--set bytes_per_user=4MiB random_lookups=1000 pages={pages} lock=true --users 1"
    done = igen(f"run ram {flags} {SHORT} --json --quiet")
    if "must be locked, but this process may lock" in done.err:
        pytest.skip("this user may not lock so much")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    # Of transparent huge pages it tells how many it got.
    found = "4k" if pages == "4k" else r"thp \(\d+ % huge\)"
    assert re.fullmatch(f"{found}, locked", system["facts"]["workload.pages"])
    assert system["levels"][0]["errors"] == 0


@pytest.mark.parametrize(
    ("workload", "params"),
    [("ram", {"bytes_per_user": "1MiB", "pages": "4k"}), ("mem", {"size_bytes": "1MiB", "pages": "4k"})],
)
def test_a_lock_beyond_the_limit_is_refused_before_the_load(workload: str, params: dict[str, str]) -> None:
    job = {
        "workload": workload,
        "params": {**params, "lock": True},
        "load": {"closed": {"users": 2}},
        "phases": {"warmup_s": 0, "measure_s": "100ms"},
    }
    limited = ["prlimit", "--memlock=1048576"]
    as_nobody = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--reuid=65534", "--clear-groups"]
    words = [*limited, *(as_nobody if os.geteuid() == 0 else []), str(find_agent()), "check"]
    done = subprocess.run(words, input=json.dumps(job), capture_output=True, text=True, check=False)
    if "setpriv" in done.stderr or "prlimit" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 2, done.stdout
    error = json.loads(done.stdout)["error"]
    assert error["path"] == "params.lock"
    assert "must be locked, but this process may lock only 1024 KiB" in error["text"]
    assert "ulimit -l" in error["hint"]


@pytest.mark.parametrize(
    ("settings", "path", "text"),
    [
        ("lock=true", "params.lock", "locking needs a kind of page"),
        ("pages=1g bytes_per_user=1024GiB", "params.pages", "huge page"),
        ("pages=8k", "params.pages", "there is 4k, thp, hugetlb, 2m, 1g"),
    ],
)
def test_memory_that_cannot_be_had_is_refused(igen: Igen, settings: str, path: str, text: str) -> None:
    done = igen(f"run ram --set {settings} --users 1 {SHORT}")
    assert done.code == 2
    assert text in done.err
    assert path.removeprefix("params.") in done.err
