"""A real sshd of a test's own, which lets one account in and needs no rights."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from tests.needed import missing
from tests.own_ports import own_ports
from tests.waiting import wait_for

SSHD = Path("/usr/sbin/sshd")
INSTALL = Path(__file__).with_name("install-servers")
_SHELLS = ("/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/bash", "/usr/bin/zsh", "/bin/zsh")


def account() -> pwd.struct_passwd:
    """Our own; where we are root one that has a shell, such as that of PostgreSQL."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    found = [each for each in pwd.getpwall() if each.pw_uid != 0 and each.pw_shell in _SHELLS]
    return found[0] if found else missing("no account with a shell but that of root")


class SshServer:
    """Listens on the loopback until it is killed; its clients are given by `write_client`."""

    def __init__(self, folder: Path) -> None:
        """Starts it. `folder` is the test's own, and open to other accounts."""
        if not SSHD.exists() and os.geteuid() == 0:
            subprocess.run([INSTALL], check=False, capture_output=True)
        if not SSHD.exists():
            missing("no sshd: Debian's openssh-server has it")
        self._folder = folder
        self._account = account()
        self._port = own_ports()
        self.cache = folder / "cache"
        """XDG_CACHE_HOME of whoever logs in."""
        self.cache.mkdir()
        for key in ("host-key", "user-key"):
            generate = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
            subprocess.run(generate, check=True, stdin=subprocess.DEVNULL)
        settings = folder / "sshd_config"
        settings.write_text(
            f"ListenAddress 127.0.0.1:{self._port}\nHostKey {folder}/host-key\n"
            f"AuthorizedKeysFile {folder}/user-key.pub\nStrictModes no\nPasswordAuthentication no\n"
            f"KbdInteractiveAuthentication no\nUsePAM no\nPidFile none\nSetEnv XDG_CACHE_HOME={self.cache}\n"
        )
        ids = (self._account.pw_uid, self._account.pw_gid)
        own = os.geteuid() == self._account.pw_uid
        if not own:
            shutil.chown(folder / "host-key", *ids)
            shutil.chown(self.cache, *ids)
        self._process = subprocess.Popen(
            [SSHD, "-D", "-e", "-f", settings],
            stdin=subprocess.DEVNULL,
            stderr=(folder / "sshd.log").open("wb"),
            start_new_session=True,
            **({} if own else {"user": ids[0], "group": ids[1], "extra_groups": []}),  # type: ignore[arg-type]
        )
        wait_for(self._listens)

    def _listens(self) -> bool:
        assert self._process.poll() is None, (self._folder / "sshd.log").read_text()
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self._port)) == 0

    @property
    def url(self) -> str:
        """The address of the account there."""
        return f"ssh://{self._account.pw_name}@127.0.0.1:{self._port}"

    def write_client(self, folder: Path) -> None:
        """Writes into a folder that is to come first in PATH the `ssh` that knows this server and its key."""
        key = (self._folder / "host-key.pub").read_text()
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self._port} {key}")
        shutil.copy(self._folder / "user-key", folder / "identity")
        (folder / "identity").chmod(0o600)
        (folder / "ssh_config").write_text(
            f"IdentityFile {folder}/identity\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known_hosts\n"
            "GlobalKnownHostsFile none\nStrictHostKeyChecking yes\n"
        )
        program = folder / "ssh"
        program.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/ssh_config "$@"\n')
        program.chmod(0o755)

    def kill(self) -> None:
        """Ends it at once, with its side of all connections, and nothing that was started over them."""
        for pid in (self._process.pid, *_sessions(self._process.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # it had ended with its connection
        self._process.wait()


def _sessions(server: int) -> list[int]:
    """The processes of sshd that serve the connections of one."""
    found, added = {server}, True
    while added:
        more = {pid for pid, parent in _sshds() if parent in found} - found
        added = bool(more)
        found |= more
    return sorted(found - {server})


def _sshds() -> list[tuple[int, int]]:
    """Process id and parent of each sshd."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
        except (OSError, NotADirectoryError):
            continue
        if name.startswith("sshd"):
            found.append((int(folder.name), int(rest.split()[1])))
    return found
