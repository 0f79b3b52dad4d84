"""Errors of msgspec in a study, in plain words."""

from __future__ import annotations

import re

from igen.errors import InputError
from igen.nearest import suggestion
from igen.study.plans import PLANS
from igen.study.toml_place import Step

_HINT = "`igen study show` prints an example"
_MESSAGE = re.compile(r"(?P<said>.*?)(?: - at `(?P<place>.*)`)?", re.DOTALL)
_STEP = re.compile(r"(?:^|\.)([A-Za-z_][\w-]*)|\[(\d+)\]")
_TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}
_NAMED_TYPES = re.compile(r"`([a-z]+(?: \| [a-z]+)*)`")


def of_validation(message: str) -> InputError:
    """Return the error for a message of `msgspec.ValidationError`; `where` is the path in the study."""
    match = _MESSAGE.fullmatch(message)
    said, place = (match["said"], match["place"] or "") if match else (message, "")
    where = place.removeprefix("$").removeprefix(".")
    hint = _HINT
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", said):
        said = f"`{missing[1]}` is missing"
    elif unknown := re.fullmatch(r"Object contains unknown field `(.+)`", said):
        said = f"unknown key `{unknown[1]}`"
    elif where == "plan.mode" and (mode := re.fullmatch(r"Invalid value '(.*)'", said)):
        said, hint = f"there is no mode `{mode[1]}`", suggestion(mode[1], PLANS)
    else:
        said = _NAMED_TYPES.sub(_named, f"{said[:1].lower()}{said[1:]}")
    return InputError(f"`{where}`: {said}" if where else said, where=where, hint=hint)


def steps_of(path: str) -> list[Step]:
    """Return `systems[1].name` as steps, as far as it can be read."""
    return [name or int(number) for name, number in _STEP.findall(path)]


def _named(types: re.Match[str]) -> str:
    return " or ".join(dict.fromkeys(_TYPES.get(each, each) for each in types[1].split(" | ")))
