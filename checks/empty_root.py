"""Installs both wheels in an empty Debian that holds Python and nothing else, and measures there."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import debian_root, tree
from checks.requirements import of_product
from checks.wheels import COMMANDS

RELEASE = "bookworm"
PACKAGES = "python3-venv,ca-certificates"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
PATIENCE_S = 600


SCRIPT = "\n".join(
    [
        "set -eux",
        "python3 -m venv /opt/igen",
        "pip='/opt/igen/bin/pip install --quiet --disable-pip-version-check --no-cache-dir'",
        "$pip --require-hashes --requirement /try/requirements.txt",
        "$pip --no-deps /try/*.whl",
        "mkdir /work && cd /work",
        "export PATH=/opt/igen/bin:$PATH",
        *COMMANDS,
        "test -s r.html",
        "",
    ]
)
"""What a user types there; it ends with the first failure."""


def findings(wheels: list[Path], folder: Path) -> list[str]:
    """What is wrong with them there. The root is in a temporary folder, and gone afterwards."""
    commands = folder / "commands"
    commands.write_text(SCRIPT, encoding="utf-8")
    requirements = folder / "requirements.txt"
    requirements.write_text(of_product(), encoding="utf-8")
    hooks = [
        'mkdir "$1/try"',
        f'cp {shlex.join(map(str, [commands, requirements, *wheels]))} "$1/try"',
        # It trusts whom this machine trusts, which may reach an index by way of a proxy.
        f'cp --dereference {CERTIFICATES} "$1{CERTIFICATES}"',
        'chroot "$1" sh /try/commands >&2',
    ]
    options = ["--variant=minbase", "--format=null", f"--include={PACKAGES}"]
    options += [f"--customize-hook={hook}" for hook in hooks]
    command = debian_root.command(options, RELEASE)
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    return [f"ends with {done.returncode}: {done.stderr[-2000:]}"] if done.returncode else []


def main() -> int:
    """Tries the wheels in a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the wheels are")
    wheels = sorted(parser.parse_args().folder.resolve().glob("*.whl"))
    with tempfile.TemporaryDirectory() as folder:
        found = findings(wheels, Path(folder))
    return tree.finish("empty root", found, f"{RELEASE} with {PACKAGES}: installed and measured")


if __name__ == "__main__":
    sys.exit(main())
