"""A plugin of mypy: an f-string, `str.format` and `str` refuse a `Text`, which mypy allows for any object."""

from __future__ import annotations

from collections.abc import Callable

from mypy.plugin import FunctionContext, MethodContext, Plugin
from mypy.types import Instance, Type, UnionType, get_proper_type

TEXT = "igen.text.Text"
READS = ("builtins.str", "builtins.repr", "builtins.format")


def _is_text(of: Type) -> bool:
    known = get_proper_type(of)
    if isinstance(known, UnionType):
        return any(map(_is_text, known.items))
    return isinstance(known, Instance) and known.type.fullname == TEXT


def _refuse(context: FunctionContext | MethodContext) -> Type:
    if any(_is_text(each) for of in context.arg_types for each in of):
        context.api.fail("A Text is joined by Text.of and read by no program", context.context)
    return context.default_return_type


class ReadingTexts(Plugin):
    """The hooks."""

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        """Return the check of an f-string, which is `str.format` to mypy."""
        return _refuse if fullname == "builtins.str.format" else None

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Return the check of a call."""
        return _refuse if fullname in READS else None


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin to mypy."""
    return ReadingTexts
