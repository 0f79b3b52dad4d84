from __future__ import annotations

import subprocess

import pytest

from bench import memory_peers

KERNELS = ("copy", "scale", "add", "triad")


@pytest.mark.parametrize("kernel", KERNELS)
def test_our_stream_in_c_verifies_and_tells_a_rate(kernel: str) -> None:
    assert memory_peers.stream(kernel, 2**16, threads=2, passes=3) > 0


@pytest.mark.parametrize("words", [[], ["sort", "8", "3"], ["copy", "0", "3"], ["copy", "8", "1"]])
def test_it_refuses_what_it_cannot_do(words: list[str]) -> None:
    done = subprocess.run([str(memory_peers.stream_program()), *words], check=False, capture_output=True)
    assert done.returncode == 2
    assert b"usage" in done.stderr
