"""The one way to the files of a store: regular files, in folders of the store, and never through a link.

Other users may be able to write to a store. A link there could lead to any file that this process may read or
write, and a pipe would keep it waiting. `folders` is the number of folders above the file that belong to the
store: a link is not followed in these, but the path of the store itself may have links.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path

_CAREFUL = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_PLACE = os.O_PATH | os.O_DIRECTORY
_MOST_LINKS = 40
"""Most links on the way to a file, as in the kernel."""
_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


class Misplaced(OSError):
    """Error for a file or folder of the store that is a link or has another kind."""


def open_file(path: Path, flags: int, *, folders: int = 1) -> int:
    """Return a descriptor of a regular file of the store. Raises `OSError`, also for any other kind of file.

    A file with several names (hard links) is refused if other users may have put it there.
    """
    with _folder_of(path, folders) as folder:
        try:
            descriptor = os.open(path.name, flags & ~os.O_TRUNC | _CAREFUL, 0o644, dir_fd=folder)
        except OSError as error:
            raise _told(error, path, folder) from error
        try:
            _check(os.fstat(descriptor), path, folder)
            if flags & os.O_TRUNC:
                os.ftruncate(descriptor, 0)
        except OSError:
            os.close(descriptor)
            raise
    return descriptor


def reading(path: Path, *, folders: int = 1) -> BufferedReader:
    """Return a regular file of the store, open for reading. Raises `OSError`."""
    return os.fdopen(open_file(path, os.O_RDONLY, folders=folders), "rb")


def read_bytes(path: Path, *, folders: int = 1) -> bytes:
    """Return the content of a regular file of the store. Raises `OSError`."""
    with reading(path, folders=folders) as file:
        return file.read()


def new_file(path: Path, *, folders: int = 1) -> BufferedWriter:
    """Return a new file of the store, open for writing, in place of a file of this name. Raises `OSError`."""
    with _folder_of(path, folders) as folder, suppress(FileNotFoundError):
        os.unlink(path.name, dir_fd=folder)
    return os.fdopen(open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, folders=folders), "wb")


def write_whole(path: Path, content: bytes, *, folders: int = 1) -> None:
    """Write a file of the store: after a power failure it is whole, or as it was. Raises `OSError`."""
    draft = path.with_suffix(".draft")
    with new_file(draft, folders=folders) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    with _folder_of(path, folders) as folder:
        os.replace(draft.name, path.name, src_dir_fd=folder, dst_dir_fd=folder)


def make_folder(path: Path, *, folders: int = 1, exist_ok: bool = False) -> None:
    """Make a folder in the store; with `exist_ok` it may be there. Raises `OSError`, also for a link."""
    with _folder_of(path, folders) as folder:
        try:
            os.mkdir(path.name, dir_fd=folder)
        except FileExistsError:
            if not exist_ok:
                raise
            os.close(os.open(path.name, _PLACE | os.O_NOFOLLOW, dir_fd=folder))


def move_file(path: Path, target: Path, *, folders: int = 1, target_folders: int = 1) -> None:
    """Move a file of the store to another of its folders. Raises `OSError`."""
    with _folder_of(path, folders) as here, _folder_of(target, target_folders) as there:
        os.rename(path.name, target.name, src_dir_fd=here, dst_dir_fd=there)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes; 0 if there is no regular file of this name."""
    try:
        status = path.lstat()
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def others_may_change(status: os.stat_result) -> bool:
    """Return True unless only root, this user and this user's own group may change a file or folder."""
    return _is_of_others(status) or _others_may_write(status)


def others_may_exchange(path: Path) -> Path | None:
    """Return a folder or link on the way to a path by which other users may put another thing there; None if
    there is none. Raises `OSError` if the path cannot be followed.
    """
    for place in _way_to(path):
        status = place.lstat()
        # A sticky folder, such as /tmp: only the owner of an entry, or of the folder, may exchange the entry.
        is_kept = stat.S_ISLNK(status.st_mode) or status.st_mode & stat.S_ISVTX
        if _is_of_others(status) or (_others_may_write(status) and not is_kept):
            return place
    return None


def _is_of_others(status: os.stat_result) -> bool:
    return status.st_uid not in (0, os.geteuid())


def _others_may_write(status: os.stat_result) -> bool:
    group_writes = status.st_mode & stat.S_IWGRP and status.st_gid not in (0, os.getegid())
    return bool(group_writes or status.st_mode & stat.S_IWOTH)


def _way_to(path: Path) -> Iterator[Path]:
    """Yield the folders and links through which a path leads, from the root on, without its end."""
    place, left = Path("/"), [*reversed(path.absolute().parts[1:])]
    links = 0
    while left:
        yield place
        name = left.pop()
        if name == "..":
            place = place.parent
            continue
        deeper = place / name
        if not deeper.is_symlink():
            place = deeper
            continue
        yield deeper
        if (links := links + 1) > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = deeper.readlink()
        place = Path("/") if target.is_absolute() else place
        left += reversed(target.parts[1:] if target.is_absolute() else target.parts)


@contextmanager
def _folder_of(path: Path, folders: int) -> Iterator[int]:
    """Yield a descriptor of the folder that holds a file of the store."""
    parents = path.absolute().parents
    folders = min(folders, len(parents) - 1)
    descriptor = os.open(parents[folders], _PLACE)
    try:
        for name in (parents[depth].name for depth in reversed(range(folders))):
            try:
                deeper = os.open(name, _PLACE | os.O_NOFOLLOW, dir_fd=descriptor)
            except OSError as error:
                raise _told(error, path, descriptor, name) from error
            os.close(descriptor)
            descriptor = deeper
        yield descriptor
    finally:
        os.close(descriptor)


def _check(status: os.stat_result, path: Path, folder: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _refused(f"it is {_KINDS.get(stat.S_IFMT(status.st_mode), 'a device')}", path)
    if status.st_nlink > 1 and others_may_change(os.fstat(folder)):
        raise _refused("it has another name, and other users may write to its folder", path)


def _told(error: OSError, path: Path, folder: int, name: str = "") -> OSError:
    """Return the error with the path of the file, and the kind of file that is in the way."""
    with suppress(OSError):
        mode = os.lstat(name or path.name, dir_fd=folder).st_mode
        expected = stat.S_ISDIR(mode) if name else stat.S_ISREG(mode)
        if not expected and not isinstance(error, FileExistsError):
            what = f"its folder {name}" if name else "it"
            return _refused(f"{what} is {_KINDS.get(stat.S_IFMT(mode), 'no folder')}", path)
    return OSError(error.errno, error.strerror, str(path))


def _refused(reason: str, path: Path) -> Misplaced:
    return Misplaced(errno.ELOOP, reason, str(path))
