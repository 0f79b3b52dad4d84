"""Signals are seen whichever thread they arrive at."""

from __future__ import annotations

import select
import signal
import threading
import time

from igen.fleet.interrupts import Interrupts

PATIENCE_S = 10.0


def strike(thread: threading.Thread) -> None:
    """Sends that thread the signal of Ctrl-C."""
    assert thread.ident is not None
    signal.pthread_kill(thread.ident, signal.SIGINT)


def test_who_waits_for_the_descriptor_is_woken_by_a_signal_at_another_thread() -> None:
    begun = threading.Event()
    ended = threading.Event()

    def struck() -> None:
        begun.wait(PATIENCE_S)
        strike(threading.current_thread())
        ended.wait(PATIENCE_S)

    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        thread = threading.Thread(target=struck)
        thread.start()
        begun.set()
        readable, _, _ = select.select([interrupts.descriptor], [], [], PATIENCE_S)
        ended.set()
        thread.join()
        assert readable == [interrupts.descriptor]
        assert interrupts.count == 1
        interrupts.clear()
        assert select.select([interrupts.descriptor], [], [], 0)[0] == []
    assert signal.getsignal(signal.SIGINT) is before


def test_one_within_another_counts_for_itself() -> None:
    with Interrupts() as outer:
        with Interrupts() as inner:
            signal.raise_signal(signal.SIGTERM)
            assert (outer.count, inner.count) == (0, 1)
        signal.raise_signal(signal.SIGTERM)
        assert (outer.count, inner.count) == (1, 1)
        assert select.select([outer.descriptor], [], [], 0)[0] == [outer.descriptor]


def test_who_waits_for_instances_sees_a_signal_at_one_of_their_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from igen.instances.control import _wait_for

    with Interrupts() as interrupts, ThreadPoolExecutor(1) as pool:

        def load() -> None:
            strike(threading.current_thread())
            until = time.monotonic() + PATIENCE_S
            while interrupts.count == 0:
                assert time.monotonic() < until, "nobody has seen it"
                time.sleep(0.001)

        _wait_for([pool.submit(load)])
