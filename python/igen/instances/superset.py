"""Apache Superset, a BI application from PyPI, with one dashboard of four charts over sales on SQLite."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path

from igen.errors import InputError
from igen.instances import process
from igen.instances.from_pypi import USERS, FromPyPI, Takes, count
from igen.instances.instance import Instance
from igen.instances.product import Command, Needs
from igen.instances.superset_data import address

MIB = 1 << 20
SALES, WORKERS, CACHE = "sales", "workers", "cache"
_USUAL_WORKERS, _MOST_WORKERS = 2, 64
_CACHES: dict[str, dict[str, str | int]] = {
    "on": {"CACHE_TYPE": "FileSystemCache", "CACHE_THRESHOLD": 0, "CACHE_DEFAULT_TIMEOUT": 86_400},
    "off": {"CACHE_TYPE": "NullCache"},
}
_SERVER = "gunicorn.conf.py"
_LOGIN_PAGE = "GET /login/"
_CONFIGURATION = """\
from pathlib import Path

SECRET_KEY = Path({data!r}, "secret_key").read_text()
SQLALCHEMY_DATABASE_URI = {database!r}
# The sales are on SQLite, which it takes for unsafe where people may connect databases: here nobody may.
PREVENT_UNSAFE_DB_CONNECTIONS = False
DATA_CACHE_CONFIG = {cache!r}
# Its roles and permissions are made once.
FAB_UPDATE_PERMS = False
# All users of a load come from one address.
RATELIMIT_ENABLED = False
AUTH_RATE_LIMITED = False
# A user who thinks stays signed in, and reads forms for as long as a load lasts.
WTF_CSRF_TIME_LIMIT = None
LOG_LEVEL = "WARNING"
"""
_GUNICORN = """\
bind = ["127.0.0.1:{port}"]
workers = {workers}
worker_class = "gthread"
threads = 20
# It is imported once for all workers.
preload_app = True
timeout = 120
# Browsers keep connections while their users read.
keepalive = 75
control_socket_disable = True
raw_env = ["SUPERSET_CONFIG_PATH=" + {configuration!r}, "SUPERSET_HOME=" + {data!r}]
"""


class Superset(FromPyPI):
    """Worker processes, each for about one processor, and a supervisor."""

    name = "superset"
    title = "Superset"
    distribution = "apache-superset"
    first_port = 14100
    # Ends workers at once; SIGTERM would wait for their connections.
    stop_signal = signal.SIGINT
    # Release 6.1: 400 MiB when it starts with two workers, 580 MiB when they have shown dashboards.
    needs = Needs(
        cache_bytes=0,
        memory_bytes=800 * MIB,
        connection_bytes=MIB // 8,
        disk_bytes=8 * MIB,
        log_bytes=0,
        loads={},
    )
    options = (CACHE,)
    ping = _LOGIN_PAGE
    provision = _LOGIN_PAGE
    configuration = "superset_config.py"
    sizes: Mapping[str, int] = {USERS: 200, SALES: 20_000}
    takes: Mapping[str, Takes] = {
        WORKERS: Takes(usual=_USUAL_WORKERS, most=_MOST_WORKERS, memory_bytes=90 * MIB),
        USERS: Takes(usual=sizes[USERS], disk_bytes=400),
        SALES: Takes(usual=sizes[SALES], disk_bytes=50),
    }

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Return its configuration, gunicorn's configuration, and the amount of data. Raises `InputError`."""
        known = [*self.sizes, WORKERS, CACHE]
        for name in instance.settings:
            if name not in known:
                raise InputError(
                    f"`{name}` is not a setting of Superset", where="--set", hint=", ".join(known)
                )
        wished = instance.settings.get(CACHE, "on")
        if wished not in _CACHES:
            raise InputError(f"`{wished}` must be on or off", where=f"--set {CACHE}")
        cache = dict(_CACHES[wished])
        if wished == "on":
            cache["CACHE_DIR"] = str(data / "cache")
        configuration = instance.folder / self.configuration
        workers = count(WORKERS, instance.settings.get(WORKERS, str(_USUAL_WORKERS)), _MOST_WORKERS)
        return {
            self.configuration: _CONFIGURATION.format(
                data=str(data), cache=cache, database=address(data / "superset.db", check_same_thread="false")
            ),
            _SERVER: _GUNICORN.format(
                port=instance.port, workers=workers, configuration=str(configuration), data=str(data)
            ),
            **self.sizes_file(instance.settings),
        }

    def serve(self, instance: Instance) -> Command:
        """Return the command `gunicorn`, as in Superset's container."""
        python = self.python_of(instance)
        program = str(Path(python).with_name("gunicorn"))
        own = str(instance.folder / _SERVER)
        return [python, "-I", program, "-c", own, "superset.app:create_app()"]

    def tiers(self, instance: Instance) -> dict[str, list[int]]:
        """Return its workers as its only tier; empty if it is not running."""
        if not process.runs(self, instance):
            return {}
        return {"application": process.process_tree(instance.pid)[1:]}
