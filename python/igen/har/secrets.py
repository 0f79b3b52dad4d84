"""Secrets of a recording, and their placeholders in a scenario."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from igen.har.answers import cookies_of
from igen.har.encodings import LEAST_CHARACTERS, forms_of, views_of
from igen.har.exchange import Exchange
from igen.har.fields import Draft, Field
from igen.har.json_text import leaves_of
from igen.har.secret_names import has_secret_shape, is_perhaps_secret, is_secret_field, looks_like_an_id

_LONGEST_NAME = 40
_WORD = re.compile(r"[A-Za-z][a-z]{0,15}")
_INPUT = re.compile(r"<(?:input|meta)\b[^>]{0,2000}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A secret of the scenario."""

    name: str
    where: str
    """The first request with this secret, for messages."""

    @property
    def variable(self) -> str:
        """Environment variable from which the load reads it."""
        return f"IGEN_{self.name.upper()}"


@dataclass
class Secrets:
    """All secrets of a recording."""

    values: set[str] = field(default_factory=set)
    placeholders: dict[str, Placeholder] = field(default_factory=dict)
    """Secrets that the scenario needs, by value."""
    _forms: set[str] = field(default_factory=set)
    _known: dict[str, bool] = field(default_factory=dict)

    def add(self, value: str) -> None:
        """One more."""
        if value and value not in self.values:
            self.values.add(value)
            self._known.clear()
            if len(value) >= LEAST_CHARACTERS:
                forms = set(forms_of(value))
                # A word such as `password` is in names too, which tell nobody that it is a password.
                self._forms |= forms - {value} if _WORD.fullmatch(value) else forms

    def tells(self, text: str) -> bool:
        """Return True if a text contains a secret, except secrets that are short or common."""
        known = self._known.get(text)
        if known is None:
            views = views_of(text)
            known = self._known[text] = any(form in view for form in self._forms for view in views)
        return known

    def has(self, value: Field) -> bool:
        """Whether a value is one of them, by its place or by what it is, or tells one.

        A part of a path is a name, which may be that of a short secret without telling it.
        """
        is_one = is_secret(value) or (value.kind != "path" and value.value in self.values)
        return is_one or self.tells(value.value)

    def without(self, text: str) -> str:
        """Return a text for messages, with an ellipsis in place of secrets."""
        return "…" if self.tells(text) else text

    def hide(self, value: Field, where: str) -> None:
        """Replace a value by a placeholder."""
        known = self.placeholders.get(value.value)
        if known is None:
            taken = {each.name for each in self.placeholders.values()}
            name = base = _name(self.without(value.name))
            number = 2
            while name in taken:
                name, number = f"{base}_{number}", number + 1
            known = self.placeholders[value.value] = Placeholder(name, where)
        value.hole = f"secret.{known.name}"


def secrets_of(exchanges: Iterable[Exchange], drafts: Iterable[Draft]) -> Secrets:
    """Return all secrets of these exchanges, also of answers and of requests outside the scenario."""
    secrets = Secrets()
    for exchange in exchanges:
        for value in _of_exchange(exchange):
            secrets.add(value)
    for each in (each for draft in drafts for each in draft.values()):
        if is_secret(each):
            # Nobody knows how a text of any kind is encoded.
            for value in views_of(each.value) if each.kind == "body" else [each.value]:
                secrets.add(value)
    return secrets


def is_secret(value: Field) -> bool:
    """Return True if a value is a secret by the name of its place, or by its shape."""
    is_named = value.kind != "path" or bool(value.before)
    if is_named and (is_secret_field(value.name) or is_perhaps_secret(value.name, value.value)):
        return True
    return has_secret_shape(value.value)


def _of_exchange(exchange: Exchange) -> Iterator[str]:
    for name, value in exchange.headers:
        if name.lower() == "cookie":
            pairs = (pair.partition("=") for pair in value.split(";"))
            for value in [own.strip() for _, _, own in pairs if _is_of_a_session(own.strip())]:
                yield from (value, unquote(value))
        elif is_secret_field(name) or has_secret_shape(value):
            yield from _credentials(value)
    answer = exchange.answer
    for _, value in [*exchange.cookies, *answer.cookies]:
        if _is_of_a_session(value):
            yield from (value, unquote(value))
    for name, value in answer.headers:
        if name.lower() == "set-cookie":
            for _, own in cookies_of([(name, value)]):
                if _is_of_a_session(own):
                    yield from (own, unquote(own))
        elif is_secret_field(name) or has_secret_shape(value):
            yield value
    if exchange.url.password:
        yield exchange.url.password
    yield from _of_answer(exchange)


def _is_of_a_session(value: str) -> bool:
    """Return True if the value of a cookie is more than a setting, such as a language."""
    return looks_like_an_id(value, "session")


def _credentials(value: str) -> Iterator[str]:
    """Yield the secrets of a header: everything after its scheme, and the password of Basic (RFC 7617)."""
    scheme, _, rest = value.strip().partition(" ")
    yield rest.strip() or scheme
    if scheme.lower() == "basic":
        try:
            yield base64.b64decode(rest, validate=False).decode("utf-8").partition(":")[2]
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return


def _of_answer(exchange: Exchange) -> Iterator[str]:
    """Yield tokens in answers: in JSON and in forms."""
    mime = exchange.answer.mime
    if "json" in mime:
        try:
            leaves = list(leaves_of(exchange.answer.text))
        except ValueError:
            return
        yield from (
            value for _, name, value in leaves if is_secret_field(name) and len(value) >= LEAST_CHARACTERS
        )
    elif mime == "text/html":
        for element in _INPUT.findall(exchange.answer.text):
            found = {it[0].lower(): it[1] or it[2] or it[3] for it in _ATTRIBUTE.findall(element)}
            value = found.get("value") or found.get("content") or ""
            if is_secret_field(found.get("name", "")) and len(value) >= LEAST_CHARACTERS:
                yield value


def _name(text: str) -> str:
    """Return the name of a secret: a word of small letters."""
    words = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:_LONGEST_NAME].strip("_")
    return words if words[:1].isalpha() else f"secret_{words}".rstrip("_")
