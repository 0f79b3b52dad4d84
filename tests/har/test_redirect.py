"""Redirects stay on the target, however it is written, and keep the method that browsers keep."""

from __future__ import annotations

import pytest

from igen.har.redirect import AstrayError, method_behind, path_behind

ORIGIN, HERE = "http://web.lab", "/a/b?c=/d"


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/home", "/home"),
        ("next", "/a/next"),
        ("?page=2", "/a/b?page=2"),
        ("http://web.lab/home?a=b#c", "/home?a=b"),
        ("http://web.lab:80/home", "/home"),
        ("HTTP://Web.Lab", "/"),
        ("//web.lab:80/x", "/x"),
        ("http://anna@web.lab/x", "/x"),
    ],
)
def test_a_redirect_within_the_target_is_followed(location: str, path: str) -> None:
    assert path_behind(location, HERE, ORIGIN) == path
    assert path_behind(location, HERE, f"{ORIGIN}:80") == path


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("https://web.lab/", "a redirect to https://, but the target is http://"),
        ("https://web.lab:8443/", "a redirect to https://, but the target is http://"),
        ("http://web.lab:8080/", "a redirect to another host: web.lab:8080"),
        ("http://anna:hush@other.lab/", "a redirect to another host: other.lab"),
        ("javascript:alert(1)", "a redirect without a valid URL"),
        ("", "a redirect without a valid URL"),
        ("#top", "a redirect without a valid URL"),
        ("/a b", "a redirect without a valid URL"),
        ("//[", "a redirect without a valid URL"),
        ("http://web.lab:many/", "a redirect without a valid URL"),
    ],
)
def test_one_that_leads_away_is_told(location: str, said: str) -> None:
    with pytest.raises(AstrayError) as raised:
        path_behind(location, HERE, ORIGIN)
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("method", "kept", "get"),
    [
        ("post", {307, 308}, {301, 302, 303}),
        ("delete", {301, 302, 307, 308}, {303}),
        ("head", {301, 302, 303, 307, 308}, set()),
    ],
)
def test_a_method_changes_where_browsers_change_it(method: str, kept: set[int], get: set[int]) -> None:
    assert {method_behind(method, status) for status in kept} == {method}
    assert all(method_behind(method, status) == "get" for status in get)
