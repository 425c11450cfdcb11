"""The words of a text, as search compares them."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry._tools.search import LONGEST_WORD, MOST_WORDS, index_text, query_terms, terms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("get_current_weather", "get current weather getcurrentweather"),
        ("get-current-weather", "get current weather getcurrentweather"),
        ("getHTTPResponse", "get http response gethttpresponse"),
        ("Find Files", "find files"),
        ("S3 h264 3d utf8", "s3 h264 3d utf8"),
        ("forecast3day", "forecast 3 day forecast3day"),
        ("v2_api", "v2 api v2api"),
        ("Größe ÉTÉ naïve ﬁle", "grosse ete naive file"),
        ("Straße", "strasse"),
        ("Ελλάδα Щит", "ελλαδα щит"),
        ("हिन्दी में", "हिन्दी में"),
        ("天気予報", "天気 気予 予報 報"),
        ("雨", "雨 雨"),
        ("파일 검색", "파일 일 검색 색"),
        ("東京weather", "東京 京 weather"),
        ("a\x00b \ud800 🎉 - _", "a b"),
        ('"x" OR NEAR(y, 2) ^z* {w}:', "x or near y 2 z w"),
        ("x" * 100, "x" * LONGEST_WORD),
        ("", ""),
    ],
)
def test_a_text_is_taken_apart(text: str, words: str) -> None:
    assert index_text(text) == words


def test_a_query_is_its_words_each_once_without_those_that_say_nothing() -> None:
    assert [term.whole for term in query_terms("What is the weather in the city? Weather!", 10)] == ["weather", "city"]
    assert [term.whole for term in query_terms("how do I", 10)] == ["how", "do", "i"]
    assert [term.whole for term in query_terms(" ".join(map(str, range(10_000))), 3)] == ["0", "1", "2"]


@settings(max_examples=50, deadline=None, database=None)
@given(st.text())
def test_a_word_is_what_sqlite_takes_for_one(text: str) -> None:
    """Whatever a stranger wrote, the table's tokenizer finds the very words that we wrote into it: so no query can be broken by one."""
    words = index_text(text).split(" ") if index_text(text) else []
    table = sqlite3.connect(":memory:")
    try:
        table.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='ascii')")
        table.execute("CREATE VIRTUAL TABLE v USING fts5vocab('t', 'row')")
        table.execute("INSERT INTO t VALUES (?)", (" ".join(words),))
        assert {word for (word,) in table.execute("SELECT term FROM v")} == set(words)
    finally:
        table.close()
    for term in terms(text):
        assert all(part.isalnum() or not part.isascii() for part in (term.whole, *term.parts) if part)


def test_the_words_of_a_query_are_bounded() -> None:
    """SQLite's queries may be only so deep."""
    assert len(query_terms(" ".join(f"w{number}" for number in range(500)), MOST_WORDS)) == MOST_WORDS
