"""Packs the static agent for Debian and its kin, and measures with what is in the package."""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from checks import tree

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CONTROL = """\
Package: igen-agent
Version: {version}
Architecture: {architecture}
Maintainer: the iGen project <igen-agent@localhost>
Installed-Size: {kib}
Section: utils
Priority: optional
Description: load agent of iGen, a benchmark workbench
 Puts load on processors, memory, storage, databases, directories and web
 servers, and tells as JSON what it has measured. It needs no library of its
 host. `igen` leads it from elsewhere, or a job on its standard input.
"""
JOB = {
    "workload": "cpu",
    "load": {"closed": {"users": 1}},
    "phases": {"warmup_s": 0, "measure_s": "200ms"},
}


def packed(agent: Path, folder: Path) -> Path:
    """The package, written beside the agent; `folder` is where its files are laid out."""
    version = tomllib.loads((tree.ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    architecture = ARCHITECTURES[platform.machine()]
    program = folder / "usr" / "bin" / "igen-agent"
    documents = folder / "usr" / "share" / "doc" / "igen-agent"
    for each in (program.parent, documents, folder / "DEBIAN"):
        each.mkdir(parents=True)
    shutil.copy2(agent, program)
    shutil.copy(tree.ROOT / "LICENSE", documents / "copyright")
    kib = sum(path.stat().st_size for path in (program, documents / "copyright")) // 1024
    control = CONTROL.format(version=version, architecture=architecture, kib=kib)
    (folder / "DEBIAN" / "control").write_text(control, encoding="utf-8")
    package = agent.parent / f"igen-agent_{version}_{architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", "--build", str(folder), str(package)]
    subprocess.run(command, check=True, capture_output=True)
    return package


def findings(package: Path, folder: Path) -> list[str]:
    """What is wrong with it."""
    subprocess.run(["dpkg-deb", "--extract", str(package), str(folder)], check=True)
    command = [str(folder / "usr" / "bin" / "igen-agent"), "run"]
    done = subprocess.run(command, input=json.dumps(JOB), env={}, capture_output=True, text=True, check=False)
    complete = '"outcome":"complete"' in done.stdout
    return [] if complete else [f"a job ends with {done.returncode}: {(done.stderr or done.stdout)[-500:]}"]


def main() -> int:
    """Packs the agent and tries the package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", type=Path, help="the static agent")
    agent = parser.parse_args().agent
    with tempfile.TemporaryDirectory() as folder:
        package = packed(agent, Path(folder) / "packed")
        found = findings(package, Path(folder) / "extracted")
    size = f"{package.stat().st_size / 1e6:.1f} MB"
    return tree.finish("debian package", found, f"{package.name}: {size}, tried")


if __name__ == "__main__":
    sys.exit(main())
