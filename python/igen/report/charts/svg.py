"""Elements of SVG as text: escaped, and with numbers to a tenth of a pixel.

Format: https://www.w3.org/TR/SVG11/
"""

from __future__ import annotations

from html import escape

Attribute = str | float | None
"""None is left out."""


def element(name: str, content: str = "", **attributes: Attribute) -> str:
    """An element; `content` is markup already. An underscore in the name of an attribute is a hyphen."""
    written = "".join(
        f' {key.replace("_", "-")}="{value(each)}"' for key, each in attributes.items() if each is not None
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def value(attribute: str | float) -> str:
    """What stands between the quotes."""
    return escape(attribute) if isinstance(attribute, str) else number(attribute)


def words(text: str) -> str:
    """A text as the content of an element."""
    return escape(text, quote=False)


def number(pixels: float) -> str:
    """`12.3`, `12` for 12.0."""
    return f"{round(pixels, 1) + 0.0:.1f}".removesuffix(".0")


def turned(degrees: float, x: float, y: float) -> str:
    """A transformation that moves to a place and turns there."""
    return f"translate({number(x)},{number(y)}) rotate({number(degrees)})"
