"""A line that is carried out without a shell ends as its program would: in time, with a code and a reason."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import shell

from igen.errors import IgenError, InputError, OutOfReach, Undecided
from tests.waiting import PATIENCE_S

LINE = "igen show last"


@pytest.fixture
def carried_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., shell.Done]:
    """What becomes of a line where `igen` does something else."""

    def carry(does: Callable[[list[str]], int]) -> shell.Done:
        monkeypatch.setattr(shell, "carry_out", does)
        return shell.carried_out(LINE, tmp_path, {})

    return carry


def test_what_it_says_and_its_code_are_kept(carried_out: Callable[..., shell.Done]) -> None:
    def refused(arguments: list[str]) -> int:
        print(*arguments)
        return 2

    done = carried_out(refused)
    assert (done.returncode, done.stdout, done.stderr) == (2, "show last\n", "")


@pytest.mark.parametrize(
    ("error", "code", "is_undecided"),
    [
        (IgenError("no"), 1, False),
        (InputError("no"), 2, False),
        (Undecided("no"), 1, True),
        (OutOfReach("no"), 2, True),
    ],
)
def test_an_error_of_ours_has_its_code_and_kind(
    carried_out: Callable[..., shell.Done], error: IgenError, code: int, is_undecided: bool
) -> None:
    def refused(_arguments: list[str]) -> int:
        raise error

    done = carried_out(refused)
    assert (done.returncode, done.is_undecided, done.stdout) == (code, is_undecided, "")
    assert done.stderr


@pytest.mark.parametrize("error", [ZeroDivisionError("by nothing"), SystemExit("by nothing")])
def test_what_escapes_becomes_a_code_and_a_traceback(
    carried_out: Callable[..., shell.Done], error: BaseException
) -> None:
    def broken(_arguments: list[str]) -> int:
        raise error

    done = carried_out(broken)
    assert done.returncode == shell.DEFECT
    assert "Traceback" in done.stderr
    assert f"{type(error).__name__}: by nothing" in done.stderr


def test_a_thread_that_the_program_would_wait_for_is_an_error(
    carried_out: Callable[..., shell.Done],
) -> None:
    end = threading.Event()

    def begun(daemon: bool) -> int:
        threading.Thread(target=end.wait, name="forgotten", daemon=daemon).start()
        return 0

    try:
        assert carried_out(lambda _arguments: begun(daemon=True)).returncode == 0
        done = carried_out(lambda _arguments: begun(daemon=False))
    finally:
        end.set()
    assert done.returncode == shell.DEFECT
    assert "forgotten" in done.stderr


def test_the_time_of_a_line_is_limited_and_its_cleanup_too(
    carried_out: Callable[..., shell.Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "PATIENCE_S", 0.05)
    monkeypatch.setattr(shell, "CLEANUP_S", 0.05)
    before = signal.getsignal(signal.SIGALRM)

    def hangs(_arguments: list[str]) -> int:
        try:
            threading.Event().wait(PATIENCE_S)
        finally:
            threading.Event().wait(PATIENCE_S)
        return 0

    with pytest.raises(pytest.fail.Exception, match=rf"\$ {LINE}\nhas not ended after 0.05 s"):
        carried_out(hangs)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_nothing_is_left_of_the_limit_where_it_was_not_reached(
    carried_out: Callable[..., shell.Done],
) -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert carried_out(lambda _arguments: 0).returncode == 0
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
