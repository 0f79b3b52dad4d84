"""The library of DuckDB is fetched once, only if it is the right one, and loads without Python."""

from __future__ import annotations

import hashlib
import re
import subprocess
import zipfile
from pathlib import Path

import msgspec._core
import pytest

from checks import tree
from igen.cli import run_arguments
from igen.errors import IgenError, InputError
from igen.fetch import duckdb
from igen.fetch.plain_library import plain_library

EXTENSION = Path(msgspec._core.__file__).read_bytes()
"""A real extension module: it refers to Python and has nothing to do with DuckDB."""
LOAD = """
#include <dlfcn.h>
int main(int count, char **words) { return dlopen(words[1], RTLD_NOW) ? 0 : 3; }
"""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with wheels for both machines, a lock of them, and an empty cache."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(duckdb, "LOCK", folder / "duckdb.lock")
    for machine in duckdb.MACHINES:
        name = f"duckdb-1.0-cp312-cp312-manylinux_2_26_{machine}.manylinux_2_28_{machine}.whl"
        information = "duckdb-1.0.dist-info"
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr(f"_duckdb.cpython-312-{machine}-linux-gnu.so", EXTENSION)
            archive.writestr("duckdb/__init__.py", "raise SystemExit('executed')")
            archive.writestr(f"{information}/METADATA", "Metadata-Version: 2.1\nName: duckdb\nVersion: 1.0\n")
            archive.writestr(
                f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n"
            )
            archive.writestr(f"{information}/RECORD", "")
    lock(folder)
    return folder


def lock(folder: Path, digest: str = "") -> None:
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.whl"))]
    words = " ".join(f"--hash=sha256:{each}" for each in ([digest] if digest else hashes))
    text = f"--no-index\n--find-links {folder}\nduckdb==1.0 {words}\n"
    (folder / "duckdb.lock").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def loader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program without Python that loads a library with all that it refers to."""
    folder = tmp_path_factory.mktemp("loader")
    (folder / "load.c").write_text(LOAD)
    command = ["cc", "-o", str(folder / "load"), str(folder / "load.c"), "-ldl"]
    subprocess.run(command, check=True)
    return folder / "load"


@pytest.mark.parametrize("machine", duckdb.MACHINES)
def test_it_is_put_where_the_agent_looks(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert not duckdb.is_there()
    path = duckdb.fetch()
    assert path == tmp_path / "cache/igen/duckdb/1.0/libduckdb.so"
    assert [each.name for each in path.parent.iterdir()] == ["libduckdb.so"]
    assert duckdb.is_there()
    for wheel in index.glob("*.whl"):
        wheel.unlink()
    assert duckdb.fetch() == path, "what is there is kept"


def test_a_program_without_python_loads_it(index: Path, loader: Path, tmp_path: Path) -> None:
    (tmp_path / "extension.so").write_bytes(EXTENSION)
    assert subprocess.run([loader, tmp_path / "extension.so"], check=False).returncode == 3
    assert subprocess.run([loader, duckdb.fetch()], check=False).returncode == 0


def test_references_to_others_stay_needed() -> None:
    assert plain_library(EXTENSION, optional=(b"not_a_name",)) == EXTENSION
    for other in (b"", b"#!/bin/sh\n", EXTENSION[:5] + b"\x02" + EXTENSION[6:]):
        with pytest.raises(ValueError, match="ELF"):
            plain_library(other, optional=(b"Py",))


def test_another_archive_is_refused(index: Path) -> None:
    lock(index, digest=64 * "0")
    with pytest.raises(IgenError) as refused:
        duckdb.fetch()
    assert duckdb.VARIABLE in refused.value.hint
    assert not duckdb.library().exists()


def test_without_an_index_the_way_around_is_named(index: Path) -> None:
    for wheel in index.glob("*.whl"):
        wheel.unlink()
    with pytest.raises(IgenError) as failed:
        duckdb.fetch()
    assert duckdb.VARIABLE in failed.value.hint


def test_a_machine_without_an_archive_is_bad_input(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "s390x")
    with pytest.raises(InputError) as refused:
        duckdb.fetch()
    assert duckdb.VARIABLE in refused.value.hint


def test_an_unknown_package_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["install", "oracle"]) == 2
    told = capsys.readouterr().err
    assert all(name in told for name in ("duckdb", "superset", "tryton"))


def test_the_agent_looks_for_the_release_that_is_fetched() -> None:
    source = (tree.ROOT / "crates/igen-sql/src/duckdb/library.rs").read_text()
    assert re.findall(r'const VERSION: &str = "(.+)"', source) == [duckdb.version()]
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", duckdb.LOCK.read_text())) == len(duckdb.MACHINES)
