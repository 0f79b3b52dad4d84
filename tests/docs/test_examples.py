"""Every command on a page succeeds, in the order of the page, in one folder; only times are shorter.

The `igen` of README, and of lines that need a shell, is the program; all others call what it calls.
`igen run` gets `SHORT_RUN` besides, and commands that take a workload get what the comment above their block
says (the last option of a kind counts). Each line runs once: also on busy processors the time of its run is
enough for some transactions of a debug agent.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import shell
from pages import Command, commands, files, pages

from checks import tree
from igen.errors import InputError
from igen.instances import control
from igen.instances.products import PRODUCTS
from igen.lab import control as arrays
from tests import web
from tests.har.shop_recording import write_shop_recording
from tests.lab.able import why_not
from tests.needed import missing
from tests.own_ports import free_distance, moved
from tests.ssh_here import write_ssh
from tests.waiting import wait_for

BIN = tree.ROOT / ".venv" / "bin"
STUDIES = tree.ROOT / "studies"
RECORDING = "shop.har"
"""What a browser has recorded of the shop: pages name it as if it was in their folder."""
SHORT_RUN = "--warmup 0.05s --repeats 1 --quiet"
MEASURED = {
    **dict.fromkeys(("command", "mem", "ram", "scan"), "2s"),
    **dict.fromkeys(("bank", "io", "oltp", "web"), "0.6s"),
}
"""Length of the measurement by workload, else `MEASURED_ELSE`: next to four busy processes on two processors
some transactions of a debug agent end in it. Those of the first line compute for long, those of the second
wait for a disk or for many requests."""
MEASURED_ELSE = "0.2s"
MOST_USERS = 16
"""Load levels with more users who never rest have so many: a debug agent takes 0.1 s to connect 64."""
RESTS = re.compile(r"--(think-time|pace) ")
SETTING = re.compile(r"([\w.]+)=")
TAKES_WORKLOAD = re.compile(
    r"\bigen (?P<command>run|data prepare|data cleanup|data export|ab|noise measure) (?P<workload>\S*)"
)
WORKLOAD = re.compile(r"""\bworkload"?\s*[=:]\s*"([\w-]+)""")
USERS = re.compile(r"(?<=--users )[\d,]+")
LONG_WORKLOAD = re.compile(r'(\bigen (?:run|ab|noise measure) |\bworkload"?\s*[=:]\s*")cpu\b')
"""A transaction of `cpu` is 25 ms of processor time in a debug agent, and has no smaller size: next to busy
processors the measured time may be over before one has ended."""
SMALL_WORKLOAD = r"\1noop"
README = tree.ROOT / "README.md"
"""Its commands start the program itself."""
OWN_WORKLOAD = tree.ROOT / "docs" / "guide" / "add-a-workload.md"
"""Runs a workload that is not there yet: test_add_a_workload.py."""
SLOW = {
    *("bank", "command", "cpu", "directory", "find-the-peak", "floating-point", "instances", "load-models"),
    *("mariadb", "memory", "noise", "personas", "predict", "raid", "scans", "server-view", "side-by-side"),
    *("storage", "studies", "thresholds", "tiers", "torture", "users-per-watt", "watch-every-tier", "web"),
    *("compare-two-runs", "oltp-sqlite", "postgresql", "publish", "queue", "telemetry", "where-is-my-memory"),
}
"""Pages of 3 to 40 s each. Tests of their subjects do the same with other numbers; of the pages with servers
`http` stays."""
ARRAYS = "/var/tmp/igen-arrays"
"""Where they are unless another place is said; tests have their own."""


def shortened(command: Command) -> str:
    """The command as the test runs it."""
    text, is_other = LONG_WORKLOAD.subn(SMALL_WORKLOAD, command.text)
    takes_workload = TAKES_WORKLOAD.search(text)
    if not takes_workload:
        return text.replace("--scale 0.02", "--scale 0.0001")
    measured = MEASURED.get(takes_workload["workload"], MEASURED_ELSE)
    run = f"--duration {measured} {SHORT_RUN}" if takes_workload["command"] == "run" else ""
    if "--find-peak" in text or "--torture" in text:
        run = run.replace("--repeats 1 ", "")  # they decide that for themselves
    text = without_settings(text, [*SETTING.findall(command.options), *(["variant"] if is_other else [])])
    if not RESTS.search(text):
        text = USERS.sub(fewer_users, text)
    return f"{text} {run} {command.options}"


def fewer_users(found: re.Match[str]) -> str:
    """Return the load levels, none with more than `MOST_USERS`."""
    return ",".join(dict.fromkeys(str(min(int(users), MOST_USERS)) for users in found[0].split(",")))


def without_settings(command: str, names: list[str]) -> str:
    """The command without what it sets itself of these: nothing may be set twice."""
    for name in names:
        command = re.sub(rf"--set {name}=\S+ (?=[\w.]+=)", "--set ", command)
        command = re.sub(rf"( --set)? {name}=\S+", "", command)
    return command


def smaller(study: str) -> str:
    """A study or a job with short measurements, one repeat and a few of its tests.

    They hold their times and sizes themselves.
    """
    study = LONG_WORKLOAD.sub(SMALL_WORKLOAD, study)
    # Next to busy processors a thread of this class waits for seconds until it runs.
    study = study.replace('"batch", "idle"]', '"batch"]')
    measured = [MEASURED.get(workload, MEASURED_ELSE) for workload in WORKLOAD.findall(study)]
    for phase, time in (("measure", max(measured, default=MEASURED_ELSE)), ("warmup", "0.05s")):
        study = re.sub(rf'({phase}_s"?\s*[=:]\s*)"\d+s"', rf'\1"{time}"', study)
    # The page on personas writes them as numbers: of those who come once a second, some must come.
    study = study.replace("warmup_s = 1, measure_s = 3", "warmup_s = 0.2, measure_s = 1")
    study = re.sub(r"\b(customers = \d+)0\b", r"\1", study)
    study = study.replace("repeats = 3", "repeats = 1").replace('"256MB"', '"1MB"')
    study = study.replace("[16, 32, 64, 128]", "[16]")
    head, *tests = study.split("\n[[tests]]\n")
    return "\n[[tests]]\n".join([head, *tests[::4]])


def test_options_go_where_they_are_meant() -> None:
    run = Command("igen run oltp --duration 10s", "--set customers=10", 1)
    assert shortened(run) == f"igen run oltp --duration 10s --duration 0.6s {SHORT_RUN} --set customers=10"
    twice = Command("igen run io --set size=1 block=2 read=3 --set depth=4", "--set size=9 --set depth=8", 1)
    given = f"--duration 0.6s {SHORT_RUN} --set size=9 --set depth=8"
    assert shortened(twice) == f"igen run io --set block=2 read=3 {given}"
    many = Command("igen run http --users 1,8,32,64", "", 1)
    assert shortened(many).startswith(f"igen run http --users 1,8,16 --duration 0.2s {SHORT_RUN}")
    resting = Command("igen run http --users 200 --think-time 1s", "", 1)
    assert "--users 200 " in shortened(resting)
    long = Command("igen run cpu --users 1 --set variant=throughput", "", 1)
    assert shortened(long).startswith(f"igen run noop --users 1 --duration 0.2s {SHORT_RUN}")
    assert shortened(Command("igen show last", "--set customers=10", 1)) == "igen show last"


def test_what_needs_no_shell_is_taken_apart_as_a_shell_does() -> None:
    line = "igen run oltp --target 'mysql://igen@127.0.0.1:{1..2}/igen' --set  customers=10"
    words = ["igen", "run", "oltp", "--target", "mysql://igen@127.0.0.1:{1..2}/igen", "--set", "customers=10"]
    assert shell.in_words(line) == words
    for other in ("igen show > a", "igen show $PWD", "igen show {a,b}", "A=1 igen show", "igen show 'a"):
        assert shell.in_words(other) is None, other


@pytest.mark.parametrize("page", [page for page in pages() if page.stem in SLOW], ids=lambda page: page.stem)
def test_every_command_on_a_slow_page_is_understood(page: Path, tmp_path: Path) -> None:
    """Names and options only: what they do is for the slow test."""
    text = page.read_text(encoding="utf-8")
    for name, content in files(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    with contextlib.chdir(tmp_path):
        for command in commands(text):
            if words := shell.in_words(command.text):
                shell.understand(words[1:])


@pytest.fixture
def servers() -> Iterator[Path]:
    """Where a page's private servers are: the accounts of servers may not enter a test's own folder."""
    with TemporaryDirectory(prefix="igen-docs-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def end_server(pid_file: Path) -> None:
    """Ends the web server of a page, if it still runs, and waits until the file of its process id is gone."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        os.kill(int(pid_file.read_text()), signal.SIGTERM)
        wait_for(lambda: not pid_file.exists())


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page.stem in SLOW else [])
        for page in pages()
        if page != OWN_WORKLOAD
    ],
    ids=lambda page: page.stem.lower(),
)
def test_every_command_on_the_page_succeeds(
    page: Path, tmp_path: Path, servers: Path, with_duckdb: Callable[[], None]
) -> None:
    distance = free_distance()
    text = moved(page.read_text(encoding="utf-8"), distance)
    if "igen instances array up" in text and why_not():
        pytest.skip(why_not())
    run = "\n".join(command.text for command in commands(text))
    for kind, product in PRODUCTS.items():
        if f"igen instances up {kind}" in run or (kind == "openldap" and "run ldap-" in run):
            try:
                product.version()
            except InputError as error:
                missing(str(error))
    if str(web.PROGRAM) in text:
        web.need()
    if "igen install duckdb" in text:
        with_duckdb()
    studies = {f"studies/{path.name}": path.read_text("utf-8") for path in STUDIES.glob("*.toml")}
    (tmp_path / "studies").mkdir()
    if "ssh://" in text:
        write_ssh(tmp_path)
    write_shop_recording(tmp_path / RECORDING)
    for name, content in {**studies, **dict(files(text))}.items():
        own = moved(smaller(content), distance).replace(ARRAYS, str(servers))
        (tmp_path / name).write_text(own, encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{BIN}:{os.environ['PATH']}",
        "IGEN_STORE": str(tmp_path / "runs"),
        "IGEN_INSTANCES": str(servers),
        "IGEN_ARRAYS": str(servers),
    }
    by = shell.by_bash if page == README else shell.carried_out
    try:
        for command in commands(text):
            done = by(shortened(command).replace(ARRAYS, str(servers)), tmp_path, environment)
            where = f"{page.relative_to(tree.ROOT)}:{command.line}: $ {command.text}"
            assert done.returncode == 0 or done.is_undecided, (
                f"{where}\nexit code {done.returncode}\n{done.stdout}\n{done.stderr}"
            )
    finally:
        for instance in control.selected(servers, None):
            control.remove(instance)
        arrays.down(servers, remove_data=True, say=lambda _text: None)
        end_server(tmp_path / "nginx.pid")
    shutil.rmtree(tmp_path)
