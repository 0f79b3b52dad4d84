"""A console that is stopped as systemd stops it (`KillMode=process`) leaves its runs alone."""

from __future__ import annotations

import http.client
import re
import time
from pathlib import Path
from urllib.parse import urlencode

from igen.store.active import active_runs
from igen.store.run import Run
from igen.store.store import Store
from igen.workbench.stop import stop
from tests.browser.console_process import ConsoleProcess
from tests.own_ports import own_ports

PATIENCE_S = 300.0
STUDY = """
plan = { mode = "sweep", repeats = 1 }
[job]
workload = "model"
phases = { warmup_s = "0s", measure_s = "600s" }
[axes]
"load.closed.users" = [1]
"""


class Browser:
    """As much of one as it takes."""

    def __init__(self, port: int) -> None:
        self._asked = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self._cookie = ""

    def get(self, path: str) -> str:
        """The text of a page."""
        self._asked.request("GET", path, headers={"Cookie": self._cookie})
        return self._asked.getresponse().read().decode()

    def post(self, path: str, **fields: str) -> str:
        """Where the form leads to."""
        headers = {"Cookie": self._cookie, "Content-Type": "application/x-www-form-urlencoded"}
        self._asked.request("POST", path, urlencode(fields), headers)
        answer = self._asked.getresponse()
        text = answer.read().decode()
        self._cookie = (answer.getheader("set-cookie") or self._cookie).partition(";")[0]
        assert answer.status == 303, text
        return answer.getheader("location") or ""


def test_a_run_outlives_the_console_that_started_it(tmp_path: Path) -> None:
    port = own_ports()
    console = ConsoleProcess(tmp_path / "runs", port, tmp_path / "state")
    browser = Browser(port)
    try:
        browser.post("/login", code=console.link.partition("code=")[2], name="Anna")
        token = re.search(r'name="csrf" value="([^"]+)"', browser.get("/new"))
        assert token is not None
        place = browser.post("/new/start", csrf=token[1], study=STUDY)
    finally:
        console.process.terminate()
        assert console.end() == 0
    store = Store(tmp_path / "runs")
    deadline_s = time.monotonic() + PATIENCE_S
    # On a busy machine it still prepares when the console ends.
    while not (going_on := active_runs(store.path)) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    (run,) = going_on
    assert place in (f"/runs/{run}", "/new/preparing")
    stop(run, store, patience_s=PATIENCE_S)
    assert Run(store.path / run).read_record().outcome == "interrupted"
