"""The pages that tell what requests and users cost have the figures of the last bench."""

from __future__ import annotations

import pytest

from checks import tree

RESULTS = tree.ROOT / "bench" / "results" / "http.md"
COST = tree.ROOT / "docs" / "concepts" / "cost.md"
GUIDE = tree.ROOT / "docs" / "guide" / "http.md"
MIB_BYTES, MB_BYTES = 2**20, 10**6
USERS = 14_000


def rows(head: str) -> dict[str, dict[str, str]]:
    """A table of the bench, by the first cell of each row; `head` begins its first line."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith(f"| {head} |"))
    names, _, *found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in _table(lines[begin:])
    ]
    return {first: dict(zip(names[1:], cells, strict=True)) for first, *cells in found}


def _table(lines: list[str]) -> list[str]:
    return lines[: next(number for number, line in enumerate(lines) if not line)]


def measured(what: str, column: str = "iGen") -> float:
    return float(rows("measured")[what][column])


def words(page: str) -> str:
    return " ".join(page.split())


COST_WORDS = words(COST.read_text(encoding="utf-8"))


@pytest.mark.parametrize("peer", ["wrk", "oha 1.16.0", "k6 1.8.1", "Locust 2.47.0"])
def test_what_a_request_and_a_user_cost_beside_each_peer(peer: str) -> None:
    request = f"64 connections, {peer}: CPU µs per request"
    cells = [f"{measured(request, column):.3g}" for column in ("iGen", "peer")]
    cells.append(f"{measured(request, 'ratio'):.2g}")
    user = f"5,000 users, {peer}: peak memory, KiB per user"
    has_users = user in rows("measured")
    assert has_users is (peer != "wrk")
    cells += [f"{measured(user, column):.3g}" if has_users else "" for column in ("iGen", "peer")]
    assert words(f"| {peer} | {' | '.join(cells)} |") in COST_WORDS


def test_what_users_take() -> None:
    plain, over_tls, of_web = (
        f"{measured(f'14,000 users{kind} who think 10 s: peak memory, MiB'):.0f}"
        for kind in ("", " over TLS", " of web")
    )
    over_http2 = f"{measured('14,000 users over HTTP/2: peak memory, KiB per user') * USERS / 1024:.0f}"
    throughput = measured("64 connections, wrk: CPU µs per request", "throughput ratio")
    for told in (
        f"| 14,000 users of `http` | {plain} |",
        f"| 14,000 users of `http` over TLS | {over_tls} |",
        f"| 14,000 users of `http` over HTTP/2 | {over_http2} |",
        f"each | {of_web} |",
        f"Its throughput is {throughput:.3g} of wrk's",
    ):
        assert told in COST_WORDS
    guide = words(GUIDE.read_text(encoding="utf-8"))
    assert f"14,000 users take {plain} MiB, and {over_http2} MiB over HTTP/2" in guide


def test_goals_are_told_with_what_was_measured() -> None:
    goals = rows("goal")
    assert [name for name, goal in goals.items() if goal["met"] != "yes"] == []
    assert (
        f"more takes {float(goals['web_user_kib']['value']):.2g} KiB, and should take 4 at most" in COST_WORDS
    )
    over_tls_mib = float(goals["14000_tls_users_mib"]["value"])
    assert over_tls_mib * MIB_BYTES < 180 * MB_BYTES
    assert f"their {over_tls_mib:.0f} MiB are {over_tls_mib * MIB_BYTES / MB_BYTES:.0f}" in COST_WORDS


def test_how_busy_28_000_people_keep_the_client() -> None:
    busy = {
        name.partition(" users of ")[0]: row
        for name, row in rows("measured").items()
        if "processors busy" in name
    }
    assert busy.keys() == {"19,000", "28,000"}
    for users, row in busy.items():
        assert f"{users} users" in COST_WORDS
        assert f"keep {float(row['iGen']):.2f} " in COST_WORDS
