"""Installs both wheels into an empty environment as a user would, measures there, and adds the extras."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

from checks import tree
from checks.requirements import of_product

MOST_BYTES = 150_000_000
SHORT = "--repeats 2 --duration 0.5s --warmup 0.1s"
COMMANDS = (
    "igen --version",
    "igen-agent --version",
    "igen list studies",
    f"igen run oltp --users 1,2 --set customers=1000 {SHORT} --report r.html",
    f"igen run command --set run=/bin/true {SHORT}",
)
"""All of this needs no extra."""
EXTRAS = {"png": "igen show last -o r.md", "query": "igen query 'SELECT count(*) FROM intervals'"}
"""By extra, a command that ends with exit code 2 without it."""


def findings(wheels: list[Path], folder: Path) -> list[str]:
    """Return what is wrong with them."""
    if (names := sorted(wheel.name.partition("-")[0] for wheel in wheels)) != ["igen_agent", "igen_bench"]:
        return [f"there are wheels of {', '.join(names) or 'nothing'}"]
    home, work = folder / "environment", folder / "work"
    work.mkdir()
    # As `python -m venv` does it: the interpreter is not copied.
    venv.create(home, symlinks=True, with_pip=True)
    began_s = time.monotonic()
    _install(home, wheels)
    took_s = time.monotonic() - began_s
    used = sum(path.lstat().st_size for path in home.rglob("*") if path.is_file())
    print(f"wheels: {used / 1e6:.0f} MB installed in {took_s:.1f} s")
    found = [f"the environment has {used / 1e6:.0f} MB"] if used > MOST_BYTES else []
    found += [each for command in COMMANDS if (each := _ends_otherwise(command, 0, home, work))]
    found += [each for command in EXTRAS.values() if (each := _ends_otherwise(command, 2, home, work))]
    if not found:
        report = (work / "r.html").read_text(encoding="utf-8")
        found = [f"the report has no {each}>" for each in ("<svg", "<table") if each not in report]
    _install(home, wheels, list(EXTRAS))
    return found + [each for command in EXTRAS.values() if (each := _ends_otherwise(command, 0, home, work))]


def _install(home: Path, wheels: list[Path], extras: Sequence[str] = ()) -> None:
    """Install both wheels and what they need with these extras, as the lock has it."""
    needs = home / "requirements.txt"
    needs.write_text(of_product(extras), encoding="utf-8")
    pip = [str(home / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "--requirement", str(needs)], check=True)
    subprocess.run([*pip, "--no-deps", "--force-reinstall", *map(str, wheels)], check=True)


def _ends_otherwise(command: str, code: int, home: Path, work: Path) -> str:
    """Return what is wrong if a command says nothing or has another exit code.

    Nothing of the source, of a compiler or of another environment is within its reach.
    """
    environment = {"PATH": f"{home / 'bin'}:/usr/bin:/bin", "HOME": str(work.parent)}
    done = subprocess.run(
        shlex.split(command), cwd=work, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode == code and done.stdout.strip() + done.stderr.strip():
        return ""
    return f"`{command}` ends with {done.returncode}: {done.stderr[-500:]}"


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
