"""The built-in shop: a web application in three tiers, up and down."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import ssl
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_hazards import processes_of

from igen.cli import run_arguments
from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.instances import control
from igen.instances.instance import Instance, all_in
from igen.instances.shop import TIERS, Shop, cache_counts, tiers
from igen.study.plans import SweepPlan
from igen.study.serving import with_tiers_of
from igen.study.study import Study
from igen.workbench import private_instance
from tests.needed import missing
from tests.own_ports import own_ports
from tests.waiting import wait_for

WITHOUT_WORK = {"work": "0ms"}


class Browser:
    """A client with cookies that follows no redirect, and counts what it asks for."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection
        self.cookies: dict[str, str] = {}
        self.asked: Counter[tuple[str, str, int]] = Counter()

    def ask(self, path: str, form: str | None = None) -> tuple[int, http.client.HTTPMessage, str]:
        method = "GET" if form is None else "POST"
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        self.connection.request(method, path, form, {"Cookie": cookies} if cookies else {})
        answer = self.connection.getresponse()
        text = answer.read().decode("latin-1")
        for line in answer.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        if not path.startswith("/-/"):
            place = re.sub(r"/\d+", "/{id}", path.partition("?")[0])
            self.asked[method, place, answer.status] += 1
        return answer.status, answer.headers, text

    def sign_in(self) -> None:
        _, _, form = self.ask("/login")
        status, headers, _ = self.ask("/login", f"user=ann&password=shop&csrf_token={token(form)}")
        assert (status, headers["Location"]) == (302, "/home")


def token(page: str) -> str:
    found = re.search(r'name="csrf_token" value="(\w+)"', page)
    assert found
    return found[1]


def counted(counts: dict[str, Any]) -> Counter[tuple[str, str, int]]:
    return Counter({(row["method"], row["path"], row["status"]): row["count"] for row in counts["requests"]})


def up(directory: Path, **settings: str) -> Instance:
    wish = control.Wish(port_from=own_ports(), settings={**WITHOUT_WORK, **settings})
    (instance,) = control.up("shop", 1, directory, wish=wish)
    return instance


def answers(instance: Instance) -> bool:
    try:
        return control.administer(instance, "/-/ready") == "200 ready"
    except IgenError:
        return False


def test_all_pages_are_there_and_what_is_counted_is_what_was_asked(directory: Path) -> None:
    instance = up(directory, nodes="2")
    browser = Browser(http.client.HTTPConnection("127.0.0.1", instance.port))
    browser.sign_in()
    for path in ("/", "/home", "/search?q=oak", "/product/7", "/nowhere"):
        browser.ask(path)
    _, _, form = browser.ask("/product/7/edit")
    status, headers, _ = browser.ask("/product/7/edit", f"note=seen&csrf_token={token(form)}")
    assert (status, headers["Location"]) == (302, "/product/7")
    assert "seen</textarea>" in browser.ask("/product/7/edit")[2]
    _, _, dashboard = browser.ask("/dashboard")
    embedded = re.findall(r'"(/(?:static|api)/[^"]+)"', dashboard)
    assert len(embedded) == 23 + 4
    for path in embedded:
        assert browser.ask(path)[0] == 200
    assert counted(json.loads(browser.ask("/-/counts")[2])) == browser.asked
    before = cache_counts(instance)
    browser.ask("/search?q=oak")
    after = cache_counts(instance)
    assert before is not None
    assert after is not None
    assert sum(after) > sum(before)
    # The administrator's way to the same: over the socket.
    assert counted(json.loads(control.administer(instance, "/-/counts"))) == browser.asked
    nodes = [counted(node) for node in json.loads(browser.ask("/-/counts/app")[2])]
    passed_on = {row: count for row, count in browser.asked.items() if not row[1].startswith("/static/")}
    assert sum(nodes, Counter()) == passed_on
    assert abs(nodes[0].total() - nodes[1].total()) <= 1


def test_a_shop_without_a_cache_or_that_does_not_run_has_no_hits(directory: Path) -> None:
    instance = up(directory, cache="off")
    assert cache_counts(instance) is None
    control.stop(instance)
    assert cache_counts(instance) is None


def test_its_tiers_are_known_by_name_and_end_with_it(directory: Path) -> None:
    instance = up(directory, nodes="3")
    found = tiers(instance)
    assert {tier: len(pids) for tier, pids in found.items()} == {"web": 1, "app": 3, "data": 1}
    for tier, pids in found.items():
        for pid in pids:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            assert words[1:3] == [b"serve", tier.encode()]
    assert control.status(instance).tiers == found
    assert (control.status(instance).memory_bytes or 0) > 1 << 20
    control.down(directory, remove_data=True)
    assert processes_of(directory) == []
    assert list(directory.iterdir()) == []
    assert tiers(instance) == {}


def test_it_is_not_ready_before_its_processes_are_told(directory: Path) -> None:
    instance = up(directory)
    told = instance.folder / "tiers.json"
    told.rename(told.with_suffix(".later"))
    assert not answers(instance), "its pages answer, and whoever loads it would see no tiers"
    told.with_suffix(".later").rename(told)
    assert answers(instance)


