"""Directories: every workload on a real OpenLDAP, its failures by step, bad input and faults."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import GENTLE, LONG, PATIENCE_S, Done, aspect, events, measured, reasons_of, wait_for
from outage import outage
from servers import Start

from igen.instances import control
from igen.instances.instance import Instance
from tests.said import rules_in

Igen = Callable[[str], Done]
Launch = Callable[..., subprocess.Popen[str]]
SUFFIX = "dc=example,dc=com"
PEOPLE = f"ou=People,{SUFFIX}"
SMALL = "--set entries=500 --repeats 1 --quiet"
QUICK = f"--duration 0.6s --warmup 0.1s {SMALL}"
WORKLOADS = ("ldap-search", "ldap-siteminder", "ldap-bind", "ldap-modify", "ldap-mixed")


@pytest.fixture
def directory(own_server: Start) -> Instance:
    """An empty directory of the test's own."""
    return own_server("openldap")


def one_level(done: Done) -> dict[str, Any]:
    """The only level of a run that went well."""
    assert done.code == 0, done.err
    (level,) = done.document["systems"][0]["levels"]
    return dict(level)


def anonymous(instance: Instance) -> str:
    """The target of somebody without a name."""
    return f"ldap://127.0.0.1:{instance.port}/{SUFFIX}"


# The mix has the operations of all others, and takes 4 s: all five take 20 s.
@pytest.mark.parametrize(
    "workloads",
    [
        pytest.param(WORKLOADS[-1:], id="mix"),
        pytest.param(WORKLOADS[:-1], id="others", marks=pytest.mark.slow),
    ],
)
def test_every_workload_runs_and_the_server_counts_the_same(
    igen: Igen, directory: Instance, workloads: tuple[str, ...]
) -> None:
    target = control.target(directory)
    for workload in workloads:
        done = igen(f"run {workload} --target {target} --users 3 {QUICK} --json")
        level = one_level(done)
        assert (level["errors"], level["transactions"] > 0) == (0, True), workload
        facts = done.document["systems"][0]["facts"]
        assert facts["target.ldap.vendor"] == "OpenLDAP"
        assert facts["target.ldap.waits_for_disk"] is False
        (operations,) = facts["ldap.operations"]
        assert operations["sent"] == operations["counted"], workload
        assert sum(operations["sent"].values()) > level["transactions"]
    assert igen(f"data cleanup ldap-search --target {target} --set entries=500").code == 0
    assert igen(f"run ldap-search --target {anonymous(directory)} {QUICK}").code == 1


@pytest.mark.parametrize(
    ("flags", "modifies"),
    [
        ("", 1),
        pytest.param("--set modify=false", 0, marks=pytest.mark.slow),
        pytest.param("--set share_connections=true", 1, marks=pytest.mark.slow),
    ],
)
def test_a_login_is_ten_operations(
    igen: Igen, directory: Instance, store: Path, flags: str, modifies: int
) -> None:
    target = control.target(directory)
    assert igen(f"data prepare ldap-siteminder --target {target} --set entries=500").code == 0
    level = one_level(igen(f"run ldap-siteminder --target {target} --users 4 {QUICK} {flags} --json"))
    assert level["errors"] == 0
    assert {name for name, each in level["operations"].items() if each["count"]} >= {"search.initial", "bind"}
    # Of all that was done, from the first login to the end of the last one.
    counts: Counter[str] = Counter()
    for snapshot in events(store, "snapshot"):
        counts["logins"] += snapshot["transactions"]["count"]
        counts.update({name: each["count"] for name, each in snapshot["operations"].items()})
    logins = counts["logins"]
    assert logins >= level["transactions"]
    operations = ("search.initial", "search.subsequent", "bind", "modify")
    expected = [logins, 7 * logins, logins, modifies * logins]
    assert [counts[name] for name in operations] == expected


