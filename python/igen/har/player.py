"""A user who plays a scenario once, as a trial and not as a load."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import zlib
from dataclasses import dataclass
from email.message import Message
from functools import cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import Request

from igen.har.answers import Place, found
from igen.har.exchange import SEEN_BYTES, Pairs
from igen.har.redirect import REDIRECTS, AstrayError, method_behind, path_behind
from igen.har.requests import MOST_REDIRECTS

LIMIT_S = 30.0
"""Longest time to an answer."""
MOST_BYTES = 64 << 20
"""Longest answer."""
METHODS = ("get", "head", "post", "put", "patch", "delete")
_HOLE = re.compile(r"\{\{([A-Za-z][\w.-]*)\}\}|\{([A-Za-z][\w.-]*)\}")
_CONTENT_TYPES = {"form": "application/x-www-form-urlencoded", "json": "application/json"}


@dataclass
class Came:
    """An answer, and its fault, if any."""

    status: int
    headers: Pairs
    body: bytes
    fault: str = ""

    @cached_property
    def text(self) -> str:
        """Return the start of the body."""
        return self.body[:SEEN_BYTES].decode("utf-8", "replace")

    def header(self, name: str) -> str:
        """Return the first header of this name; empty without it."""
        return next((value for own, value in self.headers if own.lower() == name), "")


class _Told:
    """Headers for the cookie jar of the standard library."""

    def __init__(self, headers: Message) -> None:
        self._headers = headers

    def info(self) -> Message:
        return self._headers


class Player:
    """A user with variables and cookies."""

    def __init__(self, url: str, defaults: dict[str, Any], values: dict[str, str]) -> None:
        parts = urlsplit(url)
        self._defaults, self._values = defaults, dict(values)
        self._base = parts.path.rstrip("/")
        self._origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        # The load does not look at `Secure` of cookies either.
        self._cookies = CookieJar(DefaultCookiePolicy(secure_protocols=("http", "https")))
        self._connection: http.client.HTTPConnection
        if parts.scheme == "https":
            options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            context = ssl.create_default_context(cafile=options.get("sslrootcert"))
            if certificate := options.get("sslcert"):
                context.load_cert_chain(certificate, options.get("sslkey"))
            self._connection = http.client.HTTPSConnection(
                str(parts.hostname), parts.port, timeout=LIMIT_S, context=context
            )
        else:
            self._connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=LIMIT_S)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def ask(self, request: dict[str, Any]) -> Came:
        """Send a request with its redirects; return the last answer and its variables."""
        method = next(each for each in METHODS if each in request)
        path = self._base + self._filled(request[method], "percent")
        headers, body = self._headers(request), self._body(request)
        most = request.get("redirects", self._defaults.get("redirects", MOST_REDIRECTS))
        paths, told = [path], list[Pairs]()
        while True:
            came = self._send(method.upper(), paths[-1], headers, body)
            told.append(came.headers)
            is_expected = came.status == request.get("expect", {}).get("status")
            if came.status not in REDIRECTS or is_expected or not most:
                break
            try:
                paths.append(path_behind(came.header("location"), paths[-1], self._origin))
            except AstrayError as error:
                came.fault = str(error)
                return came
            if len(paths) > most + 1:
                last, after = (each.partition("?")[0] for each in paths[-2:])
                came.fault = f"more than {most} redirects, the last from {last} to {after}"
                return came
            follows = method_behind(method, came.status)
            method, body = follows, body if follows == method else None
        self._extract(request, came, told)
        return came

    def _send(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Came:
        """Send a request, on a new connection if the server has closed the old connection."""
        own = {name: value for name, value in headers.items() if body is not None or name != "Content-Type"}
        asked = Request(self._origin + path)
        self._cookies.add_cookie_header(asked)
        if cookies := asked.get_header("Cookie"):
            own["Cookie"] = cookies
        try:
            self._connection.request(method, path, body, own)
            answer = self._connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self._connection.close()
            self._connection.request(method, path, body, own)
            answer = self._connection.getresponse()
        content = answer.read(MOST_BYTES)
        self._cookies.extract_cookies(_Told(answer.headers), asked)  # type: ignore[arg-type]
        came = Came(answer.status, list(answer.headers.items()), content)
        if came.header("content-encoding").lower() == "gzip":
            try:
                came.body = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(content, MOST_BYTES)
            except zlib.error as error:
                came.fault = f"a body that is not gzip: {error}"
        return came

    def _headers(self, request: dict[str, Any]) -> dict[str, str]:
        headers = {"User-Agent": "igen", "Accept-Encoding": "identity"}
        if "gzip" in self._defaults.get("compression", []):
            headers["Accept-Encoding"] = "gzip"
        for each in (self._defaults.get("headers", {}), request.get("headers", {})):
            for name, value in each.items():
                headers = {own: text for own, text in headers.items() if own.lower() != name.lower()}
                headers[name] = self._filled(value, "raw")
        kind = next((kind for kind in _CONTENT_TYPES if kind in request), "")
        if kind and not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = _CONTENT_TYPES[kind]
        return headers

    def _body(self, request: dict[str, Any]) -> bytes | None:
        if "form" in request:
            fields = sorted(request["form"].items())
            filled = [(name, self._filled(value, "raw")) for name, value in fields]
            return "&".join(
                f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in filled
            ).encode()
        for kind, encoding in (("json", "json"), ("body", "raw")):
            if kind in request:
                return self._filled(request[kind], encoding).encode()
        return None

    def _filled(self, text: str, encoding: str) -> str:
        """Return a text with values in its holes."""

        def value(match: re.Match[str]) -> str:
            if match[1]:
                return f"{{{match[1]}}}"
            own = self._values[match[2]]
            if encoding == "percent":
                return quote(own, safe="")
            return json.dumps(own, ensure_ascii=False)[1:-1] if encoding == "json" else own

        return _HOLE.sub(value, text)

    def _extract(self, request: dict[str, Any], came: Came, told: list[Pairs]) -> None:
        for variable, place in request.get("extract", {}).items():
            ((by, text),) = place.items()
            value = found(Place(by, text), came.headers, came.text, told)
            if value is None:
                came.fault = came.fault or f"status {came.status}, and no {variable} in the answer"
            else:
                self._values[variable] = value
