"""The agent's errors about types, in plain words."""

from __future__ import annotations

import re

from igen.nearest import suggestion

_WANTED = {
    "u8": "a whole number from 0 to 255",
    "u16": "a whole number from 0 to 65,535",
    "u32": "a whole number from 0 to 4,294,967,295",
    "u64": "a whole number from 0 on",
    "usize": "a whole number from 0 on",
    "i64": "a whole number",
    "f64": "a number",
    "a boolean": "true or false",
    "a string": "text",
    "a sequence": "a list",
    "a map": "a table",
}
_TYPE = re.compile(r"invalid (?:type|value): (?P<found>.+), expected (?P<wanted>[^,]+)", re.DOTALL)
_VALUE = re.compile(r'(?:string "(?P<text>.*)"|[a-z ]+`(?P<number>[^`]*)`)', re.DOTALL)
_UNKNOWN = re.compile(
    r"unknown (?P<what>field|variant) `(?P<word>[^`]*)`, expected (?:one of )?(?P<known>`.+`)", re.DOTALL
)


def in_plain_words(text: str, hint: str) -> tuple[str, str]:
    """Return text and hint of an error: `"many" is not a whole number`, `did you mean`."""
    if (wrong := _TYPE.fullmatch(text)) and (wanted := _WANTED.get(wrong["wanted"])):
        value = _VALUE.fullmatch(wrong["found"])
        if wanted == "text" and value is not None and value["number"] is not None:
            hint = hint or f"write it as a text in quotes: '\"{value['number']}\"'"
        return f"{_found(wrong['found'])} is not {wanted}", hint
    if unknown := _UNKNOWN.fullmatch(text):
        known = re.findall(r"`([^`]*)`", unknown["known"])
        word, noun = unknown["word"], "field" if unknown["what"] == "field" else "value"
        return f"unknown {noun} `{word}`", hint or suggestion(word, known)
    return text, hint


def _found(found: str) -> str:
    value = _VALUE.fullmatch(found)
    if value is None:
        return {"map": "a table", "sequence": "a list", "null": "`null`"}.get(found, found)
    return f"`{value['text'] if value['text'] is not None else value['number']}`"
