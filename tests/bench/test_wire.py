from __future__ import annotations

import struct

import pytest

from bench.wire import LEAST_TRANSACTIONS, Exchange, Relayed, exchanges, file_of

STARTUP = b"\0\0\0\x08\0\x03\0\0"
PARSE = b"P\0\0\0\x05xS\0\0\0\x04"
QUERY = b"Q\0\0\0\x05x"
TWO = QUERY + b"B\0\0\0\x04S\0\0\0\x04"
ROWS = b"D\0\0\0\x06ZZ"
IDLE, OPEN = b"Z\0\0\0\x05I", b"Z\0\0\0\x05T"


def relayed(*parts: tuple[bytes, bytes]) -> Relayed:
    taken = Relayed()
    for sent, answer in parts:
        taken.parts.append((False, sent))
        # As the network may cut them.
        taken.parts += [(True, answer[:3]), (True, answer[3:])]
    return taken


def test_an_exchange_ends_with_the_answer_that_the_client_waits_for() -> None:
    taken = relayed(
        (STARTUP, ROWS + IDLE), (PARSE, IDLE), (QUERY, OPEN), (TWO, OPEN + ROWS + IDLE), (QUERY, OPEN)
    )
    assert [*exchanges(taken)] == [
        Exchange(STARTUP, 1, idle=True),
        Exchange(PARSE, 1, idle=True),
        Exchange(QUERY, 1, idle=False),
        Exchange(TWO, 2, idle=True),
    ]


def test_what_comes_before_the_first_usual_transaction_is_the_begin() -> None:
    transaction = [Exchange(QUERY, 1, idle=False), Exchange(TWO, 2, idle=True)]
    begin = [Exchange(STARTUP, 1, idle=True), Exchange(PARSE, 1, idle=True)]
    content = file_of([*begin, *(LEAST_TRANSACTIONS * transaction)])
    assert struct.unpack_from("<I", content) == (2,)
    after = 4 + 2 * 8 + len(STARTUP) + len(PARSE)
    assert struct.unpack_from("<II", content, after) == (LEAST_TRANSACTIONS, 2)
    with pytest.raises(RuntimeError, match="too few"):
        file_of([*begin, *transaction])
