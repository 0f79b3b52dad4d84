"""Recordings of a test's own, in few words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from igen.har.convert import Converted, Options, convert

ORIGIN = "http://app.lab"
FORM = "application/x-www-form-urlencoded"


def pairs(values: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]


def entry(
    at_s: float,
    what: str,
    text: str = "",
    mime: str = "text/html",
    *,
    status: int = 200,
    sent: str | None = None,
    sent_as: str = FORM,
    headers: dict[str, str] | None = None,
    answered: dict[str, str] | None = None,
    page: str | None = None,
    to: str = "",
    **more: Any,
) -> dict[str, Any]:
    """`GET /path` at that second, for a tenth of a second, and its answer."""
    method, _, url = what.partition(" ")
    request: dict[str, Any] = {
        "method": method,
        "url": url if "://" in url or ":" in url.split("/")[0] else ORIGIN + url,
        "headers": pairs(headers or {}),
    }
    if sent is not None:
        request["postData"] = {"mimeType": sent_as, "text": sent}
    minutes, seconds = divmod(at_s, 60)
    return {
        "startedDateTime": f"2026-03-01T10:{minutes:02.0f}:{seconds:06.3f}Z",
        "time": 100,
        **({"pageref": page} if page else {}),
        "request": request,
        "response": {
            "status": status,
            "headers": pairs(answered or {}),
            "content": {"size": len(text), "mimeType": mime, "text": text},
            "redirectURL": to,
        },
        **more,
    }


def har(
    *entries: dict[str, Any], pages: dict[str, str] | None = None, version: str = "1.2"
) -> dict[str, Any]:
    log: dict[str, Any] = {"version": version, "entries": list(entries)}
    if pages is not None:
        log["pages"] = [{"id": name, "title": title} for name, title in pages.items()]
    return {"log": log}


def converted(
    folder: Path, *entries: dict[str, Any], options: Options | None = None, **more: Any
) -> Converted:
    """The scenario of a recording of these entries."""
    path = folder / "recorded.har"
    path.write_text(json.dumps(har(*entries, **more)), encoding="utf-8")
    return convert(path, options or Options())
