"""Findings of rows as footnotes: one sentence for each rule, with the range of its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from igen.judge.trust.finding import Finding
from igen.say.group import kind
from igen.say.sentence import sentence
from igen.text import Text


@dataclass(frozen=True, slots=True)
class Footnotes:
    """Each sentence once, and for each row the numbers of its sentences, from 1."""

    notes: list[Text]
    numbers: list[list[int]]

    def mark(self, row: int, most: int | None = None) -> str:
        """Return `[1, 3-5]`, up to the number `most`, or nothing for a row without findings."""
        spans: list[list[int]] = []
        for number in self.numbers[row]:
            if most is not None and number > most:
                break
            if spans and spans[-1][-1] == number - 1:
                spans[-1].append(number)
            else:
                spans.append([number])
        words = [f"{span[0]}-{span[-1]}" if len(span) > 2 else ", ".join(map(str, span)) for span in spans]
        return f"[{', '.join(words)}]" if words else ""

    def lines(self) -> list[Text]:
        """Return `[1] others used 5.3 to 69 % of all processors`."""
        return [Text.of(f"[{number}] ", note) for number, note in enumerate(self.notes, start=1)]


def footnotes(rows: Sequence[Sequence[Finding]]) -> Footnotes:
    """Return the footnotes of rows, in the order in which their rules first occur."""
    alike: dict[object, list[Finding]] = {}
    for found in rows:
        for each in found:
            alike.setdefault(kind(each), []).append(each)
    sentences = {key: Text(sentence(found)) for key, found in alike.items()}
    notes = list(dict.fromkeys(sentences.values()))
    places = {note: number for number, note in enumerate(notes, start=1)}
    numbers = [sorted({places[sentences[kind(each)]] for each in found}) for found in rows]
    return Footnotes(notes, numbers)
