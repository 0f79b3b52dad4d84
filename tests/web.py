"""A web server of a test's own: nginx with one worker, without root's rights, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.needed import missing

PROGRAM = Path("/usr/sbin/nginx")
ACCOUNT = "nobody"
"""Who it is where root runs the test: as one process, so that its id is the worker's."""
LIMIT_S = 60.0
CONFIGURATION = """
daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
error_log error.log;
events {{ worker_connections 4096; }}
http {{
  log_format asked '$status $request_method $request_uri';
  access_log access.log asked;
  log_format connections '$connection $server_protocol';
  access_log connections.log connections;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  keepalive_requests {keepalive_requests};
  split_clients $request_id $lot {{ 10% drop; * keep; }}
  map "$connection_requests $lot" $drops {{ default ""; "1 drop" ""; "~ drop$" 1; }}
  server {{
    listen 127.0.0.1:{port}{options};
    {certificate}
    location = / {{ return 200 "Welcome\\n"; }}
    location /api/ {{ return 200 "{{}}"; }}
    location /static/ {{ add_header Cache-Control no-store; return 200 "{{}}"; }}
    location = /error-page {{ return 200 "Sorry, an error has occurred\\n"; }}
    location = /moved {{ return 301 /; }}
    location = /busy {{ return 503; }}
    location = /drops {{ if ($drops) {{ return 444; }} return 200 "Welcome\n"; }}
  }}
}}
"""


@dataclass
class Web:
    """An nginx, which may be killed and started again."""

    folder: Path
    port: int
    certificate: Path | None = None
    """In PEM, with the key beside it (`.key`)."""
    keepalive_requests: int = 1_000_000
    """Requests after which it closes a connection."""
    http2: bool = False
    """It speaks HTTP/2: alone without a certificate, and beside HTTP/1.1 with one."""
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def target(self) -> str:
        """Where it listens."""
        return f"{'https' if self.certificate else 'http'}://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts it, and waits until it listens."""
        certificate = self._own_certificate()
        files = (
            f"ssl_protocols TLSv1.3; ssl_certificate {certificate}; ssl_certificate_key {certificate}.key;"
            if certificate
            else ""
        )
        configuration = self.folder / "nginx.conf"
        configuration.write_text(
            CONFIGURATION.format(
                port=self.port,
                options=(" ssl" if certificate else "") + (" http2" if self.http2 else ""),
                certificate=files,
                keepalive_requests=self.keepalive_requests,
            )
        )
        command = [str(PROGRAM), "-p", str(self.folder), "-c", str(configuration), "-e", "error.log"]
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.iterdir()):
                path.chmod(0o777 if path.is_dir() else 0o666)
            command = ["setpriv", f"--reuid={ACCOUNT}", "--regid=nogroup", "--clear-groups", *command]
        with (self.folder / "output").open("wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)
        limit_s = time.monotonic() + LIMIT_S
        while not self._listens():
            said = (self.folder / "output").read_text()
            assert self.process.poll() is None, said
            assert time.monotonic() < limit_s, said
            time.sleep(0.01)

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Ends it, and waits for that: with SIGQUIT it answers what it has begun, and writes its log."""
        if self.process is not None:
            self.send(number)
            self.process.wait(LIMIT_S)
            self.process = None

    def asked(self) -> Counter[str]:
        """Requests by status, method and path, as its log has them: `200 GET /`."""
        return Counter((self.folder / "access.log").read_text().splitlines())

    def connections(self) -> set[str]:
        """The connections over which it was asked, each with its protocol: `12 HTTP/2.0`."""
        return set((self.folder / "connections.log").read_text().splitlines())

    def _own_certificate(self) -> Path | None:
        """A copy of its certificate and key that its account may read."""
        if self.certificate is None:
            return None
        own = self.folder / self.certificate.name
        for suffix in ("", ".key"):
            shutil.copyfile(f"{self.certificate}{suffix}", f"{own}{suffix}")
        return own

    def _listens(self) -> bool:
        with socket.socket() as probing:
            return probing.connect_ex(("127.0.0.1", self.port)) == 0


def need() -> None:
    """Skips the test where there is no nginx; fails it in CI."""
    if not PROGRAM.exists():
        missing(f"no {PROGRAM}: tests/install-servers")


def self_signed(folder: Path, name: str) -> Path:
    """A certificate for that host that is its own authority, with its key beside it."""
    certificate = folder / f"{name}.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"),
            *("-addext", "basicConstraints=critical,CA:FALSE"),
            *("-out", str(certificate), "-keyout", f"{certificate}.key"),
        ],
        check=True,
        capture_output=True,
    )
    return certificate
