"""Values within a request, each of which may become a hole of the scenario, and the text around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

Kind = Literal["path", "query", "form", "json", "header", "body"]
_HOLE = re.compile(r"\{([A-Za-z][A-Za-z0-9_.-]*)\}")


@dataclass(slots=True)
class Field:
    """A value."""

    kind: Kind
    name: str
    """That of the field; where it is a part of a path, what stands before it."""
    value: str
    """As it is meant, without encoding."""
    raw: str
    """As it stands in the request."""
    before: str = ""
    """What stands before it within the same text, as it does in the request: `Bearer `."""
    is_text: bool = True
    """In JSON: whether it is a string, and no number."""
    hole: str = ""
    """What the scenario has in its place: a variable, or `secret.NAME`."""

    @property
    def where(self) -> str:
        """Where it is, for people."""
        return f"{'part of the path behind' if self.kind == 'path' else self.kind} {self.name}".strip()


Piece = str | Field


@dataclass(slots=True)
class Body:
    """The body of a request."""

    kind: Literal["form", "json", "body"]
    fields: list[Field]
    """Those of a form."""
    pieces: list[Piece]
    """The text of JSON and of anything else, with its values."""

    def values(self) -> Iterator[Field]:
        """All of its values."""
        yield from self.fields
        yield from (piece for piece in self.pieces if isinstance(piece, Field))


@dataclass(slots=True)
class Draft:
    """A request as pieces of text and values."""

    url: list[Piece]
    headers: list[Field]
    body: Body | None

    def values(self) -> Iterator[Field]:
        """All values, in the order in which a request has them."""
        yield from (piece for piece in self.url if isinstance(piece, Field))
        yield from self.headers
        if self.body is not None:
            yield from self.body.values()


def written(pieces: list[Piece]) -> str:
    """A text of the scenario: holes are braces, and its own braces are doubled where they look like holes."""
    texts: list[tuple[str, bool]] = []
    for piece in pieces:
        if isinstance(piece, str):
            texts.append((piece, False))
        elif piece.hole:
            quoted = '"' if piece.kind == "json" and piece.is_text else ""
            texts += [(quoted + piece.before, False), (piece.hole, True), (quoted, False)]
        else:
            texts.append((piece.before + piece.raw, False))
    plain, out = "", []
    for text, is_hole in texts:
        if is_hole:
            out += [literal(plain), f"{{{text}}}"]
            plain = ""
        else:
            plain += text
    return "".join([*out, literal(plain)])


def literal(text: str) -> str:
    """A text that has no holes, as it stands in a scenario."""
    return _HOLE.sub(r"{{\1}}", text)


def path_bytes(text: str) -> str:
    """Text of a path or query as it may stand in a scenario, without braces and what is no visible ASCII."""
    return quote(text, safe="!\"$%&'()*+,-./:;<=>?@[\\]^_`|~")
