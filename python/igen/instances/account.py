"""Whose the processes and data of a server are: ours, or an account without rights where we are root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from igen.environment import environment_of
from igen.errors import InputError
from igen.instances.product import Command, Product

_NO_HOME = {"HOME": "/nonexistent", "LDAPNOINIT": "1"}
"""What clients of servers find in the caller's home folder is for the caller's own servers."""


def account_of(product: Product) -> str:
    """The account's name: our own, or where we are root the product's, or else `nobody`."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    try:
        return pwd.getpwnam(product.account).pw_name
    except KeyError:
        return "nobody"


def as_account(product: Product, command: Command) -> list[str]:
    """`command` as the account; setpriv becomes it, so that its pid stays."""
    if os.geteuid() != 0:
        return [*command]
    account = pwd.getpwnam(account_of(product))
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--init-groups", *command]


def environment() -> dict[str, str]:
    """What servers, their clients and loaders get: no secret of the caller's, no way to another server."""
    return {**environment_of(), **_NO_HOME}


def make_folder(product: Product, folder: Path, mode: int = 0o755) -> None:
    """Makes a folder of the account's, if it is not there. Raises `InputError` if it is somebody else's."""
    account = pwd.getpwnam(account_of(product))
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if folder.lstat().st_uid != account.pw_uid:
            raise InputError(f"it does not belong to {account.pw_name}", where=str(folder)) from None
        return
    if os.geteuid() == 0:
        shutil.chown(folder, account.pw_uid, account.pw_gid)
    folder.chmod(mode)


def check_reachable(product: Product, directory: Path) -> None:
    """Raises `InputError` where the account may not enter a directory."""
    test = as_account(product, ["test", "-x", str(directory)])
    if subprocess.run(test, check=False, cwd="/", env=environment()).returncode != 0:
        raise InputError(
            f"the user {account_of(product)}, as whom {product.name} runs, may not enter it",
            where=str(directory),
            hint="choose another --directory, such as one below /var/tmp, or give others the right to enter",
        )


def write_for(product: Product, path: Path, text: str) -> None:
    """Writes a file into a folder of ours, at once or not at all; besides us only the account may read it."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text, encoding="utf-8")
    if os.geteuid() == 0:
        os.chown(part, -1, pwd.getpwnam(account_of(product)).pw_gid)
        part.chmod(0o640)
    part.replace(path)
