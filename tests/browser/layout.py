"""Where the parts of a page stand, and in which colours, held against what was looked at by eye.

Not pixels: those are of the fonts that a machine has. A part may be somewhat elsewhere, or larger, for the
same reason; one that is gone, fills another place or has lost its style is not.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

KNOWN = Path(__file__).with_name("layout.json")
PAGES = (
    "/?q=workload:oltp",
    "/new?workload=oltp",
    "/runs/oltp-sqlite",
    "/queue",
    "/datacenter",
    "/tools/tunables",
)
PARTS = (
    *("header.bar", ".brand", "header nav", "main", "h1", "main form", "main input", "main button"),
    *("main fieldset", "main .panel", "main .actions", "main table", "main thead", "main svg", "footer"),
)
COLOURED = {"body": "background-color", "h1": "color", "header nav a": "color", "main .panel": "border-color"}
LEAST_PX, SHARE = 24, 0.2
"""A part may differ by this much, or by this share of what it was."""
MEASURE = """([parts, coloured]) => {
  const box = (part) => {
    const found = document.querySelector(part);
    if (!found) return null;
    const { x, y, width, height } = found.getBoundingClientRect();
    return [x, y + scrollY, width, height].map(Math.round);
  };
  const colour = ([part, name]) => {
    const found = document.querySelector(part);
    return found && getComputedStyle(found).getPropertyValue(name);
  };
  return {
    boxes: Object.fromEntries(parts.map((part) => [part, box(part)])),
    colours: Object.fromEntries(Object.entries(coloured).map((each) => [each[0], colour(each)])),
  };
}"""


def check_layout(page: Page, path: str, theme: str) -> None:
    """Fails where the page stands otherwise; with `IGEN_UPDATE_SNAPSHOTS=1` it becomes known as it is."""
    found = page.evaluate(MEASURE, [PARTS, COLOURED])
    known: dict[str, Any] = json.loads(KNOWN.read_text(encoding="utf-8")) if KNOWN.exists() else {}
    if os.environ.get("IGEN_UPDATE_SNAPSHOTS"):
        there = known.setdefault(path, {"boxes": {}, "colours": {}})
        there["boxes"] = {part: box for part, box in found["boxes"].items() if box}
        there["colours"][theme] = found["colours"]
        text = json.dumps(known, indent=1, sort_keys=True)
        # A box is a line.
        KNOWN.write_text(_joined(text), encoding="utf-8")
        return
    assert differences(known[path], found, theme) == [], f"{path}, {theme}"


def differences(known: dict[str, Any], found: dict[str, Any], theme: str) -> list[str]:
    """What stands otherwise than it is known to, in words."""
    told = [
        f"{part}: {known['boxes'].get(part)} became {box}"
        for part, box in found["boxes"].items()
        if (box is None) != (part not in known["boxes"]) or (box and not _alike(known["boxes"][part], box))
    ]
    colours = known["colours"][theme]
    return told + [
        f"{part}: {colours[part]} became {colour}"
        for part, colour in found["colours"].items()
        if colours[part] != colour
    ]


def _alike(known: list[int], found: list[int]) -> bool:
    return all(abs(old - new) <= max(LEAST_PX, SHARE * old) for old, new in zip(known, found, strict=True))


def _joined(text: str) -> str:
    lines: list[str] = []
    for line in text.splitlines():
        inside = lines and lines[-1].count("[") > lines[-1].count("]")
        if inside:
            lines[-1] += line.strip()
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"
