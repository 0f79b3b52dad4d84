"""A recording that is uploaded becomes a scenario; its secrets and its file are nowhere afterwards."""

from __future__ import annotations

import gzip
import json
import os
import re
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from igen.console import upload
from igen.console.pages import recording
from igen.console.recorded import made_of
from igen.console.upload import MOST_PARTS, Part, parts_of
from igen.errors import InputError
from igen.store.active import ActiveRun
from igen.workbench.toml_text import toml_text
from tests.console.endless import PATIENCE_S, PIPE, convert_for_ever
from tests.console.site import RUN, Site, form_token
from tests.console.test_analyst import heard
from tests.console.test_beside import WAITS
from tests.har.written import entry, har

RECORDING = gzip.decompress((Path(__file__).parents[1] / "har" / "recordings" / "shop.har.gz").read_bytes())
SECRET = "hunter2-and-more"
MANY_PAGES = 2_000
HOSTILE = '"><script>alert(1)</script>/../../etc/x'


def send(
    client: TestClient, content: bytes, file: str = "a.har", *, path: str = "/recording", **fields: str
) -> Any:
    data = {"csrf": form_token(client), **fields}
    return client.post(path, data=data, files={"file": (file, content)})


def secret_recording() -> bytes:
    """The shop, with another password."""
    text = RECORDING.decode()
    password = re.search(r"password=(\w+)", text)
    assert password is not None
    return text.replace(password[0], f"password={SECRET}").encode()