def test_reasons_are_counted_by_the_step_that_failed(
    igen: Igen, start: Launch, store: Path, directory: Instance
) -> None:
    target = control.target(directory)
    reasons = {"bind: invalid credentials (49)", "search 1: 2 entries instead of 1"}
    assert igen(f"data prepare ldap-search --target {target} --set entries=500").code == 0
    # No person that the look before and after the run looks at.
    control.administer(
        directory,
        f"""dn: uid=user.1,{PEOPLE}
changetype: modify
replace: userPassword
userPassword: another

dn: uid=twin,{PEOPLE}
changetype: add
objectClass: inetOrgPerson
uid: twin
uid: user.4
cn: Twin
sn: Twin
""",
    )
    process = start(f"run ldap-siteminder --target {target} --users 4 {LONG} {SMALL} --set accessed_ratio=1")
    wait_for(lambda: reasons <= {each for seen in measured(store) for each in reasons_of(seen)}, process)
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["trust"]["verdict"] == "INVALID"
    assert reasons_of(level) == reasons
    assert "errors" in rules_in(level)


def own_tree(igen: Igen, directory: Instance, folder: Path) -> tuple[str, Path]:
    """The target, and a file of 500 persons that the directory holds and iGen is told of by `keys`."""
    target = control.target(directory)
    people = folder / "people.ldif"
    assert igen(f"data prepare ldap-search --target {target} --set entries=500").code == 0
    assert igen(f"data export ldap-search --target {target} --set entries=500 -o {people}").code == 0
    return target, people


# 8 s: test_somebodys_own_tree has another tree.
@pytest.mark.slow
def test_all_of_one_s_own_persons_are_asked_for(igen: Igen, directory: Instance, tmp_path: Path) -> None:
    target, people = own_tree(igen, directory, tmp_path)
    for flags, said in (
        ("", "500 entries of an existing tree below dc=example,dc=com, all of them accessed"),
        ("--set accessed_ratio=0.04", "20 of them accessed, chosen at random"),
        ("--set people=ou=People", "an existing tree below ou=People,dc=example,dc=com, all"),
    ):
        done = igen(f"run ldap-search --target {target} --set keys=@{people} {flags} {QUICK} --json")
        assert one_level(done)["errors"] == 0
        facts = done.document["systems"][0]["facts"]
        assert said in facts["ldap.tree"]
        findings = json.loads(igen("publish lint last --json").out)["findings"]
        few = facts["ldap.accessed_entries"] < 0.1 * facts["ldap.entries"]
        assert any(each["subject"] == "accessed" for each in findings) == few
    done = igen(f"run ldap-search --target {target} --set keys=@{people} people=ou=Elsewhere {QUICK}")
    assert done.code == 1, done.err
    assert "does not exist" in done.err
    assert "the file in `keys`" in done.err


def test_one_missing_person_is_named(igen: Igen, directory: Instance, tmp_path: Path) -> None:
    target, people = own_tree(igen, directory, tmp_path)
    there = next(part for part in people.read_text().split("\n\n") if "\nuid: user.7\n" in part)
    people.write_text(f"{there}\n\ndn: uid=nobody,{PEOPLE}\nuid: nobody\n\n")
    done = igen(f"run ldap-search --target {target} --set keys=@{people} {QUICK}")
    assert done.code == 1
    assert "nobody does not exist" in done.err, done.err
    assert "`keys`" in done.err
    assert "prepare" not in done.err


def test_what_another_server_holds_is_left_out_by_option(igen: Igen, directory: Instance) -> None:
    target = control.target(directory)
    assert igen(f"data prepare ldap-search --target {target} --set entries=500").code == 0
    control.administer(
        directory,
        f"""dn: ou=away,{PEOPLE}
changetype: add
objectClass: referral
objectClass: extensibleObject
ou: away
ref: ldap://127.0.0.1:1/ou=away,{SUFFIX}
""",
    )
    done = igen(f"run ldap-search --target {target} {QUICK}")
    assert done.code != 0
    assert "referrals=skip" in done.err, done.err
    done = igen(f"run ldap-search --target {target} {QUICK} --set referrals=skip --json")
    level = one_level(done)
    assert level["errors"] == 0


def test_another_entry_than_the_one_asked_for_is_a_failure(
    igen: Igen, directory: Instance, tmp_path: Path
) -> None:
    target, people = own_tree(igen, directory, tmp_path)
    # The login of each is found, with a name that is another's.
    text = people.read_text().replace("dn: uid=user.7,", "dn: uid=user.8,")
    wrong = tmp_path / "wrong.ldif"
    entry = next(part for part in text.split("\n\n") if "\nuid: user.7\n" in part)
    wrong.write_text(entry + "\n\n")
    done = igen(f"run ldap-search --target {target} --set keys=@{wrong} {QUICK}")
    assert done.code == 1, done.err
    assert "the search for user.7 did not find uid=user.8" in done.err


def test_anybody_may_search_and_nobody_else_may_modify(igen: Igen, directory: Instance) -> None:
    assert igen(f"data prepare ldap-search --target {control.target(directory)} --set entries=500").code == 0
    done = igen(f"run ldap-search --target {anonymous(directory)} {QUICK} --set attributes=cn,mail --json")
    assert one_level(done)["errors"] == 0
    assert done.document["systems"][0]["facts"]["ldap.attributes"] == "cn, mail"
    done = igen(f"run ldap-modify --target {anonymous(directory)} {QUICK}")
    assert done.code == 2, done.err
    assert "needs an administrator" in done.err


def test_a_wrong_password_is_told_and_reaches_no_file(
    igen: Igen, directory: Instance, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    monkeypatch.setenv("LDAP_PASSWORD", "hush-hush")
    done = igen(f"run ldap-search --target {control.target(directory)} {QUICK}")
    assert done.code == 1, done.err
    assert "invalid credentials (49)" in done.err
    assert "LDAP_PASSWORD" in done.err
    assert not any(b"hush-hush" in path.read_bytes() for path in store.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("ldap://127.0.0.1:1/dc=example,dc=com", "connection refused"),
        ("ldap://127.0.0.1", "has no suffix"),
        ("ldap://cn=admin@127.0.0.1/dc=lab?password_file=/nowhere", "cannot be read"),
    ],
)
def test_targets_that_lead_nowhere(igen: Igen, target: str, words: str) -> None:
    done = igen(f"run ldap-search --target {target} {QUICK}")
    assert done.code in (1, 2), done.err
    assert words in done.err
    assert "hint:" in done.err or "password" in done.err


def test_a_server_that_is_killed_and_restarted_in_the_middle(
    igen: Igen, start: Launch, store: Path, directory: Instance
) -> None:
    target = control.target(directory)
    line = f"run ldap-siteminder --target {target} --users 4 {GENTLE} {SMALL}"
    level = outage(start(line), directory, store, igen)
    assert any("connection" in reason for reason in reasons_of(level)), reasons_of(level)


def test_an_idle_connection_that_the_server_closes_is_lost_and_nothing_was_restarted(
    igen: Igen, own_server: Start
) -> None:
    directory = own_server("openldap", idletimeout="1")
    line = f"run ldap-search --target {control.target(directory)} --users 2 --think-time 4s {SMALL}"
    done = igen(f"{line} --duration 9s --warmup 0s --json")
    (level,) = done.document["systems"][0]["levels"]
    assert level["errors"] > 0
    assert all("connection" in reason for reason in reasons_of(level)), reasons_of(level)
    assert "restarted" not in done.out + done.err


def test_an_interrupted_load_is_replaced(igen: Igen, start: Launch, directory: Instance) -> None:
    # Not to a server that iGen can load with its own loader.
    target = control.target(directory).replace("127.0.0.1", "localhost")
    process = start(f"data prepare ldap-search --target {target} --set entries=1000000 --quiet")
    search = ["ldapsearch", "-x", "-LLL", "-H", f"ldap://127.0.0.1:{directory.port}", "-b", PEOPLE]

    def loaded() -> bool:
        found = subprocess.run([*search, "(uid=user.200)", "1.1"], check=False, capture_output=True)
        return b"user.200" in found.stdout

    wait_for(loaded, process)
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    done = igen(f"run ldap-search --target {target} {QUICK} --json")
    assert one_level(done)["errors"] == 0
    found = subprocess.run([*search, "(objectClass=inetOrgPerson)", "1.1"], check=True, capture_output=True)
    assert found.stdout.count(b"dn: uid=") == 500
    other = QUICK.replace("entries=500", "entries=400")
    done = igen(f"run ldap-search --target {target} {other}")
    assert done.code == 1, done.err
    assert "loaded with entries = 500, but this job needs entries = 400" in done.err


def test_shards_hold_one_range_each(igen: Igen, own_server: Start) -> None:
    targets = [control.target(own_server("openldap")) for _ in range(2)]
    both = " ".join(f"--target {target}" for target in targets)
    done = igen(f"run ldap-search {both} --users 4 {QUICK} --json")
    level = one_level(done)
    assert level["errors"] == 0
    assert [each["target"] for each in aspect(level, "targets")["targets"]] == targets
    assert all(each["transactions"] > 0 for each in aspect(level, "targets")["targets"])
    done = igen(f"run ldap-search --target {targets[1]} {QUICK}")
    assert done.code == 1, done.err
    assert "loaded with first = 500, but this job needs first = 0" in done.err


def test_somebodys_own_tree(igen: Igen, directory: Instance, tmp_path: Path) -> None:
    people = tmp_path / "people.ldif"
    entries = [
        f"dn: cn=c{number},{SUFFIX}\nobjectClass: inetOrgPerson\ncn: c{number}\nsn: s\nmail: {number}@lab\n"
        f"userPassword: p{number}\n"
        for number in range(20)
    ]
    people.write_text("\n".join(entries))
    root = f"dn: {SUFFIX}\nobjectClass: organization\nobjectClass: dcObject\no: lab\ndc: example\n"
    adding = "\n".join(
        each.replace("objectClass", "changetype: add\nobjectClass", 1) for each in [root, *entries]
    )
    control.administer(directory, adding)
    flags = f"--target {control.target(directory)} --set keys=@{people} --set login_attribute=mail"
    quick = QUICK.replace("--set entries=500 ", "")
    for workload in ("ldap-search", "ldap-bind"):
        assert one_level(igen(f"run {workload} {flags} {quick} --json"))["errors"] == 0
    done = igen(f"run ldap-siteminder {flags} {quick}")
    assert done.code == 1, done.err
    assert "iGen did not load this tree" in done.err
    assert "--i-own-this-data" in done.err
    level = one_level(igen(f"run ldap-modify {flags} {quick} --i-own-this-data --json"))
    assert level["errors"] == 0
    assert igen(f"data cleanup ldap-search {flags}").code == 1


def test_what_is_exported_is_what_is_loaded(igen: Igen, directory: Instance, tmp_path: Path) -> None:
    target, file = control.target(directory), tmp_path / "people.ldif"
    assert igen(f"data export ldap-search --target {target} --set entries=500 -o {file}").code == 0
    entries = file.read_text().rstrip().split("\n\n")
    assert len(entries) == 503
    adding = "\n\n".join(each.replace("\n", "\nchangetype: add\n", 1) for each in entries)
    control.administer(directory, adding + "\n")
    # Nothing is loaded: the marker is there.
    assert one_level(igen(f"run ldap-search --target {target} {QUICK} --json"))["errors"] == 0
    assert igen("data export oltp --target sqlite:///a.db").code == 2


def test_progress_and_facts_of_a_load_are_recorded(igen: Igen, directory: Instance, store: Path) -> None:
    target = control.target(directory).replace("127.0.0.1", "localhost")
    assert one_level(igen(f"run ldap-search --target {target} {QUICK} --json"))["errors"] == 0
    (last,) = [each for each in events(store, "progress") if each["done"] == each["total"]]
    assert (last["text"], last["total"], last["unit"]) == ("adding entries", 500, "entries")
