"""The library of DuckDB for the agent: the extension module of its Python package, made free of Python.

The module exports DuckDB's whole C interface. It is fetched by pip, from the index that pip is set to, at one
release and with the hash in `duckdb.lock`: results are published with this release.
"""

from __future__ import annotations

import os
import platform
import re
import tempfile
import zipfile
from pathlib import Path

from igen.errors import IgenError, InputError
from igen.fetch.pip import pip, run_apart
from igen.fetch.plain_library import plain_library

LOCK = Path(__file__).with_name("duckdb.lock")
MACHINES = ("x86_64", "aarch64")
VARIABLE = "IGEN_DUCKDB"
"""Names another library to the agent."""
_FILE = "libduckdb.so"
_PYTHON = ("--implementation=cp", "--python-version=3.12", "--abi=cp312")


def version() -> str:
    """Return the release in the lock."""
    (release,) = re.findall(r"^duckdb==(\S+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    return str(release)


def library() -> Path:
    """Return the path at which the agent looks for the library, below the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    folder = cache if cache.is_absolute() else Path.home() / ".cache"
    return folder / "igen" / "duckdb" / version() / _FILE


def is_there() -> bool:
    """Return True if the agent has a library to load."""
    return VARIABLE in os.environ or library().exists()


def fetch() -> Path:
    """Fetch the library unless it is there, and return its path.

    Raises `InputError` on a machine without an archive or without pip, and `IgenError` if pip does not reach
    an index or gets an archive with another hash.
    """
    path = library()
    if path.exists():
        return path
    machine = platform.machine()
    if platform.system() != "Linux" or machine not in MACHINES:
        raise InputError(
            f"there is no {_FILE} for {platform.system()} on {machine}",
            hint=f"build it, and set {VARIABLE} to its path",
        )
    with tempfile.TemporaryDirectory() as folder:
        try:
            _download(Path(folder), machine)
        except IgenError as error:
            error.hint = error.hint or f"set {VARIABLE} to a {_FILE} of release {version()}"
            raise
        (wheel,) = Path(folder).glob("*.whl")
        content = _module(wheel)
    _put(path, plain_library(content, optional=(b"Py", b"_Py")))
    return path


def _download(folder: Path, machine: str) -> None:
    """Download the wheel. It is not installed: nothing of it is ever executed in Python."""
    what = ["--no-deps", "--only-binary=:all:", f"--platform=manylinux_2_28_{machine}", *_PYTHON]
    quiet = ["--quiet", "--disable-pip-version-check", "--require-hashes"]
    run_apart([*pip(), "download", *quiet, *what, f"--requirement={LOCK}", f"--dest={folder}"])


def _module(wheel: Path) -> bytes:
    """Return the extension module in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if re.fullmatch(r"_duckdb\.[^/]*\.so", each))
        return archive.read(name)


def _put(path: Path, content: bytes) -> None:
    """Write the file as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)
