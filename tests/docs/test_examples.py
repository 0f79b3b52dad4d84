"""Every command on a page succeeds, in the order of the page, in one folder; only times are shorter.

The `igen` of README, and of lines that need a shell, is the program; all others call what it calls.
`igen run` gets `SHORT_RUN` besides (the last option of a kind counts), and commands that take a workload get
what the comment above their block says.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
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
SHORT_RUN = "--duration 0.2s --warmup 0.05s --repeats 1 --quiet"
SETTING = re.compile(r"([\w.]+)=")
TAKES_WORKLOAD = re.compile(r"\bigen (?P<command>run|prepare|cleanup|export|ab|aa) ")
TOO_NOISY = (
    "too few pairs count for a noise",
    "has no level of which anything may be said",
    "has one level that may be used",
    "lie outside of what was measured",
    "transactions/s is possible",
    "the most that were measured, it takes",
)
"""What is said where something else disturbed the few short measurements: the page is right."""
README = tree.ROOT / "README.md"
"""Its commands start the program itself."""
OWN_WORKLOAD = tree.ROOT / "docs" / "guide" / "add-a-workload.md"
"""Runs a workload that is not there yet: test_add_a_workload.py."""
SLOW = {
    *("bank", "command", "cpu", "directory", "find-the-peak", "instances", "load-models", "mariadb"),
    *("memory", "noise", "personas", "raid", "scans", "server-view", "side-by-side", "storage", "studies"),
    *("thresholds", "tiers", "torture", "users-per-watt"),
}
"""Pages of 10 to 40 s each. Tests of their subjects do the same with other numbers; of the pages with servers
`postgresql`, `http` and `web` stay."""
ARRAYS = "/var/tmp/igen-arrays"
"""Where they are unless another place is said; tests have their own."""


def shortened(command: Command) -> str:
    """The command as the test runs it."""
    takes_workload = TAKES_WORKLOAD.search(command.text)
    if not takes_workload:
        return command.text.replace("--scale 0.02", "--scale 0.0001")
    run = SHORT_RUN if takes_workload["command"] == "run" else ""
    if "--find-peak" in command.text or "--torture" in command.text:
        run = run.replace("--repeats 1 ", "")  # they decide that for themselves
    text = without_settings(command.text, SETTING.findall(command.options))
    return f"{text} {command.options} {run}"


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
    for phase, time in (("measure", "0.2s"), ("warmup", "0.05s")):
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
    assert shortened(run) == f"igen run oltp --duration 10s --set customers=10 {SHORT_RUN}"
    twice = Command("igen run io --set size=1 block=2 read=3 --set depth=4", "--set size=9 --set depth=8", 1)
    assert shortened(twice) == f"igen run io --set block=2 read=3 --set size=9 --set depth=8 {SHORT_RUN}"
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


def carried_out(
    command: str, folder: Path, environment: dict[str, str], by: Callable[..., CompletedProcess[str]]
) -> CompletedProcess[str]:
    """The command, measured for longer where the machine gave the load no time within the short one, or each
    scan waits for what others have written."""
    for duration in ("--duration 0.2s", "--duration 2s", "--duration 20s"):
        done = by(command.replace("--duration 0.2s", duration), folder, environment)
        if "no transaction succeeded in the measured time" not in done.stderr:
            break
    return done


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
    if "igen arrays up" in text and why_not():
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
    if "igen fetch duckdb" in text:
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
            done = carried_out(shortened(command).replace(ARRAYS, str(servers)), tmp_path, environment, by)
            where = f"{page.relative_to(tree.ROOT)}:{command.line}: $ {command.text}"
            if done.returncode != shell.DEFECT and any(words in done.stderr for words in TOO_NOISY):
                continue
            assert done.returncode == 0, f"{where}\nexit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    finally:
        for instance in control.selected(servers, None):
            control.remove(instance)
        arrays.down(servers, remove_data=True, say=lambda _text: None)
        end_server(tmp_path / "nginx.pid")
    shutil.rmtree(tmp_path)
