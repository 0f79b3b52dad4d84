"""The agent's program: its path, and questions that it answers without running a job."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import msgspec

from igen.agent_program import SETUP_HINT, find_agent
from igen.environment import environment_of
from igen.errors import IgenError, InputError
from igen.fleet.agent_words import in_plain_words
from igen.fleet.talk import Talk, no_answer
from igen.foreign_text import cleaned, cleaned_event
from igen.protocol import PROTOCOL
from igen.version import VERSION

NEEDS = (
    # Whose the passwords are, and where they are: of PostgreSQL, MariaDB and MySQL, OpenLDAP.
    *("HOME", "USER", "PGUSER", "PGPASSWORD", "PGPASSFILE", "MYSQL_PWD", "LDAP_PASSWORD*"),
    # TLS settings and application name of libpq.
    *("PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGAPPNAME"),
    # Certificates that are trusted, libraries that are loaded, and what tells of a defect.
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CACHE_HOME", "IGEN_*", "RUST_BACKTRACE"),
)
"""Variables that the agent reads."""
LONGEST_ANSWER_S = 120.0
"""Longest silence of an agent, many times the usual answer on an overloaded machine."""


def agent_environment() -> dict[str, str]:
    """Return the agent's environment, without variables that it does not read, such as other secrets."""
    return environment_of(NEEDS)


def agent_process(program: Path) -> subprocess.Popen[bytes]:
    """Starts an agent that waits for its job. Raises `IgenError`.

    It has a session of its own: the terminal's Ctrl-C reaches only this process.
    """
    try:
        return subprocess.Popen(
            [program, "run"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=agent_environment(),
            start_new_session=True,
        )
    except OSError as error:
        raise IgenError(f"cannot run {program}: {error.strerror}") from error


def check_hello(event: dict[str, Any]) -> None:
    """Raise `IgenError` unless an agent's first event fits this release."""
    hello = event.get("hello")
    if not isinstance(hello, dict):
        raise IgenError("the agent's first line is not its greeting", hint=SETUP_HINT)
    theirs = (hello.get("protocol"), hello.get("version"))
    if theirs != (PROTOCOL, VERSION):
        raise IgenError(
            f"the agent has version {theirs[1]} (protocol {theirs[0]}),"
            f" but igen has version {VERSION} (protocol {PROTOCOL})",
            hint=SETUP_HINT,
        )


class Agent:
    """Short questions to the agent's program."""

    _checks_many = False
    _checker: Talk | None = None

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or find_agent()

    @contextmanager
    def checking_many(self) -> Iterator[None]:
        """Check all jobs in the `with` block in one process, instead of a process each."""
        self._checks_many = True
        try:
            yield
        finally:
            checker, self._checker, self._checks_many = self._checker, None, False
            if checker is not None:
                checker.end()

    def check(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the job with its defaults. Raises `InputError` with the path of a wrong field."""
        text = msgspec.json.encode(job)
        done = self._next_checked(text) if self._checks_many else self._ask("check", stdin=text)
        answer = _decoded(done.stdout)
        if done.returncode == 0 and answer is not None and "error" not in answer:
            return answer
        raise _error_of(answer, done)

    def list(self, kind: str) -> list[dict[str, Any]]:
        """Return the agent's list of a kind: `workloads`, `monitors` or `tools`. Raises `IgenError`."""
        done = self._ask("list", kind)
        if done.returncode != 0:
            raise _error_of(_decoded(done.stdout), done)
        try:
            return msgspec.json.decode(done.stdout, type=list[dict[str, Any]])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise IgenError(
                f"{self.path} is not an igen-agent, or has another version", hint=SETUP_HINT
            ) from error

    def facts(self) -> dict[str, Any]:
        """Return the facts of this machine by name."""
        done = self._ask("facts")
        if done.returncode != 0:
            raise _error_of(_decoded(done.stdout), done)
        events = [_decoded(line) or {} for line in done.stdout.splitlines()]
        facts = [event["fact"] for event in events if isinstance(event.get("fact"), dict)]
        return {str(fact["name"]): fact["value"] for fact in facts}

    def export(self, job: dict[str, Any], target_index: int) -> Iterator[bytes]:
        """Yield the data that the job would load into a target. Raises `IgenError` or `InputError`."""
        talk = self._talk("export", f"--target-index={target_index}")
        try:
            yield from talk.pieces(msgspec.json.encode(job), last=True)
        except BaseException:
            talk.process.kill()  # nobody wants the rest
            raise
        finally:
            code = talk.end()
        if code != 0:
            done = subprocess.CompletedProcess(talk.process.args, code, stderr=talk.errors)
            raise _error_of(_decoded(talk.errors), done)

    def _next_checked(self, job: bytes) -> subprocess.CompletedProcess[bytes]:
        """Return the answer to one of many jobs, as of a process that checked only this one."""
        if self._checker is None:
            self._checker = self._talk("check", "--each")
        talk = self._checker
        line = talk.line(job + b"\n")
        if not line:
            self._checker = None
            return subprocess.CompletedProcess(talk.process.args, talk.end(), b"", talk.errors)
        code = InputError.exit_code if "error" in (_decoded(line) or {}) else 0
        return subprocess.CompletedProcess(talk.process.args, code, line, b"")

    def _talk(self, *arguments: str) -> Talk:
        try:
            process = subprocess.Popen(
                [self.path, *arguments],
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                bufsize=0,
                env=agent_environment(),
                # A session of its own: the terminal's Ctrl-C reaches only this process.
                start_new_session=True,
            )
        except OSError as error:
            raise IgenError(f"cannot run {self.path}: {error.strerror}", hint=SETUP_HINT) from error
        return Talk(str(self.path), process, LONGEST_ANSWER_S)

    def _ask(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                [self.path, *arguments],
                input=stdin,
                capture_output=True,
                check=False,
                env=agent_environment(),
                timeout=LONGEST_ANSWER_S,
            )
        except subprocess.TimeoutExpired:
            raise no_answer(str(self.path), LONGEST_ANSWER_S) from None
        except OSError as error:
            raise IgenError(f"cannot run {self.path}: {error.strerror}", hint=SETUP_HINT) from error


def _decoded(line: bytes) -> dict[str, Any] | None:
    try:
        answer = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    return cleaned_event(answer, line) if isinstance(answer, dict) else None


def agent_error(said: dict[str, Any], exit_code: int | None, *, where: str = "") -> IgenError:
    """The agent's words as an exception; its exit code says whose fault it is.

    `where` stands for the place when the agent named none.
    """
    kind = InputError if exit_code == InputError.exit_code else IgenError
    text, hint = in_plain_words(said.get("text", "the agent failed"), said.get("hint", ""))
    return kind(text, where=said.get("path") or where, hint=hint)


def _error_of(answer: dict[str, Any] | None, done: subprocess.CompletedProcess[bytes]) -> IgenError:
    error = (answer or {}).get("error")
    if not isinstance(error, dict):
        said = cleaned(done.stderr.decode(errors="replace").strip())
        return IgenError(f"the agent ended with code {done.returncode}: {said or 'no reason given'}")
    return agent_error(error, done.returncode)
