from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import ldap3_crate, ldclt, peers, unboundid
from bench.servers import SUFFIX, Directory
from bench.steady import Window

DIRECTORY = Directory(port=1389, password_file=Path("/tmp/password"))


@pytest.mark.parametrize(
    ("rate_per_s", "line", "expected"),
    [
        (unboundid.searches_per_s, "18240.500,0.438,1.000,0.000,18240.500,0.438\n", 18240.5),
        (unboundid.searches_per_s, "Recent Searches/Sec,Recent Avg Dur ms,Recent Entries/Srch\n", None),
        (unboundid.binds_per_s, "9120.250,0.877,0.000,9120.250,0.877\n", 9120.25),
        (unboundid.binds_per_s, "Recent Auths/Sec,Recent Avg Dur ms,Recent Errors/Sec\n", None),
        (
            ldclt.searches_per_s,
            "ldclt[41]: Average rate: 21470.12/thr  (17176.10/sec), total: 171761\n",
            17176.1,
        ),
        (
            ldclt.searches_per_s,
            "ldclt[41]: Global average rate: 42940.2/thr  (17176.1/sec), total: 343522\n",
            None,
        ),
        (ldap3_crate.searches_per_s, "18240.5 searches/s\n", 18240.5),
        (ldap3_crate.searches_per_s, "ldap3_search: no connection\n", None),
    ],
)
def test_reports_are_told_from_other_lines(
    rate_per_s: Callable[[str], float | None], line: str, expected: float | None
) -> None:
    assert rate_per_s(line) == expected


@pytest.mark.parametrize(
    ("rate_per_s", "line", "message"),
    [
        (unboundid.searches_per_s, "18240.500,0.438,0.500,0.000,1.0,0.4\n", "0.500 entries by search"),
        (unboundid.searches_per_s, "18240.500,0.438,1.000,3.000,1.0,0.4\n", "searchrate had 3.000 errors"),
        (unboundid.binds_per_s, "9120.250,0.877,9120.250,1.0,0.4\n", "authrate had 9120.250 errors"),
    ],
)
def test_tools_that_fail_are_no_peers(
    rate_per_s: Callable[[str], float | None], line: str, message: str
) -> None:
    with pytest.raises(RuntimeError, match=message):
        rate_per_s(line)


def test_peers_run_for_the_window_on_so_many_connections() -> None:
    window = Window(warmup_s=2, measure_s=3)
    searchrate = unboundid.searchrate(Path("sdk.jar"), DIRECTORY, "(uid=[1-9])", 8, window).command
    assert {"--numThreads=8", "--numIntervals=6", "--filter=(uid=[1-9])"} <= set(searchrate)
    crate = ldap3_crate.client(Path("ldap3_search"), DIRECTORY, 1, 9, 8, window).command
    assert crate[1:] == ["ldap://127.0.0.1:1389", f"ou=People,{SUFFIX}", "8", "6", "1", "9"]


def test_a_target_names_the_file_of_the_password_and_not_the_password() -> None:
    assert DIRECTORY.administrator == (
        f"ldap://cn=admin,{SUFFIX}@127.0.0.1:1389/{SUFFIX}?password_file=/tmp/password"
    )
    assert DIRECTORY.anonymous == f"ldap://127.0.0.1:1389/{SUFFIX}"


def test_only_the_archive_that_is_meant_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for Maven publishes what `content` holds, where Maven is told to put it."""
    published = tmp_path / "content"
    published.write_bytes(b"tool")
    monkeypatch.setattr(peers, "CACHE", tmp_path / "cache")
    maven = tmp_path / "mvn"
    maven.write_text(
        '#!/bin/sh\nfor word in "$@"; do case $word in -DoutputDirectory=*) folder=${word#*=};; esac; done\n'
        f'mkdir -p "$folder" && cp {published} "$folder/tool-1.0.jar"\n'
    )
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    expected = hashlib.sha256(b"tool").hexdigest()

    assert peers.jar("org.lab", "tool", "1.0", expected).read_bytes() == b"tool"
    published.write_bytes(b"another")
    assert peers.jar("org.lab", "tool", "1.0", expected).read_bytes() == b"tool", "kept"
    with pytest.raises(RuntimeError, match="0000"):
        peers.jar("org.lab", "tool", "1.0", "0000")
    published.write_bytes(b"tool")
    assert peers.jar("org.lab", "tool", "1.0", expected).read_bytes() == b"tool", "fetched again"
