"""What Chromium asked Apache Superset for, as `record.py` wrote it.

Of pages only title and CSRF token are left, and of what they embed nothing; what was secret is another value.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from pathlib import Path
from typing import Any

from tests.har.browser import Browser

PACKED = Path(__file__).parent / "recordings" / "superset.har.xz"
USER, PASSWORD = "admin", "shop-floor"
"""Who signs in to the Superset that is recorded."""
SCRUBBED_PASSWORD = "made-up-pw"
LONGEST = 3_000
"""Longer bodies are left out."""
KEPT = re.compile(r"<title>[^<]*</title>|<input[^>]*csrf_token[^>]*>")
TOKEN = re.compile(r'(?<=value=")I\w[\w.-]{40,}(?=")')
SESSION = re.compile(r"(?<=session=)[\w.-]{20,}")


def write_superset_recording(path: Path) -> Path:
    """Writes the recording to a file of the test's own."""
    path.write_bytes(lzma.decompress(PACKED.read_bytes()))
    return path


def use_superset(browser: Browser, origin: str) -> None:
    """Signs in, looks at what is there, opens a dashboard: with pauses, as people do."""
    browser.go(f"{origin}/login/")
    browser.rest(2.5)
    own = "Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set"
    for name, value in (("username", USER), ("password", PASSWORD)):
        field = f"document.getElementById('{name}')"
        browser.run(
            f"{own}.call({field}, '{value}'); {field}.dispatchEvent(new Event('input', {{bubbles: true}}))"
        )
    browser.run("document.querySelector('[data-test=login-button]').click()")
    browser.rest(3.0)
    for path in ("/dashboard/list/", "/chart/list/", "/superset/dashboard/1/"):
        browser.go(f"{origin}{path}")
        browser.rest(3.0)


def packed(har: dict[str, Any]) -> bytes:
    """The recording without what is not ours, and without secrets."""
    for entry in har["log"]["entries"]:
        content = entry["response"]["content"]
        text = content.pop("text", "")
        if "html" in content["mimeType"]:
            content["text"] = "".join(KEPT.findall(text))
        elif "/static/" not in entry["request"]["url"] and len(text) <= LONGEST:
            content["text"] = text
    found = json.dumps(har, separators=(",", ":")).replace('\\"', "\x00")
    tokens = set(TOKEN.findall(found.replace("\x00", '"'))) | set(SESSION.findall(found))
    text = found.replace("\x00", '\\"').replace(PASSWORD, SCRUBBED_PASSWORD)
    for token in sorted(tokens, key=len, reverse=True):
        text = text.replace(token, made_up(token))
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


def made_up(token: str) -> str:
    """Another one of the same length, the same for the same."""
    digest = hashlib.sha256(token.encode()).hexdigest()
    return ("Im5c" + digest * (1 + len(token) // len(digest)))[: len(token)]
