"""`python -m tests.har.record` writes recordings/shop.har.gz anew: what Chromium asks the shop for."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any

from igen.agent_program import find_agent
from tests.har.browser import Browser
from tests.har.shop_recording import PACKED

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


def main() -> int:
    """Starts a shop, records, and writes."""
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
