"""What Chromium asked Tryton for while a user of its web client worked, as `record.py` wrote it.

Bodies of what is not ours, such as views and scripts, are left out, and what was secret is another value.
"""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path
from typing import Any

from igen.instances.tryton_data import PASSWORD
from tests.har.browser import Browser

PACKED = Path(__file__).parent / "recordings" / "tryton.har.xz"
USER = "user3"
SCRUBBED_PASSWORD = "made-up-pw"
LONGEST = 6_000
"""Longer bodies are views."""
SESSION = re.compile(r"(?<=:)[0-9a-f]{64}\b")


def write_tryton_recording(path: Path) -> Path:
    """Writes the recording to a file of the test's own."""
    path.write_bytes(lzma.decompress(PACKED.read_bytes()))
    return path


def use_tryton(browser: Browser, origin: str) -> None:
    """Signs in, lists the parties, opens one and renames it: with pauses, as people do."""

    def do(script: str) -> None:
        browser.run(script)
        browser.rest(2.0)

    browser.go(f"{origin}/")
    browser.rest(2.0)
    do(f"jQuery('#login').val('{USER}').trigger('change'); jQuery('.modal form').submit()")
    field = "jQuery('.modal input[type=password]')"
    do(f"{field}.val('{PASSWORD}').trigger('change'); {field}.closest('form').submit()")
    do("jQuery('#menu tbody tr').first().find('.expander').first().click()")
    entry = "jQuery('#menu tbody tr').filter((_, row) => row.innerText.trim() == 'Parties').last()"
    do(f"{entry}.find('td').last().click()")
    do("jQuery('#tabcontent tbody tr').eq(3).find('td').last().dblclick()")
    do(
        "const name = jQuery('#tabcontent input[name=name]:visible').first();"
        "name.focus(); name.val('Renamed & Co').trigger('input').trigger('change'); name.blur()"
    )
    do("jQuery('#tabcontent button#save:visible').first().click()")


def packed(har: dict[str, Any]) -> bytes:
    """The recording without what is not ours, and without secrets."""
    entries = [each for each in har["log"]["entries"] if each["request"]["url"].startswith("http")]
    for entry in entries:
        content = entry["response"]["content"]
        title = re.search(r"<title>[^<]*</title>", content.get("text", ""))
        if title is not None:
            content["text"] = title[0]
        elif not entry["request"]["url"].endswith(("/rpc/", "/session/login")) or (
            len(content.get("text", "")) > LONGEST
        ):
            content.pop("text", None)
    har["log"]["entries"] = entries
    text = json.dumps(har, separators=(",", ":")).replace(PASSWORD, SCRUBBED_PASSWORD)
    return lzma.compress(SESSION.sub("5c" * 32, text).encode(), preset=9 | lzma.PRESET_EXTREME)
