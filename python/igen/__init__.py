"""Benchmark workbench: plans levels of load, lets the agent measure them, judges and reports the results.

`igen.run`, `igen.load` and `igen.compare` are the workbench's; nothing is imported before they are asked for.
"""

from igen.version import VERSION as __version__

TYPE_CHECKING = False
"""True for type checkers; `typing` would cost more time than all else in here."""
if TYPE_CHECKING:
    from igen.workbench import compare, load, run

__all__ = ["__version__", "compare", "load", "run"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from igen import workbench

    return getattr(workbench, name)
