"""The fuzz targets in Python, with real inputs of each. Those in Rust are in crates/igen-fuzz."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from igen.errors import IgenError

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(__file__).parent / "corpus"
"""Inputs of the targets in Rust, and inputs that once failed, a folder each."""
IN_RUST = ("http-head", "http-chunked", "postgresql", "mysql", "ldap", "job")


@dataclass(frozen=True, slots=True)
class Target:
    """A parser of files, and real files for it."""

    read: Callable[[Path], object]
    """Read a file. May raise `IgenError` only."""
    seeds: Callable[[], Iterator[bytes]]
    """Yield real inputs."""

    def run(self, file: Path, data: bytes) -> None:
        """Try `data`, by way of `file`. Any exception that it raises is a finding."""
        file.write_bytes(data)
        try:
            self.read(file)
        except IgenError as error:
            str(error)


def _read_har(file: Path) -> object:
    from igen.har.convert import Options, convert

    return convert(file, Options(origin="http://shop.test"))


def _read_job_file(file: Path) -> object:
    from igen.store.job_file import read_job_ends
    from igen.study.recordings import read_recording

    read_job_ends(file)
    return read_recording(file).warnings


def _read_study(file: Path) -> object:
    from igen.study.study import load_study

    return load_study(file)


def _recordings() -> Iterator[bytes]:
    for path in (ROOT / "tests" / "har" / "recordings").glob("*.har*"):
        unpack = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)
        yield unpack(path.read_bytes())


def _job_files() -> Iterator[bytes]:
    """Yield the files of the recorded runs, as they are and with a number and checksum on each line."""
    from igen.store.checked_line import sealed

    for path in (ROOT / "tests" / "golden" / "recorded").glob("*.jsonl.xz"):
        for part in lzma.decompress(path.read_bytes()).split(b'{"file": ')[1:]:
            lines = part.splitlines()[1:]
            yield b"\n".join(lines)
            yield b"\n".join(sealed(line, number) for number, line in enumerate(lines, 1))


def _studies() -> Iterator[bytes]:
    for path in (ROOT / "studies").glob("*.toml"):
        yield path.read_bytes()


IN_PYTHON = {
    "har": Target(_read_har, _recordings),
    "job-file": Target(_read_job_file, _job_files),
    "study": Target(_read_study, _studies),
}
"""Targets by name."""


def failed_before(name: str) -> Iterator[bytes]:
    """Yield the inputs of a target in `fuzz/corpus`."""
    for path in sorted((CORPUS / name).glob("*")):
        yield path.read_bytes()
