"""Limit on wrong secrets at the login, per address: a client cannot use up the tries of another client."""

from __future__ import annotations

from typing import NamedTuple

MOST_TRIES = 5
"""Most wrong secrets from an address within a minute."""
MOST_TRIES_OF_ALL = 500
"""Most wrong secrets from all addresses: at this rate, 16 hexadecimal digits take 10^10 years."""
WITHIN_S = 60.0


class Tries:
    """The wrong secrets of the last minute."""

    def __init__(self) -> None:
        self._wrong: list[_Wrong] = []

    def are_left(self, address: str, now_unix_s: float) -> bool:
        """Return True if this address may try a secret that a person chose."""
        # If the clock was set back, tries lie in the future: they do not count any more.
        self._wrong = [each for each in self._wrong if 0 <= now_unix_s - each.unix_s < WITHIN_S]
        own = sum(each.address == address for each in self._wrong)
        return own < MOST_TRIES and len(self._wrong) < MOST_TRIES_OF_ALL

    def add_wrong(self, address: str, now_unix_s: float) -> None:
        """Count a wrong secret."""
        self._wrong.append(_Wrong(address, now_unix_s))


class _Wrong(NamedTuple):
    address: str
    unix_s: float
