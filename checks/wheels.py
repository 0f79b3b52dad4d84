"""Installs both wheels into an empty environment, as a user would, and measures with what is there then."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from checks import tree
from checks.lock import LOCK

MOST_BYTES = 450_000_000
SHORT = "--repeats 2 --duration 0.5s --warmup 0.1s"
COMMANDS = (
    "igen --version",
    "igen-agent --version",
    "igen list studies",
    f"igen run oltp --users 1,2 --set customers=1000 {SHORT} --report r.html",
    f"igen run command --set run=/bin/true {SHORT}",
)


def installed(wheels: list[Path], folder: Path) -> Path:
    """An environment with these wheels and what they need; its programs are in `bin`."""
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--constraint", LOCK, *wheels], check=True)
    return folder


def findings(wheels: list[Path], folder: Path) -> list[str]:
    """What is wrong with them."""
    if (names := sorted(wheel.name.partition("-")[0] for wheel in wheels)) != ["igen_agent", "igen_bench"]:
        return [f"there are wheels of {', '.join(names) or 'nothing'}"]
    home = installed(wheels, folder / "environment")
    used = sum(path.lstat().st_size for path in home.rglob("*") if path.is_file())
    found = [f"the environment has {used / 1e6:.0f} MB"] if used > MOST_BYTES else []
    # Nothing of the source, of a compiler or of another environment is within reach.
    environment = {"PATH": f"{home / 'bin'}:/usr/bin:/bin", "HOME": str(folder)}
    work = folder / "work"
    work.mkdir()
    for command in COMMANDS:
        done = subprocess.run(
            command.split(), cwd=work, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0 or not done.stdout.strip() + done.stderr.strip():
            found.append(f"`{command}` ends with {done.returncode}: {done.stderr[-500:]}")
    if not found and not (work / "r.html").stat().st_size > 100_000:
        found.append("the report is empty")
    print(f"wheels: {used / 1e6:.0f} MB installed")
    return found


def main() -> int:
    """Tries the wheels in a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the wheels are")
    wheels = sorted(parser.parse_args().folder.glob("*.whl"))
    os.environ.pop("PYTHONPATH", None)
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = findings(wheels, Path(folder))
    took_s = time.monotonic() - began_s
    return tree.finish("wheels", found, f"{', '.join(each.name for each in wheels)}: tried in {took_s:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
