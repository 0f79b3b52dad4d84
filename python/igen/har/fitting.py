"""Entries of recorders that write other types than HAR has: what fits is kept, the rest counts as absent."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args, get_origin

import msgspec

from igen.first_use import ready


def fitting(value: Any, kind: Any) -> Any:
    """Return a decoded value as a type of msgspec. Raises `ValueError` if it cannot be one.

    A part of a struct that does not fit has its default, an element of a list that does not fit is left out,
    and a number or a boolean stands for its text.
    """
    inner = next((each for each in get_args(kind) if each is not NoneType), kind)
    if NoneType in get_args(kind) and value is None:
        return None
    if get_origin(kind) is list:
        inner = kind
    if get_origin(inner) is list:
        return _elements(value, get_args(inner)[0])
    if inner is msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(value))
    if inner is str:
        return _text(value)
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        return _struct(value, inner)
    return msgspec.convert(value, ready(inner), strict=False)


def _elements(value: Any, kind: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("Expected `array`")
    found = []
    for each in value:
        try:
            found.append(fitting(each, kind))
        except ValueError:
            continue
    return found


def _struct(value: Any, kind: type[msgspec.Struct]) -> msgspec.Struct:
    if not isinstance(value, dict):
        raise ValueError("Expected `object`")
    parts = {}
    for part in msgspec.structs.fields(kind):
        if part.encode_name not in value:
            if part.required:
                raise ValueError(f"Object missing required field `{part.encode_name}`")
            continue
        try:
            parts[part.name] = fitting(value[part.encode_name], part.type)
        except ValueError as error:
            if part.required:
                raise ValueError(f"{error} - at `$.{part.encode_name}`") from error
    return kind(**parts)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return msgspec.json.encode(value).decode()
    raise ValueError("Expected `str`")
