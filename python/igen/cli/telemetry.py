"""Options for live metrics of a run: of all commands that run something."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from igen.errors import InputError

if TYPE_CHECKING:
    from igen.study.observer import Observer

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Destinations of live metrics."""

    openmetrics: tuple[str, int] | None = None
    """Host and port to listen on."""
    otlp: str | None = None
    """URL of a collector."""

    @contextmanager
    def told(self, observer: Observer, say: Callable[[str], None]) -> Iterator[Observer]:
        """Yield the observer, joined by the exporters of metrics, which end with the context."""
        if self.openmetrics is None and self.otlp is None:
            yield observer
            return
        from igen.study.observer import Observers
        from igen.telemetry.endpoint import Endpoint
        from igen.telemetry.otlp import Sender
        from igen.telemetry.totals import Totals

        totals = Totals()
        with ExitStack() as outlets:
            if self.openmetrics is not None:
                endpoint = outlets.enter_context(Endpoint(*self.openmetrics, totals.families))
                say(f"metrics at {endpoint.url}")
            if self.otlp is not None:
                outlets.enter_context(Sender(self.otlp, totals.families, observer.warning))
            yield Observers([observer, totals])


def _address(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, int] | None:
    """Host and port: `9464` or `0.0.0.0:9464`."""
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    if port.isdecimal() and len(port) <= 5 and int(port) < 1 << 16:
        return host.strip("[]") or _LOOPBACK, int(port)
    hint = "use a port of loopback (9464), or an address and a port (0.0.0.0:9464)"
    raise InputError(f"`{text}` is not an address to listen on", where="--openmetrics", hint=hint)


def _collector(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """The URL of a collector: `http://collector:4318`."""
    if text is None:
        return None
    parts = urlsplit(text)
    if parts.username is not None:
        hint = "send the metrics to a collector on this host that forwards them"
        raise InputError(
            "the URL contains a password, which other users could read", where="--otlp", hint=hint
        )
    if parts.scheme in {"http", "https"} and parts.hostname and not parts.query:
        return text
    hint = "use the URL of its OTLP receiver over HTTP: http://collector:4318"
    raise InputError(f"`{text}` is not the URL of a collector", where="--otlp", hint=hint)


def telemetry_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options, as one argument `telemetry` of the command."""

    @functools.wraps(command)
    def with_telemetry(*args: Any, openmetrics: Any, otlp: Any, **flags: Any) -> Any:
        return command(*args, telemetry=Telemetry(openmetrics, otlp), **flags)

    options = (
        click.option(
            "--openmetrics",
            metavar="[HOST:]PORT",
            callback=_address,
            help="Serve the progress at /metrics in OpenMetrics, for Prometheus.",
        ),
        click.option(
            "--otlp",
            metavar="URL",
            callback=_collector,
            help="Send the progress to an OpenTelemetry collector: http://collector:4318.",
        ),
    )
    for option in reversed(options):
        with_telemetry = option(with_telemetry)
    return with_telemetry
