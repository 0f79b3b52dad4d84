"""Owner of a server's processes and data: this user, or an unprivileged account if iGen runs as root."""

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
"""Variables without the caller's home folder, which has settings for the caller's own servers."""


def account_of(product: Product) -> str:
    """Return the account's name: this user, or for root the product's account, else `nobody`."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    try:
        return pwd.getpwnam(product.account).pw_name
    except KeyError:
        return "nobody"


def as_account(product: Product, command: Command) -> list[str]:
    """Return `command` as the account; setpriv executes it, so that its pid stays."""
    if os.geteuid() != 0:
        return [*command]
    account = pwd.getpwnam(account_of(product))
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--init-groups", *command]


def environment() -> dict[str, str]:
    """Return the environment of servers, clients and loaders, without the caller's secrets and servers."""
    return {**environment_of(), **_NO_HOME}


def make_folder(product: Product, folder: Path, mode: int = 0o755) -> None:
    """Create a folder of the account. Raises `InputError` if another user owns it."""
    account = pwd.getpwnam(account_of(product))
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if folder.lstat().st_uid != account.pw_uid:
            raise InputError(f"the folder does not belong to {account.pw_name}", where=str(folder)) from None
        return
    if os.geteuid() == 0:
        shutil.chown(folder, account.pw_uid, account.pw_gid)
    folder.chmod(mode)


def check_reachable(product: Product, directory: Path) -> None:
    """Raise `InputError` if the account may not enter a directory."""
    test = as_account(product, ["test", "-x", str(directory)])
    if subprocess.run(test, check=False, cwd="/", env=environment()).returncode != 0:
        raise InputError(
            f"{product.name} runs as user {account_of(product)}, who may not enter this folder",
            where=str(directory),
            hint="choose another --directory, such as a folder below /var/tmp, or use chmod o+x",
        )


def write_for(product: Product, path: Path, text: str) -> None:
    """Write a file atomically into a folder of this user; only this user and the account may read it."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text, encoding="utf-8")
    if os.geteuid() == 0:
        os.chown(part, -1, pwd.getpwnam(account_of(product)).pw_gid)
        part.chmod(0o640)
    part.replace(path)
