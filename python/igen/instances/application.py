"""Applications from PyPI, each in an environment of its own: never iGen's, always the releases of their lock.

A lock is a file of requirements with the hashes of all that is installed, beside this one: `NAME.lock`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from igen.errors import InputError
from igen.fetch.pip import pip, run_apart
from igen.own_folder import only_one

COMPLETE = "complete"
"""File that marks a complete installation."""
OLDEST = (3, 11)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An application that `igen install` installs."""

    name: str
    module: str
    """Module that can be imported if it is installed."""
    asked: tuple[str, ...] = ()
    """Requirements for the lock: `python -m checks.applications --write`."""
    sources: tuple[str, ...] = ()
    """Packages without a wheel on PyPI, built here from archives with the hash of the lock."""
    left_out: tuple[str, ...] = ()
    """Optional packages without a wheel on PyPI, which are left out."""
    newest: tuple[int, int] = (3, 14)
    """The newest Python for which the lock has archives."""

    @property
    def lock(self) -> Path:
        """Its requirements."""
        return Path(__file__).with_name(f"{self.name}.lock")

    def requirements(self, *, sources: bool) -> str:
        """Return the part of the lock with the packages that are built here, or with the other packages."""
        entries = re.findall(r"^\S.*(?:\n[ \t].*)*\n", self.lock.read_text(encoding="utf-8"), re.MULTILINE)
        return "".join(
            each for each in entries if (each.partition("==")[0].lower() in self.sources) is sources
        )

    @property
    def digest(self) -> str:
        """Return the identity of the lock."""
        return hashlib.sha256(self.lock.read_bytes()).hexdigest()[:12]

    @property
    def folder(self) -> Path:
        """Return its environment; another lock has another environment."""
        return _directory() / f"{self.name}-{self.digest}"

    @property
    def python(self) -> Path:
        """Return the interpreter of its environment. Raises `InputError` if it is not installed."""
        if not (self.folder / COMPLETE).exists():
            raise InputError(f"{self.name} is not installed", hint=f"install it: igen install {self.name}")
        return self.folder / "bin" / "python"


APPLICATIONS = {
    each.name: each
    for each in (
        Application(
            name="tryton",
            module="trytond",
            asked=("trytond==8.0.*", "trytond_party==8.0.*", "tzdata"),
        ),
        Application(
            name="superset",
            module="superset",
            # What it imports and does not ask for: async-timeout (before Python 3.11.3), cachetools, rich.
            # It does not bear Flask-Caching 2.4; setuptools builds its sources. Those without wheels are one
            # release each: to ask what they need executes their code, when the lock is written.
            asked=(
                "apache-superset==6.1.*",
                *("async-timeout", "cachetools", "flask-caching<2.4", "rich", "setuptools"),
                *("odfpy==1.4.1", "wtforms-json==0.3.5"),
            ),
            sources=("wtforms-json",),
            # Reads spreadsheets of OpenDocument.
            left_out=("odfpy",),
            newest=(3, 12),
        ),
    )
}


def install(application: Application) -> Path:
    """Installs it unless it is there, and returns its environment. Raises `InputError` without pip, and
    `IgenError` without network, or where an archive has not the hash that the lock says.
    """
    folder, directory = application.folder, _directory()
    if not directory.exists():
        directory.mkdir(parents=True)
        directory.chmod(0o755)
    with only_one(directory, "installing"):
        if (folder / COMPLETE).exists():
            return folder
        command = pip()
        shutil.rmtree(folder, ignore_errors=True)
        run_apart([_interpreter(application), "-I", "-m", "venv", "--without-pip", str(folder)])
        python = str(folder / "bin" / "python")
        quiet = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
        # What builds sources is among the wheels.
        for kind, how in (("wheels", ["--only-binary=:all:"]), ("sources", ["--no-build-isolation"])):
            if text := application.requirements(sources=kind == "sources"):
                file = folder / f"{kind}.txt"
                file.write_text(text, encoding="utf-8")
                run_apart([*command, "--python", python, "install", *quiet, *how, "--requirement", str(file)])
        # A pip that is told to, such as by a file of its own, installs elsewhere or nothing, and succeeds.
        run_apart([python, "-I", "-c", f"import {application.module}"])
        (folder / COMPLETE).touch()
    return folder


def _directory() -> Path:
    """`IGEN_APPLICATIONS`, or a place that the accounts of servers may enter, unlike most home folders.

    Raises `InputError` where somebody else has made a folder of that name.
    """
    if given := os.environ.get("IGEN_APPLICATIONS"):
        return Path(given).resolve()
    user = os.geteuid()
    directory = Path(f"/var/tmp/igen-applications-{user}")
    if directory.is_symlink() or (directory.exists() and directory.stat().st_uid != user):
        hint = "set the variable IGEN_APPLICATIONS to another folder"
        raise InputError("the folder belongs to another user", where=str(directory), hint=hint)
    return directory


def _interpreter(application: Application) -> str:
    """One that accounts without rights may run: that of iGen may lie in a home folder.

    Raises `InputError` where none is of a release that the lock has archives for.
    """
    newest = application.newest
    names = ["python3", *(f"python3.{minor}" for minor in range(newest[1], OLDEST[1] - 1, -1))]
    asked = f"import sys; sys.exit(not {OLDEST} <= sys.version_info[:2] <= {newest})"
    for found in [*(f"/usr/bin/{name}" for name in names), os.path.realpath(sys.executable)]:
        if Path(found).exists() and subprocess.run([found, "-I", "-c", asked], check=False).returncode == 0:
            return found
    span = f"{OLDEST[0]}.{OLDEST[1]} to {newest[0]}.{newest[1]}"
    raise InputError(f"{application.name} needs a Python {span}", hint="install one as /usr/bin/python3.NN")
