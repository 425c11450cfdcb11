"""Texts and tables: clean, in columns, and no wider than a terminal."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from fcregistry.cli._output import (  # what every command writes with is tested once, for all of them
    clean,
    say,
    say_json,
    say_json_text,
    table,
)

HEADINGS = ("NAME", "SUMMARY")


def shown(capsys: pytest.CaptureFixture[str], *rows: tuple[str, str]) -> list[str]:
    """Return the lines of a table, without the headings."""
    table(rows, HEADINGS)
    return capsys.readouterr().out.splitlines()[1:]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A person reads, on 20 columns."""
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
    monkeypatch.setenv("COLUMNS", "20")


def test_columns_are_as_wide_as_their_widest_cell(capsys: pytest.CaptureFixture[str]) -> None:
    """Headings included; no line ends in spaces."""
    table([("a", "first"), ("long_name", ""), ("b", "third")], HEADINGS)
    assert capsys.readouterr().out == "NAME       SUMMARY\na          first\nlong_name\nb          third\n"


def test_a_table_without_rows_has_its_headings(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys) == []


def test_characters_that_take_two_columns_or_none_are_counted_so(capsys: pytest.CaptureFixture[str]) -> None:
    """As terminals show them: what stands in the second column begins at one place."""
    assert shown(capsys, ("天気", "x"), ("e\u0301te\u0301", "x"), ("😀", "x"), ("four", "x")) == [
        "天気  x",
        "e\u0301te\u0301   x",
        "😀    x",
        "four  x",
    ]


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("two\nlines\tand  more", "x  two lines and more"),
        ("\x1b[31mred\x07", "x  �[31mred�"),
        ("de\x7flete", "x  de�lete"),
        ("\u202eright to left", "x  �right to left"),
        ("soft\u00adhyphen", "x  soft\u00adhyphen"),
    ],
)
def test_a_cell_is_one_clean_line(capsys: pytest.CaptureFixture[str], cell: str, line: str) -> None:
    """Whatever a stranger wrote into a name or a summary; the cells beside it stay as they are."""
    rows = shown(capsys, ("x", cell), ("y", "plain"))
    assert rows == [line.replace("x  ", "x     "), "y     plain"]


@pytest.mark.usefixtures("terminal")
def test_a_line_is_cut_to_the_terminal_and_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty columns, which ten wide characters fill."""
    assert shown(capsys, ("name", "x" * 14), ("name", "x" * 15), ("name", "天" * 7), ("name", "天" * 8)) == [
        "name  " + "x" * 14,
        "name  " + "x" * 13 + "…",
        "name  " + "天" * 7,
        "name  " + "天" * 6 + "…",
    ]


@pytest.mark.usefixtures("terminal")
def test_a_very_long_line_is_cut_too(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = shown(capsys, ("name", "\u0301" * 10 + "天" * 10_000))
    assert line.endswith("…")
    assert len(line.replace("\u0301", "")) <= 20


def test_line_ends_and_tabs_of_a_text_stay(capsys: pytest.CaptureFixture[str]) -> None:
    """Everything that would steer a terminal does not."""
    assert clean("a\tb\nc") == "a\tb\nc"
    assert clean("a\rb\x9bc\u2066d\x00") == "a�b�c�d�"
    say("é\x1b[0m")
    assert capsys.readouterr().out == "é�[0m\n"


UNSEEN = "\u200b\u2062\ufeff\u3164\u2800\u180e\U000e0001\U000e0041\U000e0100"
"""Characters that a model reads and nobody sees: spaces of no width, signs, fillers, tags and variants."""

WRITTEN = r"\u200b\u2062\ufeff\u3164\u2800\u180e\U000e0001\U000e0041\U000e0100"


def test_characters_that_nobody_sees_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert clean(f"a{UNSEEN}b") == f"a{WRITTEN}b"
    assert clean("a\u200db\u200cc\ufe0fd中\ufe0f") == r"a\u200db\u200cc\ufe0fd中\ufe0f"
    assert shown(capsys, (f"a{UNSEEN}b", "x"), ("e\ufe0f", "y")) == [
        f"a{WRITTEN}b  x",
        "e\\ufe0f".ljust(len(WRITTEN) + 4) + "y",
    ]
    say_json({"a": "\u200b\U000e0041"})
    assert capsys.readouterr().out == '{\n  "a": "\\u200b\\udb40\\udc41"\n}\n'


@pytest.mark.parametrize(
    "text", ["⚠\ufe0f", "1\ufe0f\u20e3", "👩🏽\u200d⚕\ufe0f", "می\u200cشود", "क्\u200dष", "soft\u00adhyphen"]
)
def test_joiners_and_variants_stay_where_they_change_what_is_seen(text: str) -> None:
    assert clean(text) == text


def test_every_character_without_a_place_on_a_screen_is_written_out() -> None:
    """All that Unicode calls a format character, but those that are drawn, such as the Arabic sign of a year."""
    drawn = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    every = map(chr, {*range(sys.maxunicode + 1)} - drawn)
    formats = [each for each in every if unicodedata.category(each) in ("Cf", "Zl", "Zp")]
    assert not [each for each in formats if each in clean(f"a{each}a") and each != "\u00ad"]


def test_json_keeps_its_meaning_where_characters_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    """What a terminal would obey is written as JSON writes it."""
    say_json_text('"\x7f"')
    say_json({"é": "\x9b\u202e\n"})
    assert capsys.readouterr().out == '"\\u007f"\n{\n  "é": "\\u009b\\u202e\\n"\n}\n'


def test_half_of_a_character_is_shown_where_no_stream_could_write_it() -> None:
    assert clean("a\ud83db") == "a\ufffdb"
    assert clean("a\U0001f600\n\tb") == "a\U0001f600\n\tb"
