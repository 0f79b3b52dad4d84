"""`fuzz/run`: build a target, run libFuzzer on it, and print executions and findings."""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path

from fuzz.targets import CORPUS, IN_PYTHON, IN_RUST, ROOT

WORK = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "fuzz"
# The flags of `cargo fuzz --sanitizer none`: coverage counters of LLVM, which stable Rust has.
COVERAGE = (
    "-Cpasses=sancov-module",
    *(
        f"-Cllvm-args=-sanitizer-coverage-{each}"
        for each in ("level=4", "inline-8bit-counters", "pc-table", "trace-compares")
    ),
    "--cfg fuzzing",
    "-Cdebug-assertions",
    "-Coverflow-checks",
)
SLOW_S = 1
"""An input that takes longer is a finding."""
HANG_S = 10
"""An input that takes longer ends the run. Less would be too little on a busy machine."""
MOST_MIB = 1024
LONGEST_INPUT = 1 << 16


def built() -> list[str]:
    """Build the targets in Rust; return the command of the program."""
    machine = f"{platform.machine()}-unknown-linux-gnu"
    environment = {**os.environ, "RUSTFLAGS": " ".join(COVERAGE), "CARGO_TARGET_DIR": str(WORK)}
    options = ("--release", "--quiet", "--package", "igen-fuzz", "--features", "libfuzzer")
    # With --target the flags hold for iGen and its dependencies, and not for build scripts.
    subprocess.run(["cargo", "build", *options, "--target", machine], cwd=ROOT, env=environment, check=True)
    return [str(WORK / machine / "release" / "igen-fuzz")]


def in_python() -> list[str]:
    """Return the command for targets in Python; Atheris is installed once, for this Python."""
    packages = WORK / "atheris"
    if not packages.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--target", str(packages), "atheris>=3,<4"], check=True)
    return [sys.executable, "-m", "fuzz.under_atheris"]


def seeded(name: str) -> list[Path]:
    """Return the corpus folders of a target; libFuzzer adds inputs to the first one."""
    found = WORK / "corpus" / name
    found.mkdir(parents=True, exist_ok=True)
    if name in IN_PYTHON:
        for data in IN_PYTHON[name].seeds():
            (found / hashlib.sha1(data).hexdigest()).write_bytes(data)
    return [folder for folder in (found, CORPUS / name) if folder.exists()]


def main() -> int:
    """Run one target; return 1 if it has findings."""
    parser = argparse.ArgumentParser(prog="fuzz/run", description=__doc__)
    parser.add_argument("name", choices=[*IN_RUST, *IN_PYTHON])
    parser.add_argument("--seconds", type=int, default=60, help="time to run, 60 without")
    asked = parser.parse_args()
    findings = WORK / "findings" / asked.name
    findings.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    options = [
        f"-max_total_time={asked.seconds}",
        f"-timeout={HANG_S}",
        f"-report_slow_units={SLOW_S}",
        f"-rss_limit_mb={MOST_MIB}",
        f"-max_len={LONGEST_INPUT}",
        f"-artifact_prefix={findings}/",
        "-print_final_stats=1",
        *map(str, seeded(asked.name)),
    ]
    command = in_python() if asked.name in IN_PYTHON else built()
    environment = {**os.environ, "IGEN_FUZZ": asked.name, "PYTHONPATH": f"{ROOT}:{WORK / 'atheris'}"}
    code = subprocess.run([*command, *options], cwd=WORK, env=environment).returncode
    found = sorted(set(findings.iterdir()) - before)
    for path in found:
        print(f"finding: {path}")
    print(f"{asked.name}: {len(found)} findings")
    return 1 if found or code else 0
