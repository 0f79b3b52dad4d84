"""No circles among the modules of a crate: which module uses which, read from the sources.

A module uses another where it names an item of it, in a `use` or in the middle of the code; a name that a
module hands on (`pub use`) counts for the module that has it. Tests may use what they like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

Name = tuple[str, ...]

COMMENT_OR_TEXT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\\n])'""", re.DOTALL
)
TEST = re.compile(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*")
VISIBILITY = re.compile(r"\bpub\(in [^)]*\)")
CHILD = re.compile(r"\bmod\s+(\w+)\s*;")
USE = re.compile(r"(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:])(?:\w+::)+\w+")


@dataclass
class Module:
    """A file of a crate."""

    children: set[str]
    uses: list[Name] = field(default_factory=list)
    known: dict[str, Name] = field(default_factory=dict)
    hands_on: dict[str, Name] = field(default_factory=dict)


def circles(source: Path) -> list[list[str]]:
    """Sets of modules of the crate in `source` each of which uses, in the end, itself."""
    modules: dict[Name, Module] = {}
    root = next(path for path in (source / "lib.rs", source / "main.rs") if path.exists())
    _read(root, source, (), modules)
    uses = {name: _used(name, module, modules) for name, module in modules.items()}
    return sorted(sorted("::".join(name) or "lib" for name in circle) for circle in _strong(uses))


def _read(path: Path, folder: Path, name: Name, modules: dict[Name, Module]) -> None:
    text = _without_tests(COMMENT_OR_TEXT.sub('""', path.read_text(encoding="utf-8")))
    text = VISIBILITY.sub("pub", text)
    module = modules[name] = Module(set(CHILD.findall(text)))
    for public, tree in USE.findall(text):
        for used, known_as in _leaves(tree):
            if public:
                module.hands_on[known_as] = used
            else:
                module.uses.append(used)
                module.known[known_as] = used
    module.uses += [tuple(match[0].split("::")) for match in PATH.finditer(USE.sub("", text))]
    for child in module.children:
        file = folder / f"{child}.rs"
        file = file if file.exists() else folder / child / "mod.rs"
        _read(file, folder / child, (*name, child), modules)


def _without_tests(text: str) -> str:
    """Without the items that only tests have."""
    while found := TEST.search(text):
        end = found.end()
        depth = 0
        while end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if depth == 0 and text[end] in ";}":
                break
            end += 1
        text = text[: found.start()] + text[end + 1 :]
    return text


def _leaves(tree: str) -> list[tuple[Name, str]]:
    """What a `use` names: each path, and the name by which it is known."""
    tree = tree.strip()
    if "{" not in tree:
        path, _, alias = (part.strip() for part in tree.partition(" as "))
        name = tuple(path.split("::"))
        name = name[:-1] if name[-1] == "self" and len(name) > 1 else name
        return [(name, alias or name[-1])]
    prefix, _, rest = tree.partition("{")
    begin = tuple(part for part in prefix.strip().split("::") if part)
    parts, depth = [""], 0
    for letter in rest.rstrip()[:-1]:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    found = [leaf for part in parts if part.strip() for leaf in _leaves(part)]
    return [
        (begin, begin[-1]) if used == ("self",) else ((*begin, *used), known_as) for used, known_as in found
    ]


def _used(name: Name, module: Module, modules: dict[Name, Module]) -> set[Name]:
    found = {_owner(name, used, modules) for used in module.uses}
    return {owner for owner in found if owner is not None and owner != name}


def _owner(at: Name, path: Name, modules: dict[Name, Module]) -> Name | None:
    """The module that has what `path` names in the module `at`; `None` for what is of another crate."""
    if path[0] == "crate":
        at, path = (), path[1:]
    elif path[0] in ("self", "super"):
        while path and path[0] in ("self", "super"):
            at, path = (at[:-1] if path[0] == "super" else at), path[1:]
    elif path[0] not in modules[at].children:
        known = modules[at].known.get(path[0], path)
        return _owner(at, (*known, *path[1:]), modules) if known[0] != path[0] else None
    while path:
        if path[0] in modules[at].children:
            at, path = (*at, path[0]), path[1:]
        elif path[0] in modules[at].hands_on:
            handed = modules[at].hands_on[path[0]]
            return _owner(at, (*handed, *path[1:]), modules)
        else:
            break
    return at


def _strong(uses: dict[Name, set[Name]]) -> list[set[Name]]:
    """Sets of more than one node that all lead to each other."""

    def reached(begin: Name) -> set[Name]:
        found: set[Name] = set()
        ahead = [begin]
        while ahead:
            for node in uses.get(ahead.pop(), set()) - found:
                found.add(node)
                ahead.append(node)
        return found

    reach = {node: reached(node) for node in uses}
    circles = {frozenset(other for other in reach[node] if node in reach[other]) for node in uses}
    return [set(circle) for circle in circles if len(circle) > 1]
