"""Facts about targets that are private instances: their settings, which no server reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from igen.bundle.secrets import is_secret
from igen.errors import IgenError
from igen.facts import INSTANCES_MADE, INSTANCES_SETTINGS
from igen.instances import control
from igen.instances.instance import Instance
from igen.study.targets import expand_targets

_OWN_HOSTS = {"localhost", "127.0.0.1", "::1"}
NOT_TOLD = "(not told)"
"""Text in place of a setting that looks like a secret."""
_SOCKETS = {"socket", "host"}
"""Parameters of a target with the path of a socket."""


def own_targets(job: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of the private instances that a job loads; none unless all of its targets are such, and were made
    alike.
    """
    targets = expand_targets(job.get("targets") or [])
    if not isinstance(targets, list) or not targets:
        return {}
    try:
        instances = {place: one for one in control.of_known_kinds() for place in _places(one)}
    except IgenError:
        # A record that another command has broken costs a sentence, and not what is being measured.
        return {}
    found = [one for target in targets if (one := instances.get(_place(target))) is not None]
    try:
        made = [_made(instance) for instance in found]
    except OSError:
        return {}
    alike = all(
        (each, one.settings) == (made[0], found[0].settings) for each, one in zip(made, found, strict=True)
    )
    if len(found) < len(targets) or not alike:
        return {}
    names = list(dict.fromkeys(instance.name for instance in found))
    ways = [
        [names.index(one.name), *_way(str(target), one)] for target, one in zip(targets, found, strict=True)
    ]
    settings = {
        INSTANCES_SETTINGS.of(name): NOT_TOLD if is_secret(name, value) else value
        for name, value in found[0].settings.items()
    }
    return {INSTANCES_MADE: {**made[0], "targets": ways}, **settings}


def _places(instance: Instance) -> list[object]:
    socket = control.socket_target(instance)
    return [_place(control.target(instance)), *([socket] if socket else [])]


def _place(target: object) -> object:
    """Return scheme and port of a server on this machine; the target itself for any other server."""
    try:
        parts = urlsplit(str(target))
        port = parts.port
    except ValueError:
        return target
    own = parts.hostname in _OWN_HOSTS and port is not None and not _has_socket(parts.query)
    return (parts.scheme, port) if own else target


def _has_socket(query: str) -> bool:
    return any(name in _SOCKETS for name, _ in parse_qsl(query, keep_blank_values=True))


def _way(target: str, instance: Instance) -> list[object]:
    """Return how a target reaches its instance, without port, folders of the instance and passwords."""
    parts = urlsplit(target)

    def without(name: str, value: str) -> str:
        own = value.replace(str(instance.run_folder), "run").replace(str(instance.folder), "folder")
        return "" if name == "password" else own

    query = [[name, without(name, value)] for name, value in parse_qsl(parts.query, keep_blank_values=True)]
    return [parts.scheme, parts.username, parts.hostname, parts.path, sorted(query)]


def _made(instance: Instance) -> dict[str, Any]:
    """How it was made but for its settings, and on which device its data are. Raises `OSError` where there
    are none.
    """
    return {
        "kind": instance.kind,
        "version": instance.version,
        "cache_bytes": instance.cache_bytes,
        "max_connections": instance.max_connections,
        "durable": instance.durable,
        "device": instance.data.stat().st_dev,
    }
