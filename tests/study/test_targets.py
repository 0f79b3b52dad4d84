"""Patterns of targets."""

from __future__ import annotations

import itertools
import math
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.errors import InputError
from igen.study.targets import MOST_TARGETS, expand_targets


@pytest.mark.parametrize(
    ("pattern", "expanded"),
    [
        ("sqlite:///shop.db", ["sqlite:///shop.db"]),
        (
            "postgresql://igen@127.0.0.1:{5501..5503}/igen",
            [f"postgresql://igen@127.0.0.1:{port}/igen" for port in (5501, 5502, 5503)],
        ),
        ("shard{08..11}", ["shard08", "shard09", "shard10", "shard11"]),
        ("shard{0..2}", ["shard0", "shard1", "shard2"]),
        ("shard{1..03}", ["shard01", "shard02", "shard03"]),
        ("db{1,2,5}.lab", ["db1.lab", "db2.lab", "db5.lab"]),
        ("db{1..3,5}", ["db1", "db2", "db3", "db5"]),
        ("{a,b}{1..2}", ["a1", "a2", "b1", "b2"]),
        ("db{7}", ["db7"]),
        ("db{north,south}/x", ["dbnorth/x", "dbsouth/x"]),
        ("a,b..c", ["a,b..c"]),
        ("", [""]),
    ],
)
def test_a_pattern_stands_for_its_targets(pattern: str, expanded: list[str]) -> None:
    assert expand_targets([pattern]) == expanded


def test_patterns_and_plain_targets_keep_their_order() -> None:
    assert expand_targets(["z", "a{2,1}", "b"]) == ["z", "a2", "a1", "b"]
    assert expand_targets([]) == []


@pytest.mark.parametrize("targets", [None, "a{1..2}", 3, ["a{1..2}", 3]])
def test_what_is_no_list_of_texts_is_left_to_the_agent(targets: object) -> None:
    assert expand_targets(targets) == targets


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("a{1..2", "unbalanced or nested"),
        ("a}1..2{", "unbalanced or nested"),
        ("a{1,{2,3}}", "unbalanced or nested"),
        ("a{}", "is empty"),
        ("a{1,}", "is empty"),
        ("a{,1}", "is empty"),
        ("a{3..1}", "ends before it starts"),
        ("a{1..}", "not a range"),
        ("a{a..d}", "not a range"),
        ("a{1..9..2}", "not a range"),
        ("a{-1..2}", "not a range"),
        ("a{1..1001}", "1,001 targets are too many"),
        ("a{1..99999999999999999999999999}", "too many"),
        ("a{1..100}{1..11}", "1,100 targets are too many"),
    ],
)
def test_a_pattern_that_makes_no_sense_is_bad_input(pattern: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        expand_targets([pattern])
    assert (caught.value.where, bool(caught.value.hint)) == ("targets", True)


def test_the_limit_is_that_of_all_targets_together() -> None:
    assert len(expand_targets(["a{1..600}", "b{1..400}"])) == MOST_TARGETS
    with pytest.raises(InputError, match="1,001"):
        expand_targets(["a{1..600}", "b{1..400}", "c"])


plain = st.text(st.characters(exclude_characters="{}", exclude_categories=["Cs"]), max_size=5)
items = st.text("abc019", min_size=1, max_size=3)


@given(st.lists(st.tuples(plain, st.lists(items, min_size=1, max_size=4)), max_size=3), plain)
def test_several_braces_multiply(parts: list[tuple[str, list[str]]], end: str) -> None:
    pattern = "".join(f"{text}{{{','.join(choices)}}}" for text, choices in parts) + end
    found = expand_targets([pattern])
    assert len(found) == math.prod(len(choices) for _, choices in parts)
    texts = [text for text, _ in parts]
    for words, target in zip(itertools.product(*(choices for _, choices in parts)), found, strict=True):
        assert target == "".join(text + word for text, word in zip(texts, words, strict=True)) + end


@given(st.integers(0, 2000), st.integers(0, 300), st.integers(0, 5))
def test_a_range_counts_and_keeps_its_zeros(first: int, more: int, width: int) -> None:
    ends = f"{first:0{width}}..{first + more:0{width}}"
    found = expand_targets(["{" + ends + "}"])
    assert [int(word) for word in found] == list(range(first, first + more + 1))
    padded = len(str(first)) < width or len(str(first + more)) < width
    assert len(set(map(len, found))) == 1 or not padded


@given(st.text(max_size=12))
def test_any_text_is_expanded_or_refused(text: str) -> None:
    try:
        found = expand_targets([text])
    except InputError:
        return
    assert found
    assert not any("{" in target or "}" in target for target in found)


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash to compare with")
@pytest.mark.parametrize("pattern", ["a{1..3}b{x,y}", "a{08..11}", "a{1..03}", "a{9..10}", "{1,2}{3,4}"])
def test_bash_expands_the_same_to_the_same(pattern: str) -> None:
    said = subprocess.run(["bash", "-c", f"echo {pattern}"], capture_output=True, text=True, check=True)
    assert expand_targets([pattern]) == said.stdout.split()
