from __future__ import annotations

import re

import pytest

from bench import h2load, http_floor, web, wrk
from bench.http_cost import cost
from bench.process import Execution

SAID = """Running 2s test @ http://127.0.0.1:8080/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.05ms  200.00us   9.00ms   90.00%
  120000 requests in 2.00s, 34.33MB read
Requests/sec:  60000.12
Transfer/sec:     17.17MB
"""


def test_wrk_is_read_with_what_it_cost() -> None:
    run = wrk.read(Execution(SAID, 2.0, 0.3, 0.9, 0))
    assert (run.requests, run.throughput_per_s) == (120_000, 60_000.12)
    each = cost(run.execution, run.requests, run.throughput_per_s)
    assert each.cpu_us == pytest.approx(10)
    assert each.user_us == pytest.approx(2.5)


H2LOAD_SAID = """Stopped all clients for thread #0

finished in 1.07s, 65169.00 req/s, 4.60MB/s
requests: 65169 total, 65173 started, 65169 done, 65169 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 65170 2xx, 0 3xx, 0 4xx, 0 5xx
"""


def test_h2load_is_read_with_what_it_cost() -> None:
    run = h2load.read(Execution(H2LOAD_SAID, 1.1, 0.2, 0.3, 0))
    assert (run.requests, run.throughput_per_s) == (65_169, 65_169.0)
    for word, other in [("65169 succeeded", "65168 succeeded"), ("0 failed", "1 failed"), ("req/s", "")]:
        with pytest.raises(RuntimeError, match="h2load"):
            h2load.read(Execution(H2LOAD_SAID.replace(word, other), 1.1, 0.2, 0.3, 0))


def test_the_bare_loop_is_read_with_what_it_cost() -> None:
    each = http_floor.read(Execution("120000 answers in 2.000 s\n", 2.1, 0.3, 0.9, 0))
    assert each.cpu_us == pytest.approx(10)
    assert each.throughput_per_s == 60_000
    with pytest.raises(RuntimeError, match="bare loop"):
        http_floor.read(Execution("0 answers in 2.000 s\n", 2.1, 0.3, 0.9, 0))


@pytest.mark.parametrize(
    "said",
    [
        "unable to connect to 127.0.0.1:9 Connection refused",
        f"{SAID}  Non-2xx or 3xx responses: 120000\n",
        f"{SAID}  Socket errors: connect 0, read 7, write 0, timeout 0\n",
    ],
)
def test_requests_that_failed_are_no_result(said: str) -> None:
    with pytest.raises(RuntimeError, match="wrk"):
        wrk.read(Execution(said, 2.0, 0.3, 0.9, 0))


def test_the_page_that_is_read_has_what_is_looked_for() -> None:
    page = web.page()
    assert len(page) == web.PAGE_BYTES
    for text in ("Records found", "Signed in", 'name="csrf"', "/record/4711"):
        assert page.index(text) > 0.9 * len(page)
    assert web.locations().count("Set-Cookie") == web.COOKIES


def test_the_page_that_changes_is_whole_but_for_its_number() -> None:
    parts = re.findall(r"set \$part\d '([^']*)'; ", web.locations())
    assert max(map(len, parts)) < 4096
    page = "".join(parts).replace("$request_id", 32 * "0")
    assert len(page) == web.PAGE_BYTES
    assert page.index(32 * "0") < 100
    assert page.partition("<form>")[2] == web.page().partition("<form>")[2] != ""