def test_a_recording_becomes_a_study_without_its_secrets(
    shown: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    client = shown.visitor("run")
    answer = send(client, secret_recording(), name="my shop", target="http://shop.lab")
    assert answer.status_code == 200, answer.text
    assert SECRET not in answer.text
    assert "IGEN_PASSWORD" in answer.text
    table = study_in(answer.text)
    assert (table["name"], table["job"]["workload"], table["job"]["targets"]) == (
        "my-shop", "web", ["http://shop.lab"],
    )  # fmt: skip
    data = {"csrf": form_token(client), "study": toml_text(table)}
    assert client.post("/new/check", data=data).status_code == 400
    # It names a secret and another machine.
    shown.console.dangerous = True
    assert re.search("environment .*IGEN_PASSWORD", client.post("/new/check", data=data).text)
    monkeypatch.setenv("IGEN_PASSWORD", SECRET)
    page = client.post("/new/check", data=data)
    assert page.status_code == 200, page.text
    assert "Start now" in page.text
    assert [*temporary.iterdir()] == []
    for folder, _, files in os.walk(tmp_path):
        for file in files:
            assert SECRET.encode() not in (Path(folder) / file).read_bytes(), file


def study_in(page: str) -> dict[str, Any]:
    """The study that is shown to be changed."""
    return tomllib.loads(unescape(page.partition('spellcheck="false">')[2].partition("</textarea>")[0]))


def test_the_load_goes_where_it_was_recorded(shown: Site) -> None:
    content = json.dumps(har(entry(0, "GET https://app.lab:8443/", "<title>a</title>"))).encode()
    page = send(shown.visitor("run"), content).text
    assert study_in(page)["job"]["targets"] == ["https://app.lab:8443"]


def test_it_is_made_in_the_process_that_yields_and_waits_for_a_run(shown: Site, asked: list[Any]) -> None:
    client = shown.visitor("run")
    with ActiveRun(shown.console.folder, "model"):
        assert WAITS in client.get("/recording").text
        assert 'type="file"' not in client.get("/recording").text
        refused = send(client, RECORDING, name="a&b")
        assert refused.status_code == 409
        assert WAITS in refused.text
        assert asked == []
        link = "/recording?name=a%26b&anyway=yes"
        assert link in unescape(refused.text)
        page = client.get(link).text
        assert WAITS not in page
        assert 'value="a&amp;b"' in page
        assert 'action="/recording?anyway=yes"' in page
        assert send(client, RECORDING, path="/recording?anyway=yes").status_code == 200
    assert asked == [made_of]
    assert WAITS not in shown.visitor("run").get("/recording").text


def test_one_of_too_many_pages_is_refused_in_words(shown: Site) -> None:
    pages = (entry(number, f"GET /{number}", "<title>a</title>") for number in range(MANY_PAGES))
    answer = send(shown.visitor("run"), json.dumps(har(*pages)).encode())
    assert answer.status_code == 400
    assert "has more than 256 pages and requests, the limit of a scenario" in answer.text


def test_one_that_takes_for_ever_is_given_up_in_words(
    shown: Site, pipe: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = shown.visitor("run")
    monkeypatch.setenv(PIPE, pipe[0])
    monkeypatch.setattr(recording, "made_of", convert_for_ever)
    monkeypatch.setattr(recording, "LIMIT_S", 0.5)
    answer = send(client, RECORDING, name="very-long")
    assert answer.status_code == 413
    assert "took longer than 0.5 s" in answer.text
    assert "`igen study import` has no such limit" in unescape(answer.text)
    assert 'value="very-long"' in answer.text
    monkeypatch.setattr(recording, "made_of", made_of)
    monkeypatch.setattr(recording, "LIMIT_S", PATIENCE_S)
    assert send(client, RECORDING).status_code == 200


def test_results_go_on_while_one_is_converted(
    shown: Site, pipe: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PIPE, pipe[0])
    monkeypatch.setattr(recording, "made_of", convert_for_ever)
    monkeypatch.setattr(recording, "LIMIT_S", 2 * PATIENCE_S)
    with ThreadPoolExecutor() as pool:
        converted = pool.submit(send, shown.visitor("run"), RECORDING)
        assert heard(pipe[1]) == b"x"
        assert shown.visitor("read").get(f"/runs/{RUN}/levels.csv").status_code == 200
        assert not converted.done()
        shown.console.end()
        assert heard(pipe[1]) == b""
        assert converted.result().status_code == 500


def test_what_is_no_way_to_think_and_no_target_is_refused(shown: Site) -> None:
    for fields in ({"think": "hard"}, {"target": "ftp://x"}):
        answer = send(shown.visitor("run"), RECORDING, **fields)
        assert answer.status_code == 400
        assert f"<strong>{next(iter(fields))}</strong>" in answer.text


def test_names_of_files_lead_nowhere(shown: Site) -> None:
    client = shown.visitor("run")
    answer = send(client, RECORDING, HOSTILE, name=HOSTILE, hosts="--force -o=/tmp/x", think="recorded")
    assert answer.status_code == 200, answer.text
    assert "<script>alert" not in answer.text
    assert 'name = "script-alert-1-script-etc-x"' in unescape(answer.text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no file was chosen"),
        (b"{}", "is not a HAR"),
        (b"\x1f\x8b\x08", "HAR"),
        (b'{"log":{"entries":[]}}', "has no entries"),
    ],
)
def test_what_is_no_recording_is_refused_in_words(shown: Site, content: bytes, said: str) -> None:
    answer = send(shown.visitor("run"), content)
    assert answer.status_code == 400
    assert said in unescape(answer.text)
    assert "igen-console-" not in answer.text


def test_what_is_too_long_is_forgotten_while_it_comes(shown: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "MOST_UPLOAD_BYTES", 100_000)
    answer = send(shown.visitor("run"), bytes(300_000))
    assert answer.status_code == 413
    assert "longer than 64 MiB" in answer.text


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=", b"x"),
        ("multipart/form-data; boundary=abc", b""),
        ("multipart/form-data; boundary=abc", b"x"),
        ("multipart/form-data; boundary=abc", b"--abc\r\n\r\n"),
        ("multipart/form-data; boundary=abc", b'--abc\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'),
        ("multipart/form-data; boundary=abc", b"--abc\r\n" + b"x" * 20_000 + b"\r\n\r\n\r\n--abc--"),
    ],
)
def test_what_is_no_form_is_refused(shown: Site, kind: str, body: bytes) -> None:
    answer = shown.visitor("run").post("/recording", content=body, headers={"content-type": kind})
    assert answer.status_code == 400, answer.text


def form_of(parts: list[tuple[str, bytes, bool]]) -> bytes:
    """As a browser sends it."""
    body = b""
    for name, content, is_file in parts:
        file = b'; filename="x"' if is_file else b""
        body += b'--abc\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n' % (name.encode(), file)
        body += content + b"\r\n"
    return body + b"--abc--\r\n"


CONTENT = st.lists(st.sampled_from([b"\r\n", b"-", b"--", b"abc", b"x", b"\0"]), max_size=8).map(b"".join)
PARTS = st.lists(st.tuples(st.sampled_from("abc"), CONTENT, st.booleans()), max_size=4)


@given(PARTS)
def test_a_form_is_taken_apart_as_it_was_put_together(parts: list[tuple[str, bytes, bool]]) -> None:
    parts = [part for part in parts if b"\r\n--abc" not in b"\r\n" + part[1]]
    body = form_of(parts)
    found: list[Part] = [*parts_of(body, b"abc")]
    assert [(each.name, body[each.begin : each.end], each.is_file) for each in found] == parts


def test_a_form_of_very_many_parts_is_refused() -> None:
    with pytest.raises(InputError, match="more than"):
        [*parts_of(form_of([("a", b"", False)] * (MOST_PARTS + 1)), b"abc")]
