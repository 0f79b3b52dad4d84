"""A real Chromium that is driven over its DevTools protocol, and what it records: as its own export does."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

PROGRAM = Path("/usr/bin/chromium")
PATIENCE_S = 60.0
QUIET_S = 0.3
"""A page is there when nothing has gone over the line for so long."""
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
    ),
    "--remote-debugging-pipe",
    # Whatever an application asks of others: nobody but this machine is reached.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


class Browser:
    """A browser with one tab; use it as a context."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="igen-chromium-", ignore_cleanup_errors=True)
        # It reads commands from descriptor 3 and writes answers and events to 4, each ended by a NUL.
        commands, self._out = os.pipe()
        self._in, told = os.pipe()
        line = f'exec "$0" "$@" 3<&{commands} 4>&{told}'
        self._process = subprocess.Popen(
            ["bash", "-c", line, str(PROGRAM), *_FLAGS, f"--user-data-dir={self._folder.name}"],
            pass_fds=(commands, told),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(told)
        os.set_blocking(self._in, False)
        self._number, self._left, self._session = 0, b"", ""
        self._answers: dict[int, dict[str, Any]] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        """Entries under way and done, by the browser's number of the request and of the redirect."""
        self.pages: list[dict[str, Any]] = []
        self._headers: dict[str, list[dict[str, Any]]] = {}
        self._answer_headers: dict[str, list[dict[str, Any]]] = {}
        self._events: deque[dict[str, Any]] = deque()
        self._last_s = time.monotonic()
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Network", "Page", "Runtime"):
            self._ask(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_S)
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()

    def go(self, url: str) -> None:
        """Goes to a page, and waits until it is there."""
        self._ask("Page.navigate", url=url)
        self.rest()

    def run(self, script: str) -> Any:
        """Runs a script in the page, and waits until nothing comes any more."""
        value = self._ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        self.rest()
        return value["result"].get("value")

    def rest(self, quiet_s: float = QUIET_S) -> None:
        """Waits until nothing has gone over the line for so long, and nothing is under way."""
        began_s = self._last_s = time.monotonic()
        while time.monotonic() - self._last_s < quiet_s or self._under_way():
            assert time.monotonic() - began_s < PATIENCE_S, self._under_way()
            self._read(0.02)
            self._handle()

    def har(self) -> dict[str, Any]:
        """All that was recorded."""
        entries = [each for each in self.entries.values() if each.pop("_done", False)]
        entries.sort(key=lambda each: each["startedDateTime"])
        creator = {"name": "WebInspector", "version": "537.36"}
        return {"log": {"version": "1.2", "creator": creator, "pages": self.pages, "entries": entries}}

    def _under_way(self) -> list[str]:
        return [each["request"]["url"] for each in self.entries.values() if not each.get("_done")]

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline_s = time.monotonic() + PATIENCE_S
        while number not in self._answers:
            assert time.monotonic() < deadline_s, method
            self._read(0.02)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _read(self, pause_s: float) -> None:
        try:
            self._left += os.read(self._in, 1 << 20)
        except BlockingIOError:
            time.sleep(pause_s)
        *messages, self._left = self._left.split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self._answers[message["id"]] = message
            elif message["method"] in self._HANDLERS:
                self._last_s = time.monotonic()
                self._events.append(message)

    def _handle(self) -> None:
        """Takes note of what was told; a handler may ask, and events come meanwhile."""
        while self._events:
            event = self._events.popleft()
            self._HANDLERS[event["method"]](self, event["params"])

    def _asked(self, told: dict[str, Any]) -> None:
        number = told["requestId"]
        if redirect := told.get("redirectResponse"):
            entry = self.entries.pop(number)
            self._answered(entry, redirect, number)
            self._finish(entry, told["timestamp"])
            entry["response"]["redirectURL"] = _header(entry["response"]["headers"], "location")
            self.entries[f"{number} {len(self.entries)}"] = entry
        request, kind = told["request"], told.get("type", "other").lower()
        if kind == "document" and told["loaderId"] == number and not redirect:
            self.pages.append(
                {"startedDateTime": _moment(told["wallTime"]), "id": f"page_{len(self.pages) + 1}",
                 "title": request["url"], "pageTimings": {}}
            )  # fmt: skip
        post = request.get("postData")
        entry = {
            "pageref": self.pages[-1]["id"] if self.pages else "page_0",
            "startedDateTime": _moment(told["wallTime"]),
            "time": 0.0,
            "_resourceType": kind,
            "request": {
                "method": request["method"],
                "url": request["url"],
                "httpVersion": "HTTP/1.1",
                "headers": _pairs(request["headers"]),
                "queryString": [],
                "cookies": [],
                "headersSize": -1,
                "bodySize": len(post or ""),
            },
            "response": {"status": 0, "headers": [], "cookies": [], "content": {"size": 0, "mimeType": ""}},
            "cache": {},
            "timings": {"send": 0, "wait": 0, "receive": 0},
            "_began_s": told["timestamp"],
        }
        if post is not None:
            mime = _header(entry["request"]["headers"], "content-type")
            entry["request"]["postData"] = {"mimeType": mime, "text": post}
        self.entries[number] = entry

    def _asked_with(self, told: dict[str, Any]) -> None:
        self._headers.setdefault(told["requestId"], []).append(told["headers"])

    def _answered_with(self, told: dict[str, Any]) -> None:
        self._answer_headers.setdefault(told["requestId"], []).append(told["headers"])

    def _came(self, told: dict[str, Any]) -> None:
        if entry := self.entries.get(told["requestId"]):
            self._answered(entry, told["response"], told["requestId"])

    def _answered(self, entry: dict[str, Any], told: dict[str, Any], number: str) -> None:
        """Status and headers, those with cookies where the browser tells them apart."""
        entry["response"] |= {
            "status": told["status"],
            "statusText": told["statusText"],
            "httpVersion": "HTTP/1.1",
            "headers": _pairs(told["headers"]),
            "redirectURL": "",
            "content": {"size": 0, "mimeType": told["mimeType"]},
        }
        if told.get("fromDiskCache") or entry.get("_fromCache"):
            entry["_fromCache"] = "disk" if told.get("fromDiskCache") else "memory"
        if sent := self._headers.get(number):
            entry["request"]["headers"] = _pairs(sent.pop(0))
        if came := self._answer_headers.get(number):
            entry["response"]["headers"] = _pairs(came.pop(0))

    def _from_memory(self, told: dict[str, Any]) -> None:
        if entry := self.entries.get(told["requestId"]):
            entry["_fromCache"] = "memory"

    def _finished(self, told: dict[str, Any]) -> None:
        if entry := self.entries.get(told["requestId"]):
            with contextlib.suppress(RuntimeError):
                body = self._ask("Network.getResponseBody", requestId=told["requestId"])
                size = len(body["body"].encode()) * (3 if body["base64Encoded"] else 4) // 4
                entry["response"]["content"] |= {"size": size, "text": body["body"]}
                if body["base64Encoded"]:
                    entry["response"]["content"]["encoding"] = "base64"
            self._finish(entry, told["timestamp"])

    def _failed(self, told: dict[str, Any]) -> None:
        if entry := self.entries.get(told["requestId"]):
            entry["response"]["_error"] = told["errorText"]
            self._finish(entry, told["timestamp"])

    def _finish(self, entry: dict[str, Any], ended_s: float) -> None:
        entry["time"] = round(1e3 * (ended_s - entry.pop("_began_s", ended_s)), 3)
        entry["_done"] = True

    _HANDLERS: dict[str, Callable[..., None]] = {  # noqa: RUF012
        "Network.requestWillBeSent": _asked,
        "Network.requestWillBeSentExtraInfo": _asked_with,
        "Network.responseReceived": _came,
        "Network.responseReceivedExtraInfo": _answered_with,
        "Network.requestServedFromCache": _from_memory,
        "Network.loadingFinished": _finished,
        "Network.loadingFailed": _failed,
    }


def _pairs(headers: dict[str, str]) -> list[dict[str, str]]:
    return [
        {"name": name, "value": line}
        for name, value in headers.items()
        for line in (value.split("\n") if name.lower() == "set-cookie" else [value])
    ]


def _header(headers: list[dict[str, str]], name: str) -> str:
    return next((each["value"] for each in headers if each["name"].lower() == name), "")


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
