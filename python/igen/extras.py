"""THE list of extras of igen-bench: packages that only some uses need."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from igen.errors import InputError


@dataclass(frozen=True, slots=True)
class Extra:
    """One extra in pyproject.toml."""

    name: str
    package: str
    """Its main package, as people call it."""
    modules: tuple[str, ...]
    """Modules of its packages."""

    def need(self, use: str, where: str = "") -> None:
        """Raise `InputError` if the extra is not installed, which `use` needs; nothing is imported."""
        if any(find_spec(module) is None for module in self.modules):
            raise self.missing(use, where)

    def missing(self, use: str, where: str = "") -> InputError:
        """Return the error for a use without the extra."""
        return InputError(
            f"{use} needs {self.package}, which is not installed",
            where=where,
            hint=f"pip install 'igen-bench[{self.name}]'",
        )


CLUSTER = Extra("cluster", "Ray", ("ray",))
CONSOLE = Extra("console", "Starlette", ("jinja2", "starlette", "uvicorn"))
FRAMES = Extra("frames", "pandas", ("pandas",))
PNG = Extra("png", "vl-convert", ("vl_convert",))
QUERY = Extra("query", "DuckDB", ("duckdb",))
EXTRAS = (CLUSTER, CONSOLE, FRAMES, PNG, QUERY)
