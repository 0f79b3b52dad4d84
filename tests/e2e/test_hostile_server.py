"""A server that misbehaves (`igen-agent serve faults`): what is told of each fault by `http` and by `web`."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, reasons_of

from igen.agent_program import find_agent
from tests.own_ports import own_ports

Igen = Callable[[str], Done]
QUICK = "--warmup 0s --repeats 1 --quiet"
CUT_OFF = "connection closed in the middle of the answer"
NO_HTTP = "malformed answer: not HTTP/1.1"
TOO_LONG = "malformed answer: more bytes than Content-Length"
TWO_LENGTHS = "malformed answer: two different lengths"
WRONG = {
    "/close": "connection closed without an answer",
    "/reset": "connection lost",
    "/short": CUT_OFF,
    "/cut": CUT_OFF,
    "/long": TOO_LONG,
    "/no-content": TOO_LONG,
    "/not-modified": TOO_LONG,
    "/both-lengths": TWO_LENGTHS,
    "/two-lengths": TWO_LENGTHS,
    "/folded": NO_HTTP,
    "/nul": NO_HTTP,
    "/not-http": NO_HTTP,
    "/garbage": "malformed answer: a chunk without size",
    "/endless-chunk-length": "malformed answer: a size line of more than 4 KiB for a chunk",
    "/endless-head": "malformed answer: more than 64 headers",
    "/long-head": "malformed answer: a head of more than 64 KiB",
    "/endless": "a body of more than max_bytes",
    "/huge": "a body of more than max_bytes",
    "/error-page": "a body without the expected text",
}
"""What `http` and `web` say of these paths alike."""
ASTRAY = {
    "/loop": "more than 5 redirects, the last from /loop to /loop",
    "/ping": "more than 5 redirects, the last from /pong to /ping",
    "/hops?left=6": "more than 5 redirects, the last from /hops to /hops",
    "/away": "a redirect to another host: elsewhere.invalid",
}
"""What `web`, which follows redirects, says of them."""
RIGHT = ("/ok", "/until-close", "/continue", "/early-hints")
SETTINGS = {
    "/error-page": "expect.contains=Welcome",
    "/endless": "expect.max_bytes=64KiB",
    **dict.fromkeys(("/slow-head", "/silent"), "timeout_s=500ms"),
}
HINTS = {
    "/error-page": "correct path or expect.contains",
    "/endless": "raise expect.max_bytes",
    "/huge": "raise expect.max_bytes",
    "/loop": "redirects are not followed",
    "/away": "redirects are not followed",
    **dict.fromkeys(("/slow-head", "/silent"), "A larger timeout_s waits longer"),
}


@pytest.fixture(scope="module")
def faults() -> Iterator[str]:
    """Where the server is; it ends when nobody holds its standard input any more."""
    address = f"127.0.0.1:{own_ports()}"
    command = [str(find_agent()), "serve", "faults", f"--listen={address}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield f"http://{address}"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        *WRONG.items(),
        *((path, "no complete answer in time") for path in ("/slow-head", "/silent")),
        *((path, "status 302") for path in ("/loop", "/away")),
    ],
)
def test_requests_are_refused_before_the_load(igen: Igen, faults: str, path: str, said: str) -> None:
    settings = f"path={path} {SETTINGS.get(path, '')}"
    done = igen(f"run http --target {faults} --users 1 {QUICK} --duration 0.2s --set {settings}")
    assert done.code == 1, done.err
    assert f"GET {path}: {said}" in done.err, done.err
    assert HINTS.get(path, "") in done.err, done.err


def test_what_is_only_odd_is_right(igen: Igen, faults: str) -> None:
    settings = f"paths={','.join(RIGHT)}"
    level = level_of(
        igen(f"run http --target {faults} {QUICK} --users 4 --duration 0.2s --set {settings} --json")
    )
    assert level["errors"] == 0
    assert all(level["operations"][f"GET {path}"]["count"] for path in RIGHT)


def test_a_failure_now_and_then_is_told_with_its_status(igen: Igen, faults: str) -> None:
    # If the first look at the page is the one in 50 that fails, there is no load: the next one is answered.
    line = f"run http --target {faults} {QUICK} --users 2 --duration 0.2s --set path=/nth?n=50 --json"
    level = level_of(next(done for done in (igen(line), igen(line)) if done.out))
    assert reasons_of(level) == {"GET /nth?n=50: status 503"}
    assert level["errors"] == pytest.approx(level["transactions"] / 49, rel=0.2, abs=2)


def level_of(done: Done) -> dict[str, Any]:
    (level,) = done.document["systems"][0]["levels"]
    return dict(level)


def test_pages_fail_with_their_reason_and_others_do_not(igen: Igen, faults: str, tmp_path: Path) -> None:
    pages = {path: f'get = "{path}"' for path in [*WRONG, *ASTRAY, *RIGHT, "/hops?left=5"]}
    pages["/error-page"] += ', expect = { contains = "Welcome" }'
    pages["/endless"] += ', expect = { max_bytes = "64KiB" }'
    texts = [f'[[page]]\nname = "{name}"\nrequest = [{{ {request} }}]\n' for name, request in pages.items()]
    # What a page embeds follows redirects as requests do.
    pages["picture"] = 'get = "/ok"'
    texts.append(
        '[[page]]\nname = "picture"\nrequest = [{ get = "/ok" }]\nresource = [{ get = "/hops?left=5" }]\n'
    )
    # Whose pages fail one after another waits longer each time.
    steps = ", ".join(f'{{ page = "{name}" }}, {{ page = "/ok" }}' for name in pages)
    session = f'[session]\non_failure = "next page"\nsteps = [{steps}]\n'
    (tmp_path / "own.toml").write_text(f"browser = {{ cache = false }}\n{session}{''.join(texts)}")
    settings = "--set scenario=@own.toml --json"
    level = level_of(
        igen(f"run web --target {faults} {QUICK} --users 2 --think-time 1ms --duration 1s {settings}")
    )
    told = dict(reason.split(": ", 1) for reason in reasons_of(level))
    assert told == WRONG | ASTRAY
    for name in (*RIGHT, "/hops?left=5", "picture"):
        assert level["operations"][name]["count"] > level["operations"][name]["failed"] == 0, name


def test_a_page_that_comes_drop_by_drop_ends_with_its_limit(igen: Igen, faults: str, tmp_path: Path) -> None:
    page = '[[page]]\nname = "slow"\nrequest = [{ get = "/slow", timeout = "500ms" }]\n'
    (tmp_path / "slow.toml").write_text(f'session = {{ steps = [{{ page = "slow" }}] }}\n{page}')
    settings = "--set scenario=@slow.toml --json"
    level = level_of(
        igen(f"run web --target {faults} {QUICK} --users 1 --think-time 1ms --duration 2s {settings}")
    )
    assert reasons_of(level) == {"slow: no complete answer in time"}


def test_an_application_of_somebody_else_is_not_loaded(igen: Igen) -> None:
    done = igen(f"run web --target http://192.0.2.1 --users 1 --duration 1s {QUICK}")
    assert done.code == 2
    assert "i_may_load=192.0.2.1" in done.err, done.err


@pytest.mark.parametrize("workload", ["http", "web"])
def test_a_host_to_which_no_route_leads_is_told(igen: Igen, workload: str) -> None:
    # TCP goes to no multicast address, on no machine.
    target = "--target http://224.0.0.1 --set i_may_load=224.0.0.1"
    done = igen(f"run {workload} {target} --users 1 --duration 1s {QUICK}")
    assert done.code == 1, done.err
    assert "network unreachable" in done.err, done.err
    assert "hint: correct the target, or the routes" in done.err, done.err
