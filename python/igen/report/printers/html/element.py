"""HTML elements as values. What is not made here is text and is escaped: nothing else writes a `<`."""

from __future__ import annotations

import html


class Html(str):
    """Finished markup."""

    __slots__ = ()


def safe(text: str) -> Html:
    """The text as markup: itself if it is markup already, escaped otherwise."""
    return text if isinstance(text, Html) else Html(html.escape(text))


def join(*parts: str) -> Html:
    """Several parts one after another."""
    return Html("".join(safe(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: str | bool) -> Html:
    """An element; `class_` stands for `class`.

    An attribute that is True is written without a value, one that is False is left out.
    """
    opening = name
    for key, value in attributes.items():
        if value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        opening += f" {key}" if value is True else f' {key}="{html.escape(str(value))}"'
    if name in ("meta", "br", "col"):
        return Html(f"<{opening}>")
    return Html(f"<{opening}>{join(*children)}</{name}>")
