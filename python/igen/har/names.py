"""Names of pages and requests, by which reports call them."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from igen.har.answers import unescaped_title
from igen.har.fields import Draft, Field
from igen.har.pages import Visit
from igen.har.secret_names import looks_like_an_id
from igen.har.secrets import Secrets

_LONGEST = 40
_TAKEN = ("connect", "tls", "resources")
"""What a load calls something else."""


def page_name(visit: Visit, titles: dict[str, str], secrets: Secrets, taken: set[str]) -> str:
    """A name that no other page has: by the path of what was asked, else the title, else a number."""
    main = next((one for one in visit.requests if one.is_navigation), visit.requests[0])
    is_sent = main.first.method != "GET"
    path = _path_words(main.last.path if is_sent else main.first.path, secrets)
    title = _words(_title(visit, titles), secrets)
    return _free([path, title, _path_words(main.first.path, secrets), "page"], taken)


def request_name(method: str, draft: Draft, secrets: Secrets, taken: set[str]) -> str:
    """A name that no other request of the page has: the last part of its path that is always there."""
    parts = [
        piece.raw
        for piece in draft.url
        if isinstance(piece, Field) and piece.kind == "path" and not piece.hole
    ]
    words = [_words(re.sub(r"\.\w{1,5}$", "", unquote(part)), secrets) for part in parts]
    last = next(
        (word for word in reversed(words) if word.strip("0123456789") and not looks_like_an_id(word)), ""
    )
    name = last or "page"
    return _free([name, f"{method.lower()} {name}"], taken)


def _title(visit: Visit, titles: dict[str, str]) -> str:
    """The title of the page, which some browsers give as its URL."""
    recorded = titles.get(visit.ref, "")
    if recorded and "://" not in recorded:
        return recorded
    pages = [one.last.answer for one in visit.requests if one.last.answer.mime == "text/html"]
    return next((title for answer in pages if (title := unescaped_title(answer.text))), "")


def _path_words(path: str, secrets: Secrets) -> str:
    """The last two words of a path that are no ids."""
    parts = [unquote(part).partition(";")[0] for part in urlsplit(path).path.split("/")]
    words = [
        _words(re.sub(r"\.\w{1,5}$", "", part), secrets) for part in parts if part and not part.isdigit()
    ]
    return " ".join([word for word in words if word and not looks_like_an_id(word)][-2:])[:_LONGEST].strip()


def _words(text: str, secrets: Secrets) -> str:
    """Letters, digits and little else; empty where the text tells a secret."""
    if secrets.tells(text):
        return ""
    words = " ".join(re.sub(r"[^\w.-]+", " ", text).split())[:_LONGEST].strip()
    return "" if secrets.tells(words) else words.lower()


def _free(names: list[str], taken: set[str]) -> str:
    """The first of these that is free, or the first with a number."""
    named = [name for name in names if name]
    name = next((name for name in named if name not in taken and name not in _TAKEN), "")
    number = 2
    while not name:
        numbered = f"{named[0]} {number}"
        name, number = ("" if numbered in taken else numbered), number + 1
    taken.add(name)
    return name
