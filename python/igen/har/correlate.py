"""Variables of the scenario: values of an answer that a later request sends."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from igen.har import toml_text as toml
from igen.har.answers import Place, any_of_several, may_tell, occurs_at, place_of
from igen.har.exchange import Exchange
from igen.har.fields import Draft, Field
from igen.har.secret_names import LEAST_CHARACTERS, is_typed_secret, looks_like_an_id
from igen.har.secrets import Secrets

_LONGEST_NAME = 32
UNNAMED = "extracted"
"""Name of a variable before all are known."""


@dataclass(slots=True)
class Step:
    """A request of the scenario."""

    draft: Draft
    hops: list[Exchange]
    """The recorded request and its redirects."""
    is_once: bool
    """True if it is sent only once, at the start of a user."""
    where: str
    """Name in messages: `POST /login`."""
    extracts: dict[str, Place] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    """Remarks for a person to check."""


@dataclass(slots=True)
class _Known:
    """A value in an answer."""

    step: int
    place: Place
    name: str
    uses: list[tuple[int, Field]] = field(default_factory=list)


class Correlation:
    """Puts variables, and placeholders of secrets, into the places of values, request after request.

    What may come from an answer, but has no place of its own there, stays as it was recorded, with a remark.
    """

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._steps: list[Step] = []
        self._known: dict[str, _Known] = {}
        self._sent: set[str] = set()

    def add(self, step: Step) -> None:
        """Add the next request and decide which of its values are holes; names follow later."""
        index = len(self._steps)
        self._steps.append(step)
        for value in step.draft.values():
            self._look_at(value, index)
            self._sent.add(value.value)

    def name(self) -> int:
        """Name the variables when all requests are known; return the number of extracted values."""
        _name(self._known, self._steps)
        for each in self._known.values():
            self._steps[each.step].extracts[each.name] = each.place
            for _, value in each.uses:
                value.hole = each.name
        return len(self._known)

    def _look_at(self, value: Field, index: int) -> None:
        """Decide the replacement of a value."""
        secrets = self._secrets
        if each := self._known.get(value.value):
            each.uses.append((index, value))
            value.hole = UNNAMED
            return
        hides = secrets.has(value)
        if not value.value or not (hides or looks_like_an_id(value.value, value.name)):
            return
        step = self._steps[index]
        seen = suggested = ""
        # What a user has sent before an answer told it is the user's own. The latest answer is the nearest.
        is_own = (
            value.value in self._sent or is_typed_secret(value.name) or len(value.value) < LEAST_CHARACTERS
        )
        for earlier in () if is_own else reversed(range(index)):
            before = self._steps[earlier]
            if not may_tell(value.value, before.hops):
                continue
            place = place_of(value.value, value.name, before.hops)
            if place is not None and not secrets.tells(place.text):
                self._known[value.value] = _Known(earlier, place, "", [(index, value)])
                value.hole = UNNAMED
                return
            if not seen and (line := occurs_at(value.value, before.hops)):
                seen = f"{line} to {before.where}"
                suggested = any_of_several(value.value, before.hops)
        if hides:
            secrets.hide(value, step.where)
        elif seen:
            step.remarks.append(
                f"{value.where} is in an earlier answer ({seen}), but not in an unambiguous place"
            )
            if suggested and not secrets.tells(suggested):
                name = _variable(value.name)
                extract = toml.inline({"regex": toml.text(suggested), "random": "true"})
                step.remarks[-1] += (
                    f"; to use any value at this place: {{{name}}} with extract.{name} = {extract}"
                )


def _name(known: dict[str, _Known], steps: list[Step]) -> None:
    """Names of variables: values share a name if each is used before the next value arrives."""
    ends: dict[str, tuple[int, bool]] = {}
    """By name: the last request that uses it, and True if it stays for the whole session."""
    for each in sorted(known.values(), key=lambda each: each.step):
        value = each.uses[0][1]
        last = max(index for index, _ in each.uses)
        stays = steps[each.step].is_once and not steps[last].is_once
        base = name = _variable(_own_name(each.place) if value.kind == "header" else value.name)
        number = 2
        while name in ends and (ends[name][1] or stays or ends[name][0] > each.step):
            name, number = f"{base}_{number}", number + 1
        each.name = name
        ends[name] = (max(last, ends.get(name, (0, False))[0]), stays or ends.get(name, (0, False))[1])


def _own_name(place: Place) -> str:
    """Return the name of a value in the answer, which is clearer than the name of a request header."""
    steps = [step for step in place.text.split("/") if step and not step.isdigit()]
    return {"json": steps[-1] if steps else "id", "regex": "id"}.get(place.by, place.text)


def _variable(name: str) -> str:
    """Return the name of a variable: letters and digits, starting with a letter."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[-_LONGEST_NAME:].strip("_")
    return words if words[:1].isalpha() else f"id_{words}".rstrip("_")
