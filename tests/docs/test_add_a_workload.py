"""The page "add a workload" is true: its blocks, applied to a copy of the workspace, make a workload."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pages import edits, files

from checks import tree

PAGE = tree.ROOT / "docs" / "guide" / "add-a-workload.md"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", tree.ROOT / "target"))
# Always at the same place, so that cargo knows what it has built there before.
COPY = TARGET / "add-a-workload"
pytestmark = pytest.mark.xdist_group("add-a-workload")
"""One worker builds, once."""
LIKE_THE_TESTS = (
    "--workspace",
    "--bins",
    "--features",
    "igen-engine/paused-clock,igen-net/testing,igen-workloads/testing",
)
"""As their agent is built: the same compiled dependencies serve both."""
OWN_VERSION = ("\nversion.workspace = true\n", '\nversion = "0.0.0-guide"\n')
EDITED = ("igen-workloads", "igen-agent")
"""The crate that the page edits, and the one that depends on it: no other is compiled again."""


@pytest.fixture(scope="module")
def agent() -> Path:
    """The agent of a workspace to which the page was applied."""
    manifests = [
        tree.ROOT / name for name in ("Cargo.toml", "Cargo.lock", "clippy.toml", "rust-toolchain.toml")
    ]
    crates = [path for path in tree.files() if path.is_relative_to(tree.ROOT / "crates")]
    found = {path.relative_to(tree.ROOT): path for path in [*manifests, *crates] if path.exists()}
    wanted = {name: path.read_bytes() for name, path in found.items()}
    text = PAGE.read_text(encoding="utf-8")
    for name, content in files(text):
        assert Path(name) not in wanted, f"{name} is there already"
        wanted[Path(name)] = content.encode()
    for name, old, new in edits(text):
        before = wanted[Path(name)].decode()
        assert before.count(old) == 1, f"{name} does not hold this once:\n{old}"
        wanted[Path(name)] = before.replace(old, new).encode()
    # Cargo tells packages of two workspaces apart by name and version, not by folder, and looks at the times
    # of their files: what has the same version and times is shared with the workspace.
    for crate in EDITED:
        manifest = wanted[Path("crates", crate, "Cargo.toml")].decode()
        assert manifest.count(OWN_VERSION[0]) == 1
        wanted[Path("crates", crate, "Cargo.toml")] = manifest.replace(*OWN_VERSION).encode()
        # Nobody looks for a line of theirs: a sixth less to compile.
        wanted[Path("Cargo.toml")] += f"[profile.dev.package.{crate}]\ndebug = false\n".encode()
    _write(wanted)
    for name, path in found.items():
        if path.read_bytes() == wanted[name]:
            shutil.copystat(path, COPY / name)
    command = ["cargo", "build", "--quiet", *LIKE_THE_TESTS]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    done = subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    # Whoever runs the one of before keeps it.
    shutil.copy2(TARGET / "debug" / "igen-agent", COPY / f"igen-agent-{os.getpid()}")
    (COPY / f"igen-agent-{os.getpid()}").replace(COPY / "igen-agent")
    return COPY / "igen-agent"


def _write(wanted: dict[Path, bytes]) -> None:
    """Makes the copy hold these files and no others, and leaves alone those that are right."""
    # From below: a folder is looked at when its files are gone. Cargo asks each folder for its manifest.
    for path in sorted((COPY / "crates").rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(COPY) not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = COPY / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _run(agent: Path, **params: Any) -> tuple[int, list[dict[str, Any]]]:
    job = {
        "workload": "hello",
        "params": params,
        "load": {"closed": {"users": 2}},
        "phases": {"warmup_s": 0, "measure_s": 0.2},
        "monitors": [],
    }
    done = subprocess.run([agent, "run"], input=json.dumps(job), capture_output=True, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_the_page_is_formatted_as_make_check_wants_it(tmp_path: Path) -> None:
    for name, content in files(PAGE.read_text(encoding="utf-8")):
        file = tmp_path / Path(name).name
        file.write_text(content, encoding="utf-8")
        command = ["rustfmt", "--check", "--edition", "2024", file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_it_is_listed_with_its_parameters(agent: Path) -> None:
    listed = json.loads(subprocess.run([agent, "list", "workloads"], check=True, capture_output=True).stdout)
    (hello,) = [entry for entry in listed if entry["name"] == "hello"]
    assert hello["operations"] == ["write", "read"]
    assert hello["params"]["properties"]["length"]["default"] == 5


@pytest.mark.slow
def test_it_is_measured_with_its_operations_and_counters(agent: Path) -> None:
    code, events = _run(agent, length="4KiB")
    assert code == 0
    # Over all phases: a snapshot reads statistics that go on growing, so its own counts may differ.
    snapshots = [event["snapshot"] for event in events if "snapshot" in event]
    transactions = sum(snapshot["transactions"]["count"] for snapshot in snapshots)
    assert transactions > 0
    assert sum(snapshot["counters"]["sent_bytes"] for snapshot in snapshots) == 4096 * transactions
    for operation in ("write", "read"):
        assert sum(snapshot["operations"][operation]["count"] for snapshot in snapshots) == transactions


@pytest.mark.slow
def test_it_refuses_what_it_cannot_do(agent: Path) -> None:
    code, events = _run(agent, length="1MiB")
    assert code == 2
    assert events[-1]["error"]["path"] == "params.length"
