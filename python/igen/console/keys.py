"""Signed words for sessions, tokens of forms and shared links, which need the key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Literal

import msgspec

from igen.errors import IgenError

Role = Literal["read", "run"]
KEY_BYTES = 32
CODE_BYTES = 16


class Signer:
    """Signs and reads values, each for one purpose: a word is not valid for another purpose."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def sign(self, purpose: str, value: object, expires_unix_s: float) -> str:
        """Return a word of letters, digits, `-`, `_` and a dot with the value and its expiry time."""
        content = base64.urlsafe_b64encode(msgspec.json.encode([value, int(expires_unix_s)]))
        return f"{content.decode().rstrip('=')}.{self._mark(purpose, content.rstrip(b'='))}"

    def read(self, purpose: str, word: str, now_unix_s: float) -> object | None:
        """Return the value; None if the word is forged, for another purpose, or expired."""
        found = self.read_with_end(purpose, word, now_unix_s)
        return None if found is None else found[0]

    def read_with_end(self, purpose: str, word: str, now_unix_s: float) -> tuple[object, int] | None:
        """Return the value and its expiry as Unix time in seconds."""
        content, _, mark = word.partition(".")
        if not hmac.compare_digest(mark.encode(), self._mark(purpose, content.encode()).encode()):
            return None
        padded = content + "=" * (-len(content) % 4)
        value, expires_unix_s = msgspec.json.decode(base64.urlsafe_b64decode(padded), type=tuple[object, int])
        return (value, expires_unix_s) if now_unix_s < expires_unix_s else None

    def token(self, purpose: str, of: str) -> str:
        """Return a token that belongs to a text, such as the token of forms to a session."""
        return self._mark(purpose, of.encode())

    def _mark(self, purpose: str, content: bytes) -> str:
        digest = hmac.digest(self._key, purpose.encode() + b"\0" + content, hashlib.sha256)
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def signer_for(store: Path, *, new_key: bool) -> Signer:
    """What the consoles of one store sign with, over restarts; those of another store do not know it.

    It comes from the key of this user and the place of the store. Raises `IgenError`.
    """
    place = os.fsencode(store.resolve())
    return Signer(hmac.digest(read_key(key_file(), new=new_key), place, hashlib.sha256))


def same(given: str, expected: str) -> bool:
    """Return True if two secrets are equal, in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())


def new_code() -> str:
    """Return a random secret of 128 bits."""
    return secrets.token_urlsafe(CODE_BYTES)


def key_file() -> Path:
    """Return the file with the key of this user's consoles, from which keys of stores are derived."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "igen" / "console.key"


def read_key(path: Path, *, new: bool) -> bytes:
    """The key in a file that only its owner may read; made where there is none, or a `new` one is asked for.

    A new one ends all sessions and all shared links. Raises `IgenError`.
    """
    try:
        if new:
            path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
        key = path.read_bytes()
        others = path.stat().st_mode & 0o077
    except OSError as error:
        hint = "set XDG_STATE_HOME to a folder that you may write to"
        raise IgenError(f"cannot store a key: {error.strerror}", where=str(path), hint=hint) from error
    if len(key) != KEY_BYTES or others:
        hint = "`igen console --new-key` writes a new key, which ends all sessions and shared links"
        raise IgenError("is not a key, or other users may read it", where=str(path), hint=hint)
    return key
