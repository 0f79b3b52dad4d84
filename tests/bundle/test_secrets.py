"""What looks like a secret does not go into a bundle."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from igen import hdr
from igen.bundle.pack import pack
from igen.bundle.secrets import find_secrets, secrets_of_environment
from igen.errors import InputError
from igen.study.results import read_result
from tests.golden.recorded_run import names, unpack

SECRETS = [
    '{"targets":["postgresql://igen:hunter2@db.lab/shop"]}',
    '{"headers":{"Authorization":"Bearer abcdef"}}',
    '{"params":{"password":"hunter2"}}',
    '{"run":"mysql --password=hunter2"}',
    '{"run":"curl --token hunter2"}',
    '{"fact":"s3cr3t-of-ours"}',
    '{"params":{"userPassword":"hunter2"}}',
    '{"params":{"accessToken":"hunter2"}}',
    '{"params":{"passphrase":"hun{ter2"}}',
    '{"params":{"private_key":"hunter2"}}',
    '{"params":{"token":12345678}}',
    '{"headers":[{"name":"Cookie","value":"hunter2"}]}',
    '{"body":"user=a&password=hunter2&next=1"}',
    '{"body":"{\\"login\\":{\\"password\\":\\"hunter2\\"}}"}',
    '{"stderr":"PGPASSWORD=hunter2 psql"}',
    '{"run":"mysql --password \\"hunter2\\""}',
    '{"run":"curl -H \'X-Api-Key: hunter2\' http://a"}',
    "Authorization: Bearer hunter2",
    '{"run":"curl -H \'X-Auth-Token: hunter2\' http://a"}',
    '{"headers":{"X-Secret":"hunter2"}}',
    '{"params":{"userOtp":"hunter2"}}',
    '{"path":"/a/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.c2ln"}',
    '{"note":"AKIAHUNTER2IOSFODNN7"}',
]
NONE = [
    '{"targets":["postgresql://igen@db.lab:5432/shop","ldap://x/dc=a?password_file=/home/a/.pw"]}',
    '{"targets":["http://127.0.0.1:8080/a@b","postgresql://igen:***@db.lab/shop"]}',
    '{"headers":{"Authorization":"Bearer {secret.key}"}}',
    '{"secrets":{"password":"env:IGEN_PASSWORD"}}',
    '{"params":{"password":"","password_scheme":"plain","cookies":true}}',
    '{"run":"mysql --password=$PW"}',
    '{"run":"mysql --password \\"$PW\\" --token-file /home/a/token"}',
    '{"body":"user=a&password={secret.password}"}',
    '{"stderr":"FATAL: password authentication failed for user a; unexpected token: SELECT"}',
    '{"fact":{"name":"target.postgresql.password_encryption","value":"scram-sha-256"}}',
    '{"counters":{"passes":5,"bypass":1,"tokens":7}}',
]


def found(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    path = tmp_path / "0001.jsonl"
    path.write_text(f"{{}}\n{text}\n")
    return [*find_secrets(path, {"OUR_TOKEN": b"s3cr3t-of-ours"})]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_found_with_its_line_and_not_told(tmp_path: Path, text: str) -> None:
    ((line, what),) = found(tmp_path, text)
    assert line == 2
    assert "hunter2" not in what
    assert "s3cr3t" not in what


@pytest.mark.parametrize("text", NONE)
def test_what_is_none_is_let_through(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


@pytest.mark.parametrize("name", names())
def test_no_recording_of_ours_has_one(tmp_path: Path, name: str) -> None:
    run = unpack(name, tmp_path)
    assert [each for path in run.job_paths() for each in find_secrets(path, {})] == []


def test_a_histogram_is_none_whatever_its_base64_spells(tmp_path: Path) -> None:
    """A user's run has thousands of them, and one in 4,500 ends with `MFA==`."""
    draw, spelt = np.random.default_rng(1), 0
    for _ in range(12_000):
        buckets = np.unique(draw.integers(0, 5000, 4))
        payload = hdr.encoded((buckets, draw.integers(1, 99, len(buckets))))
        if payload.lower().endswith("mfa=="):
            spelt += 1
            assert found(tmp_path, json.dumps({"service_time": {"hdr": payload}})) == []
    assert spelt > 0


def test_secrets_of_the_environment_are_long_and_no_paths(tmp_path: Path) -> None:
    environment = {"PGPASSWORD": "long enough", "A_TOKEN": "short", "PATH": "/usr/bin:/usr/local/bin"}
    environment["KEY_PASSWORD_FILE"] = str(tmp_path)
    assert secrets_of_environment(environment) == {"PGPASSWORD": b"long enough"}


def test_a_run_with_a_secret_is_refused_unless_forced(tmp_path: Path) -> None:
    run = unpack("noop", tmp_path)
    job = run.job_paths()[0]
    job.write_bytes(job.read_bytes() + SECRETS[0].encode() + b"\n")
    result, path = read_result([run]), tmp_path / "noop.igen"
    with pytest.raises(InputError, match="a password in a URL") as raised:
        pack([run], result, path, host="here", told=lambda _bytes: None)
    assert raised.value.where.startswith("runs/noop/jobs/0001.jsonl:")
    assert not path.exists()
    pack([run], result, path, host="here", force=True, told=lambda _bytes: None)
    assert path.exists()


def test_long_and_odd_values_of_the_environment_are_secrets_too() -> None:
    """A name of a file is shorter than that, and the error of a look-up would print it."""
    environment = {"MY_API_TOKEN": "x" * 5000, "OTHER_TOKEN": "no text \udcff"}
    assert secrets_of_environment(environment) == {
        "MY_API_TOKEN": b"x" * 5000,
        "OTHER_TOKEN": b"no text \xff",
    }
