"""Sentences: what a person reads about findings, made from data and read by no program.

- `say(finding) -> Text`: the sentence of one finding.
- `observe(finding) -> Said`: the sentence of an observation, and its evidence.
- `difference_text(difference) -> Text`: a fact in which two systems differ.
- `advise(finding) -> Advice`: the sentence of a finding, why it matters, and what to do.
- `footnotes(rows) -> Footnotes`: findings of many rows, those of one rule in one sentence.
"""

from __future__ import annotations

from igen.say.advice import Advice
from igen.say.comparison import difference_text
from igen.say.footnotes import Footnotes, footnotes
from igen.say.said import Said
from igen.say.sentence import advise, observe, say

__all__ = ["Advice", "Footnotes", "Said", "advise", "difference_text", "footnotes", "observe", "say"]
