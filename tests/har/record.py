"""`python -m tests.har.record` writes recordings/shop.har.gz anew: what Chromium asks the shop for.

`python -m tests.har.record --tryton FOLDER` writes recordings/tryton.har.xz. FOLDER holds its client, where
anybody may read it: what `npm pack tryton-sao@8.0.11` gets, unpacked, and in it `npm install --omit=dev
--legacy-peer-deps --ignore-scripts`. It takes `igen install tryton`, too.

`python -m tests.har.record --superset URL` writes recordings/superset.har.xz, of a Superset with a dashboard
that somebody has started, with the user and the password that `superset_recording.py` names.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from igen.agent_program import find_agent
from igen.instances import control
from tests.har import superset_recording
from tests.har.browser import Browser
from tests.har.shop_recording import PACKED
from tests.har.tryton_recording import PACKED as TRYTON
from tests.har.tryton_recording import packed, use_tryton

PORT = 14080
"""The shop's usual one, so that recordings differ in little."""


def use_shop(browser: Browser, origin: str) -> None:
    """Signs in, looks for a product, edits it, reads the dashboard: with pauses, as people do."""
    browser.go(f"{origin}/login")
    browser.rest(1.5)
    for name, value in (("user", "ann"), ("password", "shop")):
        browser.run(f"document.querySelector('[name={name}]').value='{value}'")
    browser.run("document.querySelector('form[action=\"/login\"] button').click()")
    browser.rest(1.5)
    browser.run("document.querySelector('nav a[href^=\"/search\"]').click()")
    browser.rest(1.5)
    browser.run("document.querySelector('a[href^=\"/product/\"]').click()")
    browser.rest(1.5)
    browser.run("document.querySelector('a[href$=\"/edit\"]').click()")
    browser.rest(1.5)
    browser.run(
        "document.querySelector('[name=note]').value='looked at by Ann & co: 100 % {fine}';"
        "document.querySelector('form[action$=\"/edit\"] button').click()"
    )
    browser.rest(1.5)
    browser.run("document.querySelector('nav a[href=\"/dashboard\"]').click()")
    browser.rest(1.5)


def smaller(har: dict[str, Any]) -> dict[str, Any]:
    """The recording without what is in the files that pages embed."""
    for entry in har["log"]["entries"]:
        if "/static/" in entry["request"]["url"]:
            entry["response"]["content"].pop("text", None)
    return har


def record_tryton(client: Path) -> None:
    """Starts a Tryton with its web client, records, and writes."""
    with TemporaryDirectory(dir="/var/tmp") as name, Browser() as browser:
        folder = Path(name)
        folder.chmod(0o755)
        wish = control.Wish(settings={"web.root": str(client.resolve())})
        (instance,) = control.up("tryton", 1, folder, wish=wish, say=print)
        try:
            use_tryton(browser, control.target(instance))
        finally:
            control.remove(instance)
        TRYTON.write_bytes(packed(browser.har()))
    print(f"{TRYTON.name}: {TRYTON.stat().st_size:,} bytes")


def main() -> int:
    """Starts what is recorded, records, and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tryton", metavar="FOLDER", type=Path, help="Tryton with this client, not the shop")
    parser.add_argument("--superset", metavar="URL", help="this Superset, not the shop")
    given = parser.parse_args()
    if given.tryton is not None:
        record_tryton(given.tryton)
        return 0
    if given.superset is not None:
        with Browser() as browser:
            superset_recording.use_superset(browser, given.superset)
            superset_recording.PACKED.write_bytes(superset_recording.packed(browser.har()))
        return 0
    with TemporaryDirectory() as folder, Browser() as browser:
        command = [str(find_agent()), "serve", "shop", f"--listen=127.0.0.1:{PORT}", f"--directory={folder}"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as shop:
            assert shop.stdout is not None
            assert shop.stdout.readline()
            try:
                use_shop(browser, f"http://127.0.0.1:{PORT}")
            finally:
                shop.terminate()
        text = json.dumps(smaller(browser.har()), indent=1, ensure_ascii=False)
    PACKED.write_bytes(gzip.compress(f"{text}\n".encode(), mtime=0))
    print(f"{len(text) / 1024:.0f} KiB, {text.count('startedDateTime')} entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
