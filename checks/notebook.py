"""A guide page as a notebook: its words as cells of text, its Python blocks as cells of code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from checks import tree

PAGE = tree.ROOT / "docs" / "guide" / "python.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")
_PYTHON = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def notebook() -> str:
    """The notebook's text."""
    # Words and code take turns.
    parts = _PYTHON.split(PAGE.read_text(encoding="utf-8"))
    cells = [
        _cell(number, "code" if number % 2 else "markdown", part.strip("\n"))
        for number, part in enumerate(parts)
        if part.strip()
    ]
    document = {
        "cells": cells,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def code(path: Path = NOTEBOOK) -> list[str]:
    """The code of a notebook, cell by cell."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell
