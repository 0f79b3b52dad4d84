from __future__ import annotations

import html
import re
import socket
from pathlib import Path

import pytest

from igen.console.forms import parameters_of, wish_of
from igen.console.page import coded, subject_of
from igen.console.route import Form
from igen.errors import InputError
from igen.queue.folder import QueueFolder
from igen.store.notes import read_notes
from igen.store.run import Run
from igen.store.store import Store
from igen.units import parse_rate_per_s
from igen.version import VERSION
from igen.workbench.asker import Asker
from igen.workbench.begun import BEGUN_FOLDER
from igen.workbench.own_command import own_command
from igen.workbench.toml_text import toml_text
from igen.workload_parameters import known_workload
from tests.console.site import RUN, Site, form_token, site
from tests.dangers.test_find import ATTACKS

HOSTILE_TITLE = "<b>x</b>"


def test_the_list_has_the_runs_and_finds_them(shown: Site) -> None:
    client = shown.visitor("read")
    assert RUN in client.get("/").text
    assert RUN in client.get("/?q=workload:oltp").text
    assert RUN not in client.get("/?q=workload:model").text
    wrong = client.get("/?q=colour:red")
    assert wrong.status_code == 200
    assert "colour:" in wrong.text


def test_each_page_tells_to_which_it_belongs() -> None:
    paths = {"/": "/", "/runs/x/files": "/", "/compare": "/", "/recording": "/new", "/new/check": "/new"}
    paths |= {"/tools/pages": "/tools", "/queue": "/queue"}
    assert {path: subject_of(path) for path in paths} == paths


def test_a_store_without_runs_says_where_to_begin(tmp_path: Path) -> None:
    empty = site(tmp_path / "full")
    empty.console.store = Store(tmp_path / "empty")
    for path in ("/", "/trend", "/datacenter"):
        pages = [empty.visitor(role).get(path).text.partition("<main")[2] for role in ("run", "read")]
        assert ['href="/new"' in page for page in pages] == [True, False], path


def test_a_result_tells_its_verdict_levels_and_facts(shown: Site) -> None:
    page = shown.visitor("read").get(f"/runs/{RUN}").text
    for part in ('id="verdict"', 'id="levels"', "<svg", "VALID"):
        assert part in page
    assert 'style="' not in page


def test_a_run_that_was_cut_off_before_it_measured_promises_nothing(shown: Site) -> None:
    run = shown.console.store.create_run(name="x", system="lab", title="x", study={})
    page = shown.visitor("read").get(f"/runs/{run.id}").text
    assert "This run was cut off" in page
    assert "Nothing was measured" in page
    for promise in ("everything measured before", "Other runs of"):
        assert promise not in page


def test_a_note_and_a_tag_stay_with_the_run(shown: Site) -> None:
    client = shown.visitor("run")
    token = form_token(client)
    client.post(f"/runs/{RUN}/note", data={"csrf": token, "text": "the new disk"})
    client.post(f"/runs/{RUN}/tags", data={"csrf": token, "tags": "+q3 draft"})
    client.post("/runs/tag", data={"csrf": token, "tags": "-draft", "run": RUN})
    said = read_notes(Run(shown.console.folder / RUN))
    assert ([each.text for each in said.texts], [each.by for each in said.texts]) == (
        ["the new disk"],
        ["Anna"],
    )
    assert said.tags == ["q3"]
    assert "the new disk" in client.get(f"/runs/{RUN}").text
    assert "the new disk" in client.get(f"/runs/{RUN}/report").text
    assert RUN in client.get("/?q=tag:q3").text


def test_a_hidden_run_is_found_by_its_tag_alone(shown: Site) -> None:
    client = shown.visitor("run")
    client.post("/runs/hide", data={"csrf": form_token(client), "run": RUN})
    assert RUN not in client.get("/").text
    assert RUN in client.get("/?q=tag:hidden").text


def test_who_ticks_runs_comes_back_to_where_they_were_found(shown: Site) -> None:
    client = shown.visitor("run")
    page = client.get("/?q=workload:oltp&page=1").text
    (action,) = re.findall(r'formaction="(/runs/tag[^"]*)"', page)
    assert html.unescape(action) == "/runs/tag?q=workload%3Aoltp&page=1"
    form = {"csrf": form_token(client), "tags": "+x", "run": RUN}
    answer = client.post(html.unescape(action), data=form, follow_redirects=False)
    assert answer.headers["location"] == "/?q=workload%3Aoltp&page=1"


def test_what_stands_between_backticks_is_code(shown: Site) -> None:
    assert coded("as `a<b>` or `c`, <i>") == "as <code>a&lt;b&gt;</code> or <code>c</code>, &lt;i&gt;"
    page = shown.visitor("run").get("/new?workload=command").text
    assert re.search(r'<span class="help">[^<]*<code>', page)
    assert "`" not in "".join(re.findall(r'<span class="help">.*?</span>', page))


def test_runs_of_different_workloads_are_not_compared(shown: Site) -> None:
    answer = shown.visitor("read").get(f"/compare?a={RUN}&b=model")
    assert answer.status_code == 400
    assert "different workloads" in answer.text


FORM = [("workload", "model"), ("mode", "users"), ("users", "1, 2"), ("repeats", "2"), ("duration", "300ms")]


def test_what_would_run_is_told_with_its_command_and_its_study(shown: Site) -> None:
    client = shown.visitor("run")
    data = dict(FORM) | {"csrf": form_token(client), "set.service_time": "2ms"}
    page = client.post("/new/check", data=data).text
    assert "igen run model --users 1,2 --repeats 2 --duration 300ms --set service_time=2ms" in page
    assert "4 jobs" in page
    assert "Start now" in page


def test_a_fault_is_told_at_its_field(shown: Site) -> None:
    client = shown.visitor("run")
    token = form_token(client)
    wrong = client.post("/new/check", data=dict(FORM) | {"csrf": token, "users": "none"})
    assert wrong.status_code == 400
    assert 'name="users" value="none" aria-invalid="true"' in wrong.text
    bad = client.post("/new/check", data=dict(FORM) | {"csrf": token, "set.service_time": "soon"})
    assert 'name="set.service_time" value="soon"' in bad.text
    assert bad.text.count('aria-invalid="true"') == 1


@pytest.mark.parametrize("name", ATTACKS)
def test_what_is_dangerous_is_not_started_from_a_form(shown: Site, name: str) -> None:
    client = shown.visitor("run")
    token = form_token(client)
    _, study = ATTACKS[name]
    for path in ("/new/check", "/new/start", "/new/queue"):
        answer = client.post(path, data={"csrf": token, "study": toml_text({"name": "x", **study})})
        assert answer.status_code == 400, path
        assert "--allow-dangerous" in answer.text
    assert not (shown.console.folder / BEGUN_FOLDER).exists()
    assert QueueFolder(shown.console.folder).read().entries == []


def test_a_file_is_not_sent_to_a_server(shown: Site, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    mark.write_text("hush")
    client = shown.visitor("run")
    token = form_token(client)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        study = {
            "name": "x",
            "job": {
                "workload": "web",
                "targets": [f"http://127.0.0.1:{server.getsockname()[1]}"],
                "params": {"scenario": {"secrets": {"k": f"file:{mark}"}}},
            },
        }
        for path in ("/new/check", "/new/start", "/new/queue"):
            answer = client.post(path, data={"csrf": token, "study": toml_text(study)})
            assert answer.status_code == 400
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_form_has_the_parameters_of_the_schema() -> None:
    workload = known_workload("model")
    assert workload is not None
    found = {each.name: each for each in parameters_of(workload)}
    assert found["service"].choices == ["exponential", "deterministic"]
    assert found["servers"].default == "1"


def test_numbers_in_a_form_are_numbers() -> None:
    wish = wish_of(Form([("workload", "model"), ("mode", "rate"), ("rate", "10,20"), ("set.servers", "2")]))
    assert wish.table["axes"] == {"load.open.rate_per_s": [10.0, 20.0]}
    assert wish.table["job"]["params"] == {"servers": 2}
    with pytest.raises(InputError):
        wish_of(Form([("workload", "model"), ("mode", "rate"), ("rate", "10,10")]))
    with pytest.raises(InputError):
        wish_of(Form([("workload", "model"), ("mode", "rate")]))


@pytest.mark.parametrize(
    ("fields", "path", "levels", "words"),
    [
        ({"mode": "users", "users": "1 2"}, "load.closed.users", [1, 2], "--users 1,2"),
        ({"mode": "users", "users": "+1,  0_2,"}, "load.closed.users", [1, 2], "--users 1,2"),
        ({"mode": "rate", "rate": "10 20"}, "load.open.rate_per_s", [10.0, 20.0], "--rate 10,20"),
        ({"mode": "rate", "rate": "0.00001 1234567.125"}, "load.open.rate_per_s", [1e-5, 1234567.125],
         "--rate 0.00001,1234567.125"),
    ],
)  # fmt: skip
def test_the_command_has_the_levels_that_were_read(
    fields: dict[str, str], path: str, levels: list[float], words: str
) -> None:
    wish = wish_of(Form([("workload", "model"), *fields.items()]))
    assert wish.table["axes"] == {path: levels}
    assert words in wish.command
    if "--rate" in words:
        assert [parse_rate_per_s(word) for word in words.removeprefix("--rate ").split(",")] == levels


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000], ids=["lists", "tables"])
def test_what_is_nested_deeply_is_a_fault(shown: Site, text: str) -> None:
    client = shown.visitor("run")
    data = dict(FORM) | {"csrf": form_token(client), "set.service_time": text}
    assert client.post("/new/check", data=data).status_code == 400
    study = ".".join("a" * 10_000) + " = 1"
    assert client.post("/new/check", data={"csrf": data["csrf"], "study": study}).status_code == 400


@pytest.mark.parametrize("after", ["soon", "-1", "1.5", "#1", "123456789"])
def test_what_is_no_number_of_a_job_lets_nothing_run_at_once(shown: Site, after: str) -> None:
    client = shown.visitor("run")
    study = 'name = "later"\n[job]\nworkload = "model"\n[axes]\n"load.closed.users" = [1]\n'
    answer = client.post("/new/queue", data={"csrf": form_token(client), "study": study, "after": after})
    assert answer.status_code == 400
    assert "is not the number of a job" in answer.text
    assert "later.toml" not in client.get("/queue").text


def test_a_study_waits_in_the_queue_and_is_taken_out(shown: Site) -> None:
    client = shown.visitor("run")
    token = form_token(client)
    study = 'name = "later"\n[job]\nworkload = "model"\n[axes]\n"load.closed.users" = [1]\n'
    assert client.post("/new/queue", data={"csrf": token, "study": study}).headers["location"] == "/queue"
    assert "later.toml" in client.get("/queue").text
    client.post("/queue/change", data={"csrf": token, "job": "1", "do": "hold"})
    assert "held" in client.get("/queue").text
    client.post("/queue/change", data={"csrf": token, "job": "1", "do": "remove"})
    assert "later.toml" not in client.get("/queue").text


def test_sliders_say_what_a_run_lacks_and_where_they_end(shown: Site) -> None:
    client = shown.visitor("read")
    assert "only a closed load has a curve" in client.get("/datacenter?run=model").text
    assert "move the slider" in client.get("/datacenter?pue=9").text


def test_a_tool_shows_its_table(shown: Site) -> None:
    client = shown.visitor("run")
    page = client.post("/tools/pages", data={"csrf": form_token(client)}).text
    assert 'id="said"' in page
    assert 'class="headline"' in page


def test_history_has_a_point_for_each_run(shown: Site) -> None:
    assert "over time" in shown.visitor("read").get("/trend?workload=model").text.lower()


def test_a_page_of_the_list_is_small(shown: Site) -> None:
    for _ in range(60):
        shown.console.store.create_run(name="many", system="system", title="A title", study={})
    page = shown.visitor("run").get("/")
    assert page.text.count('name="run"') == 50
    assert len(page.content) < 60_000
    assert "1–50 of 63" in page.text
    assert shown.visitor("run").get("/?page=2").text.count('name="run"') == 13


def test_a_store_that_is_not_there_yet_is_an_empty_one(shown: Site) -> None:
    shown.console.store = Store(shown.console.folder / "none")
    page = shown.visitor("run").get("/")
    assert page.status_code == 200
    assert "This store has no runs yet" in page.text


def test_a_study_that_still_prepares_says_so(shown: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("igen.console.pages.new.launch", lambda text, store, asker: "")
    client = shown.visitor("run")
    study = 'name = "x"\nplan = { mode = "sweep", repeats = 1 }\n[axes]\n"load.closed.users" = [1]\n'
    study += '[job]\nworkload = "model"\n'
    answer = client.post("/new/start", data={"csrf": form_token(client), "study": study})
    assert answer.status_code == 303, answer.text
    page = client.get(answer.headers["location"])
    assert page.status_code == 200
    assert "appears in the list" in page.text


def test_what_did_not_begin_says_why_until_somebody_has_read_it(shown: Site) -> None:
    folder = shown.console.folder / BEGUN_FOLDER / "0123"
    folder.mkdir(parents=True)
    (folder / "study.toml").write_text(f'title = "{HOSTILE_TITLE}"\n', encoding="utf-8")
    (folder / "igen.log").write_text("igen: error: no server came up\n", encoding="utf-8")
    (folder / "run").touch()
    client = shown.visitor("run")
    page = client.get("/").text
    assert "failed to start: no server came up" in page
    assert HOSTILE_TITLE not in page
    assert "Dismiss" not in shown.visitor("read").get("/").text
    client.post("/new/forget", data={"csrf": form_token(client), "study": "0123"})
    assert "failed to start" not in client.get("/").text
    assert not folder.exists()


def test_who_starts_and_queues_a_study_is_kept_and_no_secret(
    shown: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Asker] = []
    monkeypatch.setattr(
        "igen.console.pages.new.launch", lambda text, store, asker: asked.append(asker) or RUN
    )
    client = shown.visitor("run")
    study = 'name = "x"\n[job]\nworkload = "model"\n[axes]\n"load.closed.users" = [1]\n'
    data = {"csrf": form_token(client), "study": study}
    client.post("/new/start", data=data)
    client.post("/new/queue", data=data)
    (entry,) = QueueFolder(shown.console.folder).read().entries
    expected = {"version": VERSION, "role": "run", "name": "Anna"}
    assert (asked[0].console, asked[0].guarded) == (entry.console, entry.guarded) == (expected, True)
    assert "added by Anna" in client.get("/queue").text


def test_what_was_queued_elsewhere_is_not_started_here_where_it_may_destroy(
    shown: Site, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    study = tmp_path / "touch.toml"
    axes = '[axes]\n"load.closed.users" = [1]\n'
    study.write_text(f'{axes}[job]\nworkload = "command"\nparams = {{ run = "touch {made}" }}\n')
    own_command(["queue", "add", str(study), "--store", str(shown.console.folder)])
    client = shown.visitor("run")
    token = form_token(client)
    assert "not started from this console: job.workload" in client.get("/queue").text
    client.post("/queue/change", data={"csrf": token, "job": "1", "do": "hold"})
    answer = client.post("/queue/change", data={"csrf": token, "job": "1", "do": "release"})
    assert answer.status_code == 400
    assert "not allowed in this console" in answer.text
    own_command(["queue", "release", "1", "--store", str(shown.console.folder)])
    own_command(["queue", "run", "--once", "--guarded", "--store", str(shown.console.folder)])
    assert [entry.state for entry in QueueFolder(shown.console.folder).read().entries] == ["waiting"]
    assert not made.exists()


@pytest.mark.parametrize("dangerous", [False, True])
def test_the_queue_is_worked_off_with_the_rights_of_the_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dangerous: bool
) -> None:
    made = site(tmp_path / "runs", dangerous=dangerous)
    asked: list[bool] = []
    monkeypatch.setattr(
        "igen.console.pages.queue.work_off_queue", lambda store, *, guarded: asked.append(guarded)
    )
    client = made.visitor("run")
    client.post("/queue/run", data={"csrf": form_token(client)})
    assert asked == [not dangerous]
    made.close()
