"""A prebuilt library is fetched once, and only if it is the right one."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from igen.cli import run_arguments
from igen.errors import IgenError, InputError
from igen.fetch.package import Package, fetch, package_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """A package in an archive of our own, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    archive = tmp_path / "archive.tgz"
    content = b"a library"
    with tarfile.open(archive, "w:gz") as members:
        member = tarfile.TarInfo("package/libword.so")
        member.size = len(content)
        members.addfile(member, io.BytesIO(content))
    digest = hashlib.sha512(archive.read_bytes()).digest()
    return Package(
        name="word",
        version="1.0",
        file="libword.so",
        url=archive.as_uri(),
        integrity=f"sha512-{b64encode(digest).decode()}",
    )


def test_the_file_is_put_where_the_agent_looks(package: Package, tmp_path: Path) -> None:
    path = fetch(package)
    assert path == tmp_path / "cache/igen/word/1.0/libword.so"
    assert path.read_bytes() == b"a library"
    assert [each.name for each in path.parent.iterdir()] == ["libword.so"]
    assert fetch(replace(package, url="file:///nowhere")) == path


def test_another_archive_is_refused(package: Package) -> None:
    with pytest.raises(IgenError, match="hash"):
        fetch(replace(package, integrity="sha512-AAAA"))
    assert not package.path.exists()


def test_without_a_network_the_way_around_is_told(package: Package) -> None:
    with pytest.raises(IgenError, match="cannot be downloaded") as error:
        fetch(replace(package, url="file:///nowhere/archive.tgz"))
    assert "IGEN_WORD" in error.value.hint


def test_an_unknown_package_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="no package"):
        package_of("oracle")
    assert run_arguments(["fetch", "oracle"]) == 2
    assert "use one of duckdb" in capsys.readouterr().err


def test_the_agent_looks_for_the_release_that_is_fetched() -> None:
    source = (ROOT / "crates/igen-sql/src/duckdb/library.rs").read_text()
    assert re.findall(r'const VERSION: &str = "(.+)"', source) == [package_of("duckdb").version]