def test_an_application_that_was_killed_comes_back(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance = up(directory)
    browser = Browser(http.client.HTTPConnection("127.0.0.1", instance.port))
    browser.sign_in()
    (first,) = tiers(instance)["app"]
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: tiers(instance).get("app", [first]) != [first] and answers(instance))
    assert browser.ask("/home")[0] == 200
    assert "app ended" in instance.log.read_text()
    control.kill(instance)
    assert processes_of(directory) == []
    assert control.status(instance).state == "lost"
    assert tiers(instance) == {}
    command = f"instances up shop --directory {directory} --set seed=9 --quiet"
    assert run_arguments(command.split()) == 0
    (again,) = all_in(directory)
    assert [len(tiers(again)[tier]) for tier in TIERS] == [1, 1, 1]
    assert again.settings == WITHOUT_WORK
    assert capsys.readouterr().err == (
        "igen: warning: shop-1 already exists with the default of seed instead of "
        "seed=9; work=0ms instead of the default of work and is not changed; "
        "`igen instances down shop --number 1 --remove` "
        "removes it with its data\n"
    )


def test_over_tls_its_target_names_the_certificate(directory: Path) -> None:
    if shutil.which("openssl") is None:
        missing("no program openssl")
    instance = up(directory, tls="on")
    certificate = instance.folder / "certificate.pem"
    assert control.target(instance) == f"https://127.0.0.1:{instance.port}?sslrootcert={certificate}"
    assert (instance.folder / "key.pem").stat().st_mode & 0o077 == 0
    context = ssl.create_default_context(cafile=str(certificate))
    browser = Browser(http.client.HTTPSConnection("127.0.0.1", instance.port, context=context))
    browser.sign_in()
    assert browser.ask("/home")[0] == 200


def test_the_command_line_has_options_of_its_own(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"instances up shop --port-from {own_ports()} --nodes 2 --cache off --work 1ms --json"
    assert run_arguments(line.split()) == 0
    said = capsys.readouterr()
    (status,) = json.loads(said.out)
    assert status["target"] == f"http://127.0.0.1:{status['port']}"
    assert status["settings"] == {"nodes": "2", "cache": "off", "work": "1ms"}
    assert len(status["tiers"]["app"]) == 2
    assert "1 × shop: " in said.err
    assert run_arguments(["instances", "down", "shop", "--remove"]) == 0
    assert list(directory.iterdir()) == []
    assert run_arguments(["instances", "up", "postgresql", "--nodes", "2"]) == 2
    assert "--nodes: postgresql has no such option" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("setting", "told"),
    [({"work": "5"}, "has no unit"), ({"nodes": "0"}, "0 is not in 1..=64"), ({"colour": "red"}, "--colour")],
)
def test_a_setting_that_is_wrong_is_told_and_nothing_is_left(
    setting: dict[str, str], told: str, directory: Path
) -> None:
    with pytest.raises(IgenError, match="did not start") as raised:
        up(directory, **setting)
    assert told in str(raised.value)
    assert list(directory.iterdir()) == []


def test_tls_is_on_or_off(directory: Path) -> None:
    with pytest.raises(InputError, match="must be on or off"):
        up(directory, tls="yes")
    assert list(directory.iterdir()) == []


def test_a_run_without_a_target_has_one_for_its_time(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever workloads there are: those that the shop is the default for."""
    job = {"workload": "http", "force": False}
    monkeypatch.setattr(Shop, "first_port", own_ports())
    monkeypatch.setattr(Agent, "list", lambda *_: [{"name": "http", "default_target": None}])
    monkeypatch.setattr(private_instance, "planned_levels", lambda *_: [SimpleNamespace(job=job)])
    said: list[str] = []
    study = Study(name="any", job=job, plan=SweepPlan(repeats=1))
    assert private_instance.with_planned_target(study).job["targets"] == [
        f"http://127.0.0.1:{Shop.first_port}"
    ]
    for _ in range(2):
        with private_instance.with_target(study, said.append) as with_one:
            (target,) = with_one.job["targets"]
            browser = Browser(http.client.HTTPConnection(target.removeprefix("http://")))
            assert browser.ask("/")[0] == 200
            (instance,) = control.selected(directory, None)
            level = with_tiers_of(with_one.servers, with_one.job)
            assert level["pids"] == [instance.pid]
            told = {each["name"]: each["match"]["pids"] for each in level["tiers"]}
            assert told == tiers(instance)
        assert control.selected(directory, None) == []
        assert processes_of(directory) == []
    assert said == ["no --target: starting a private shop", "shop-1 is removed"] * 2
    up(directory)
    with private_instance.with_target(study, said.append):
        pass
    assert said[-1] == "no --target: using shop-1, which is already running"
    (instance,) = control.selected(directory, None)
    assert control.status(instance).state == "running"


@pytest.mark.parametrize("load", ["http", "web --users 2 --think-time 20ms"])
def test_web_servers_are_measured_at_once(
    load: str, directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IGEN_STORE", str(directory / "runs"))
    monkeypatch.setattr(Shop, "first_port", own_ports())
    line = f"run {load} --duration 0.5s --warmup 0.1s --repeats 1 --json"
    assert run_arguments(line.split()) == 0
    said = capsys.readouterr()
    (level,) = json.loads(said.out)["systems"][0]["levels"]
    assert level["transactions"] > 0
    assert level["errors"] == 0
    if load != "http":  # which asks for one page that has nothing of the data
        (cache,) = [part for part in level["aspects"] if part["kind"] == "cache"]
        assert 0 < cache["hits"] <= cache["lookups"]
    assert "no --target: starting a private shop\n" in said.err
    assert "shop-1 is removed\n" in said.err
    assert control.selected(directory, None) == []
    assert processes_of(directory) == []
