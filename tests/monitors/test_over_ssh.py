"""Times of readings over ssh are as right as is said, whatever the clock there and the network do."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from threading import Event

from hypothesis import given
from hypothesis import strategies as st

from igen.monitors.clock import DRIFT
from igen.monitors.over_ssh import PINGS, _Session
from igen.monitors.said import Machine, Ready, Said, Sample
from igen.monitors.ship import Program, last_words

delays = st.floats(0.0, 2.0)
turns = st.lists(st.tuples(st.booleans(), delays, delays, st.floats(0.0, 60.0)), max_size=40)


class Talk:
    """A session that is told line by line what was heard, by a clock that the test has."""

    def __init__(self, drift: float) -> None:
        self.said: list[Said] = []
        machine = Machine(host="ssh://db1", name="db1")
        self._session = _Session(machine, Program(Path(sys.executable), ""), self.said.append, Event())
        self._drift = drift
        self.now_s = 1000.0
        self._line({"begin": {"started_unix_s": 1e9}})

    def there_s(self, when_s: float) -> float:
        return 77.0 + (1.0 + self._drift) * (when_s - 1000.0)

    def _line(self, line: object) -> None:
        self._session._take(json.dumps(line).encode() + b"\n", self.now_s)

    def ask(self, there_s: float, back_s: float) -> None:
        self._session.asks += 1
        self._session.asked[self._session.asks] = self.now_s
        at_s = self.there_s(self.now_s + there_s)
        self.now_s += there_s + back_s
        self._line({"clock": {"id": self._session.asks, "at_s": at_s}})

    def read(self, back_s: float) -> float:
        """The true time of the reading, on the clock here."""
        true_s, at_s = self.now_s, self.there_s(self.now_s)
        self.now_s += back_s
        self._line({"reading": {"monitor": "cpu", "at_s": at_s}})
        return true_s


@given(drift=st.floats(-DRIFT, DRIFT), turns=turns)
def test_each_reading_is_as_right_as_was_said_before_it(
    drift: float, turns: list[tuple[bool, float, float, float]]
) -> None:
    talk = Talk(drift)
    for _ in range(PINGS):
        talk.ask(0.001, 0.003)
    for is_asked, there_s, back_s, pause_s in turns:
        talk.now_s += pause_s
        if is_asked:
            talk.ask(there_s, back_s)
            continue
        true_s = talk.read(back_s)
        (claim_s,) = [said.clock_error_s for said in talk.said if isinstance(said, Ready)][-1:]
        reading = talk.said[-1]
        assert isinstance(reading, Sample)
        assert abs(reading.at_s - true_s) <= claim_s + 1e-6


def test_what_is_known_of_the_clock_is_not_said_with_each_reading() -> None:
    talk = Talk(0.0)
    for _ in range(PINGS):
        talk.ask(0.001, 0.001)
    for _ in range(600):
        talk.now_s += 0.1
        talk.read(0.001)
    claims = [said for said in talk.said if isinstance(said, Ready)]
    assert len(claims) <= 1 + 60 / 5, "once for the time between two questions"


def test_the_last_words_are_those_of_the_last_line_without_its_end() -> None:
    # As ssh writes it: a terminal wants a carriage return.
    said = b"Warning: added\r\nssh: connect to host db1 port 22: No route to \x1bhost\r\n"
    assert last_words(said, 255) == r"ssh: connect to host db1 port 22: No route to \x1bhost"
    assert last_words(b"\r\n", 255) == "the connection to it was cut, or the agent there was ended"
