"""What users of a web application cost the process that is them: memory of each, and reading of pages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from bench import agent
from bench.comparison import Comparison, interleave, spread
from bench.outcome import Goal, Outcome, number
from bench.steady import Window

PAGE_BYTES = 10_000
FILE = "page.html"
CHANGING = "changing.html"
PIECE_BYTES = 2_000
"""nginx's configuration has no longer words than 4 KiB."""
PAGES = (
    (FILE, "page of 10 KB", "checks_cpu_ratio"),
    (CHANGING, "page of 10 KB that changes", "changing_checks_cpu_ratio"),
)
VARIABLES = 10
COOKIES = 3
CONNECTIONS = 64
CHECKS_GOAL = "<= 1.25"
USER_GOAL = "<= 4"
USERS_GOAL = "< 100"
READ: dict[str, Any] = {
    "expect": {
        "status": 200,
        "header": {"Content-Type": "text/html"},
        "max_bytes": 2 * PAGE_BYTES,
        "contains": ["Records found", "Signed in"],
    },
    "extract": {"csrf": {"input": "csrf"}, "id": {"regex": "/record/([0-9]+)"}},
}
"""Five checks and two values."""
KIB, MIB = 2**10, 2**20
USERS, MORE_USERS = 1_000, 14_000
QUICK_USERS, MORE_QUICK_USERS = 200, 2_000
THINK_TIME_S = 10.0
WINDOW = Window(warmup_s=0, measure_s=12)
"""Each user has been to its page at least once when it is over."""
QUICK_THINK_TIME_S = 1.0
QUICK_WINDOW = Window(warmup_s=2, measure_s=1)

NOTES = [
    f"A page of `web` with checks: a file of {PAGE_BYTES:,} bytes with five checks (status, header, length, "
    "two texts at its end) and two values taken out of it (a form field, a regular expression); without: the "
    "same file, of which only the status is looked at. Both by iGen, on one thread, in alternating runs. A "
    "page that changes has a number near its begin that no other answer has.",
    f"Users of `web` have a kept connection, {VARIABLES} variables and {COOKIES} cookies each, and think for "
    f"{THINK_TIME_S:.0f} s; memory by user is the difference of both peaks by that of users, monitors on.",
]


def page(begin: str = "<html><body>") -> str:
    """A page that has what is looked for at its end."""
    end = (
        '<form><input type="hidden" name="csrf" value="0123456789abcdef"></form>'
        '<a href="/record/4711">next</a><p>Records found</p><p>Signed in</p></body></html>'
    )
    filling = "<p>A paragraph of a page, which nobody looks at twice.</p>"
    missing = PAGE_BYTES - len(begin) - len(end)
    return begin + (filling * (missing // len(filling) + 1))[:missing] + end


def locations() -> str:
    """What a user is given to keep, and a page that changes, in the words of nginx's configuration."""
    number = "0" * 32
    text = page(f'<html><head><meta name="request" content="{number}"></head><body>')
    pieces = [text[at : at + PIECE_BYTES] for at in range(0, PAGE_BYTES, PIECE_BYTES)]
    pieces[0] = pieces[0].replace(number, "$request_id")
    parts = "".join(f"set $part{at} '{piece}'; " for at, piece in enumerate(pieces))
    whole = "".join(f"$part{at}" for at in range(len(pieces)))
    changing = f'location = /{CHANGING} {{ default_type text/html; {parts} return 200 "{whole}"; }}'
    cookies = " ".join(f'add_header Set-Cookie "c{n}=0123456789abcdef; Path=/";' for n in range(COOKIES))
    fields = "".join(f"<input name='v{n}' value='0123456789abcdef'>" for n in range(VARIABLES))
    return f'{changing} location = /user {{ {cookies} return 200 "{fields}"; }}'


def measure(outcome: Outcome, target: str, *, rounds: int, run_s: int, quick: bool) -> None:
    """Both, on a server with the page and the locations."""
    for file, page_kind, goal in PAGES:
        ratio = checks(outcome, target, file, page_kind, rounds, run_s)
        outcome.goals[goal] = Goal(ratio, CHECKS_GOAL)
    if quick:
        memory(outcome, target, (QUICK_USERS, MORE_QUICK_USERS), QUICK_THINK_TIME_S, QUICK_WINDOW)
    else:
        memory(outcome, target, (USERS, MORE_USERS), THINK_TIME_S, WINDOW)
    outcome.notes += NOTES


def checks(outcome: Outcome, target: str, file: str, page_kind: str, rounds: int, run_s: int) -> float:
    """A page that is read, beside the same one that only passes by: a row, and the ratio of both."""
    print(f"http: {page_kind}, with checks and without ...", file=sys.stderr)
    sides: dict[str, Callable[[], float]] = {
        "with": partial(_cpu_us, target, file, READ, run_s),
        "without": partial(_cpu_us, target, file, {}, run_s),
    }
    cpu_us = Comparison(interleave(sides, rounds))
    ratio = cpu_us.ratio("with", "without")
    outcome.add(
        f"{page_kind} with 5 checks and 2 extractors, beside without: CPU µs per page",
        iGen=number(cpu_us.median("with")),
        range=cpu_us.spread("with"),
        iGen_without=number(cpu_us.median("without")),
        ratio=number(ratio),
        ratio_range=spread(cpu_us.ratios("with", "without")),
    )
    return ratio


def memory(
    outcome: Outcome, target: str, users: tuple[int, int], think_time_s: float, window: Window
) -> None:
    """Few users and many in one process."""
    peaks = []
    for count in users:
        print(f"http: {count:,} users of a web application ...", file=sys.stderr)
        peaks.append(_peak_bytes(target, count, think_time_s, window))
        outcome.add(
            f"{count:,} users of web who think {think_time_s:.0f} s: peak memory, MiB",
            iGen=number(peaks[-1] / MIB),
        )
    each_kib = (peaks[1] - peaks[0]) / (users[1] - users[0]) / KIB
    outcome.add("a user of web more: memory, KiB", iGen=number(each_kib))
    outcome.goals["web_user_kib"] = Goal(each_kib, USER_GOAL)
    outcome.goals[f"web_{users[1]}_users_mib"] = Goal(peaks[1] / MIB, USERS_GOAL)


def _cpu_us(target: str, file: str, read: dict[str, Any], run_s: int) -> float:
    window = Window(warmup_s=0, measure_s=run_s - 1)
    params = {"scenario": scenario({"name": "it", "get": f"/{file}", **read})}
    done = agent.run(agent.measurement("web", target, CONNECTIONS, window, params, threads=1))
    return done.execution.cpu_s * 1e6 / done.transactions


def _peak_bytes(target: str, users: int, think_time_s: float, window: Window) -> int:
    variables = {f"v{n}": {"input": f"v{n}"} for n in range(VARIABLES)}
    params = {"scenario": scenario({"name": "it", "get": "/user", "extract": variables})}
    described = agent.measurement("web", target, users, window, params)
    described["load"]["closed"]["think_time_s"] = think_time_s
    return agent.peak_memory_bytes(described)


def scenario(*requests: dict[str, Any]) -> dict[str, Any]:
    """A page of these requests, again and again."""
    return {"session": {"steps": [{"page": "page"}]}, "page": [{"name": "page", "request": [*requests]}]}
