"""`igen study import` as a user meets it."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from igen.agent_program import find_agent
from igen.cli import run_arguments
from igen.cli.study.import_har import _say
from tests.har.shop_recording import write_shop_recording
from tests.own_ports import own_ports

RECORDINGS = Path(__file__).parent / "recordings"
SHOP = Path("recorded.har")
"""In the folder of each test."""
PATIENCE_S = 60.0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_shop_recording(SHOP)
    monkeypatch.setenv("IGEN_STORE", str(tmp_path / "runs"))
    monkeypatch.delenv("IGEN_PASSWORD", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a shop of the module's own is."""
    port = own_ports()
    place = f"--directory={tmp_path_factory.mktemp('shop')}"
    command = [str(find_agent()), "serve", "shop", f"--listen=127.0.0.1:{port}", place]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline()
    yield f"http://127.0.0.1:{port}"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)


def test_it_says_what_it_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["study", "import", str(SHOP), "-o", "shop.toml"]) == 0
    said = capsys.readouterr()
    assert said.out == (
        "shop.toml: 11 requests, 7 pages, 2 values extracted, 0 to check\n"
        "  left out: 42 from the browser's cache\n"
        "  secret: IGEN_PASSWORD, in POST /login\n"
    )
    assert said.err == "Next: igen run web --target URL --set scenario=@shop.toml\n"
    edited = Path("shop.toml")
    edited.write_text("mine")
    assert run_arguments(["study", "import", str(SHOP), "-o", "shop.toml"]) == 2
    assert capsys.readouterr().err.startswith("igen: error: shop.toml: ")
    assert edited.read_text() == "mine"
    assert run_arguments(["study", "import", str(SHOP), "-o", "shop.toml", "--force", "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["extracted"] == 2
    assert document["secrets"] == [{"name": "password", "variable": "IGEN_PASSWORD", "where": "POST /login"}]
    assert document["left_out"] == {"from the browser's cache": 42}
    assert said.err == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("none.har -o a.toml", "none.har: cannot be read: no such file or directory"),
        (f"{SHOP}", "Missing option '-o'"),
        (f"{RECORDINGS / 'truncated.har'} -o a.toml", "is cut off: it ends at byte"),
        (f"{SHOP} -o a.toml --try shop.lab", "--try: `shop.lab` is not the URL of a web server"),
        (f"{SHOP} -o a.toml --target ftp://x", "--target: `ftp://x` is not the URL of a web server"),
        (f"{SHOP} -o a.toml --try http://127.0.0.1:9", "--try: missing environment variables: IGEN_PASSWORD"),
        (f"{SHOP} -o no/a.toml", "no/a.toml: no such file or directory"),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(
    folder: Path, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_arguments(["study", "import", *line.split()])
    assert code == (1 if "no/a.toml" in line else 2)
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert list(folder.iterdir()) == [folder / SHOP]


def test_a_recording_without_cookies_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["study", "import", str(RECORDINGS / "sanitised.har"), "-o", "a.toml"]) == 0
    assert "note: it has neither cookies nor authorization" in capsys.readouterr().out


def test_headers_that_name_the_host_name_the_target(folder: Path) -> None:
    assert (
        run_arguments(["study", "import", str(SHOP), "-o", "a.toml", "--target", "https://web.lab/base"]) == 0
    )
    text = Path("a.toml").read_text()
    assert 'Origin = "https://web.lab", Referer = "https://web.lab/"' in text
    assert "127.0.0.1" not in text


def test_a_recording_is_played_once(
    folder: Path, shop: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["study", "import", str(SHOP), "--try", shop, "-o"]
    monkeypatch.setenv("IGEN_PASSWORD", "shop")
    assert run_arguments([*line, "good.toml"]) == 0
    assert f"played once at {shop}: all 11 requests are answered as recorded" in capsys.readouterr().out
    monkeypatch.setenv("IGEN_PASSWORD", "hush-hush")
    assert run_arguments([*line, "bad.toml"]) == 1
    said = capsys.readouterr()
    assert "first difference: home: login: status 401, recorded 200\n" in said.out
    assert "hush-hush" not in said.out + said.err
    assert (
        run_arguments(["study", "import", str(SHOP), "--try", "http://127.0.0.1:9", "-o", "none.toml"]) == 1
    )
    assert "http://127.0.0.1:9: login: login: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (
            ("<title>Search</title>", "<title>Results</title>"),
            "search: search: the title `Search`, recorded `Results`",
        ),
        (('"size": 399', '"size": 4399'), "dashboard: sales-by-month: 399 bytes, recorded 4399"),
        (("/api/chart/top-products", "/api/chart/gone"), "dashboard: gone: status 404, recorded 200"),
    ],
)
def test_the_first_difference_is_named(
    folder: Path,
    shop: str,
    change: tuple[str, str],
    difference: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("IGEN_PASSWORD", "shop")
    text = SHOP.read_text()
    assert change[0] in text
    Path("changed.har").write_text(text.replace(*change))
    assert run_arguments(["study", "import", "changed.har", "--try", shop, "-o", "a.toml", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["first_difference"] == difference


def test_the_shop_is_loaded_with_what_was_recorded_and_nothing_fails(
    folder: Path, shop: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IGEN_PASSWORD", "shop")
    assert run_arguments(["study", "import", str(SHOP), "-o", "shop.toml", "--think", "none"]) == 0
    capsys.readouterr()
    load = f"run web --target {shop} --set scenario=@shop.toml --users 3 --think-time 10ms"
    times = "--duration 1s --warmup 0.1s --repeats 1 --quiet --json"
    assert run_arguments(f"{load} {times}".split()) == 0
    (level,) = json.loads(capsys.readouterr().out)["systems"][0]["levels"]
    assert level["errors"] == 0
    assert level["operations"]["dashboard"]["count"] > 0


def test_what_is_meant_for_the_terminal_is_spelled_out(capsys: pytest.CaptureFixture[str]) -> None:
    _say("other hosts: 1 of \x1b[31mevil.example")
    assert capsys.readouterr().out == "other hosts: 1 of \\x1b[31mevil.example\n"


def test_a_file_that_comes_to_be_there_in_the_meantime_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "exists", lambda _path: False)
    Path("shop.toml").write_text("mine")
    assert run_arguments(["study", "import", str(SHOP), "-o", "shop.toml"]) == 2
    assert Path("shop.toml").read_text() == "mine"
