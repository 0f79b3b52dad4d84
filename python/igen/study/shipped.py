"""The ready-made studies of iGen."""

from __future__ import annotations

from pathlib import Path

from igen.errors import InputError
from igen.study.text_file import MOST_BYTES, read_bounded

STUDIES = "studies"
"""Name of the folder of studies in the working folder, in iGen's source, and in the package."""
_PACKAGE = Path(__file__).parents[1]


def shipped_folder() -> Path:
    """Return their folder: in the installed package, or next to it in the source."""
    installed = _PACKAGE / STUDIES
    return installed if installed.is_dir() else _PACKAGE.parents[1] / STUDIES


def own_or_shipped(path: Path) -> Path:
    """Return `path`, or the ready-made study of this name if `studies/NAME.toml` does not exist."""
    if path.exists() or path.parent != Path(STUDIES):
        return path
    shipped = shipped_folder() / path.name
    return shipped if shipped.exists() else path


def study_text(path: Path) -> str:
    """Return the text of the study at `path`, or of the shipped study of that name.

    Raises `OSError`, also if it is not a regular file, `InputError` if it is too large, and `ValueError`
    unless it is UTF-8.
    """
    content = read_bounded(own_or_shipped(path))
    if len(content) > MOST_BYTES:
        text = f"a study has at most {MOST_BYTES >> 20} MiB"
        raise InputError(text, where=str(path), hint="is this the right file?")
    return content.decode()


def studies_at_hand() -> list[Path]:
    """Return the studies in ./studies, or the ready-made studies if there is no such folder."""
    folder = Path(STUDIES)
    if folder.is_dir():
        return sorted(folder.glob("*.toml"))
    return [folder / path.name for path in sorted(shipped_folder().glob("*.toml"))]


def known_studies() -> dict[str, Path]:
    """Return the paths of the studies that come with iGen, and of those in ./studies, by name."""
    shipped = {path.stem: Path(STUDIES) / path.name for path in sorted(shipped_folder().glob("*.toml"))}
    return shipped | {path.stem: path for path in studies_at_hand()}
