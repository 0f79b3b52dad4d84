"""An extension module of Python as a library that other programs load as well.

Such a module refers to functions and objects of the interpreter that loads it, so that the loader refuses it
in another process. A reference that is marked as weak may stay unresolved (System V ABI, chapter 4, "Symbol
Table"); the code of the module's own library never follows the references to Python.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_ELF64_LITTLE = b"\x7fELF\x02\x01"
_SECTIONS_AT = 0x28
_SECTION_COUNT_AT = 0x3C
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNAMIC_SYMBOLS = 11
_GLOBAL, _WEAK = 1, 2


def plain_library(module: bytes, *, optional: tuple[bytes, ...]) -> bytes:
    """Return the library without need of those undefined symbols whose names begin with one of `optional`.

    Raises `ValueError` for a file that is not a 64-bit little-endian ELF library.
    """
    if module[: len(_ELF64_LITTLE)] != _ELF64_LITTLE:
        raise ValueError("not a 64-bit little-endian ELF library")
    changed = bytearray(module)
    for at, name, info in _undefined(module):
        if info >> 4 == _GLOBAL and name.startswith(optional):
            changed[at + 4] = _WEAK << 4 | info & 0xF
    return bytes(changed)


def _undefined(module: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Yield the place, name and kind of each symbol that another library has to define."""
    (sections_at,) = struct.unpack_from("<Q", module, _SECTIONS_AT)
    (count,) = struct.unpack_from("<H", module, _SECTION_COUNT_AT)
    sections = [_SECTION.unpack_from(module, sections_at + number * _SECTION.size) for number in range(count)]
    for _, kind, _, _, start, size, names, *_ in sections:
        if kind != _DYNAMIC_SYMBOLS:
            continue
        names_at = sections[names][4]
        for at in range(start, start + size, _SYMBOL.size):
            name, info, _, section, *_ = _SYMBOL.unpack_from(module, at)
            if section == 0:
                begin = names_at + name
                yield at, module[begin : module.index(b"\0", begin)], info
