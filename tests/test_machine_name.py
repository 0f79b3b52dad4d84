"""What people call machines."""

from __future__ import annotations

import pytest

from igen.machine_name import machine_name, machine_names


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("ssh://db1", "db1"),
        ("ssh://igen@db1:2222", "db1:2222"),
        ("http://db1:9100/metrics", "db1:9100"),
        ("ssh://[::1]", "[::1]"),
        ("http://[", "http://["),
    ],
)
def test_a_machine_has_the_name_of_its_address(url: str, name: str) -> None:
    assert machine_name(url) == name
    assert machine_names([url, url]) == {url: name}


def test_machines_that_would_be_called_alike_have_their_whole_address() -> None:
    assert machine_names(
        ["http://gw:9100/a", "http://gw:9100/b", "ssh://a@db1", "ssh://b@db1", "ssh://web1"]
    ) == {
        "http://gw:9100/a": "http://gw:9100/a",
        "http://gw:9100/b": "http://gw:9100/b",
        "ssh://a@db1": "ssh://a@db1",
        "ssh://b@db1": "ssh://b@db1",
        "ssh://web1": "web1",
    }
