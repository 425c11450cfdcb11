"""Parameters of a tool in `show` and `--help`, and words that are not arguments."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import pytest
from annotated_types import Ge, Interval, Len
from click.testing import CliRunner

from fcregistry import Registry, Tool
from fcregistry.cli import _parameters as _completing  # words are read without a plugin that declares the tool
from fcregistry.cli import _show  # words are read without a plugin that declares the tool
from fcregistry.cli._parameters import read_words  # words are read without a plugin that declares the tool


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Point:
    x: float
    y: float = 0.0


@dataclass
class Line:
    start: Point
    end: Point


def draw(
    line: Line,
    scale: Annotated[float, Interval(gt=0, le=10)] = 1.0,
    names: Annotated[list[Annotated[str, Len(2, 5)]], Len(0, 3)] = (),  # type: ignore[assignment]
    unique: set[int] = frozenset(),  # type: ignore[assignment]
    width: Annotated[int, Ge(1)] | None = None,
    level: Level = Level.LOW,
    bold: bool = False,
    größe: int = 0,  # noqa: PLC2401
) -> list[Line]:
    """Draw a line."""
    return [line]


def add(*numbers: int, **more: float) -> float:
    """Add numbers."""
    return sum(numbers) + sum(more.values())


def nothing() -> None:
    """Do nothing."""


def told(function: Any, *words: str) -> str:
    """Return what is said of words, which must be refused."""
    with pytest.raises(click.UsageError) as caught:
        read_words(click.Context(click.Command("call"), info_name="call"), "it", Tool.from_function(function), [*words])
    return caught.value.format_message()


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what `fcregistry show` says of a function."""

    def show(function: Any, **options: Any) -> str:
        own = Registry()
        own.register(function, "it", **options)
        monkeypatch.setattr(_show, "tool_named", own.get)
        done = CliRunner().invoke(_show.command, ["it"], catch_exceptions=False)
        assert done.exit_code == 0
        return done.output

    return show


def test_show_writes_bounds_of_values_and_the_definitions_of_names_in_types(shown: Any) -> None:
    """Of optional ones and of items too, in the words with which a call would be refused."""
    text = shown(draw)
    assert "\n  line ({start: Point, end: Point}, required)\n" in text
    assert "\n  scale (number, greater than 0, at most 10, default 1.0)\n" in text
    assert (
        "\n  names (string[], at most 3 items, each at least 2 characters, each at most 5 characters, default [])\n"
        in text
    )
    assert "\n  unique (integer[], no item twice, default [])\n" in text
    assert "\n  width (integer | null, at least 1, default null)\n" in text
    assert "\nReturns: {start: Point, end: Point}[]\n  Point = {x: number, y: number = 0.0}\n" in text


def test_show_tells_of_a_schema_whose_properties_are_true_or_false(shown: Any) -> None:
    """As JSON Schema may have them: all is taken, or nothing."""
    text = shown(lambda **given: given, parameters={"type": "object", "properties": {"x": True, "y": False}})
    assert "\n  x (any, optional)\n  y (never, optional)\n" in text


def test_nested_schemas_may_be_true_or_false(shown: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Behind a reference, and among others."""
    properties = {"x": {"$ref": "#/$defs/all"}, "y": {"anyOf": [True, {"type": "null"}]}, "z": {"$ref": "#/$defs/on"}}
    defined = {"all": True, "on": {"$ref": "#/$defs/all"}}
    parameters = {"type": "object", "properties": properties, "$defs": defined}
    assert "\n  x (all, optional)\n  y (any | null, optional)\n" in shown(lambda **given: given, parameters=parameters)
    tool = Tool.from_function(add, parameters=parameters)
    with pytest.raises(click.exceptions.Exit):
        read_words(click.Context(click.Command("call")), "it", tool, ["--help"])
    assert "--x JSON" in capsys.readouterr().out


def test_the_help_of_a_long_form_names_the_command_that_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A form that is too long for a line is not in it."""
    fields = {f"field_{number}": {"type": "string"} for number in range(9)}
    properties = {"long": {"type": "object", "properties": fields}, "short": {"type": "object"}}
    tool = Tool.from_function(add, parameters={"type": "object", "properties": properties})
    with pytest.raises(click.exceptions.Exit):
        read_words(click.Context(click.Command("call")), "it", tool, ["--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "--long JSON [fcregistry show NAME has its form] --short JSON:object" in shown


def test_show_writes_an_empty_default_in_quotes(shown: Any) -> None:
    def find(words: str = "") -> None: ...

    assert '\n  words (string, default "")\n' in shown(find)


@pytest.mark.parametrize(
    ("function", "words", "message"),
    [
        (
            draw,
            ["--level", "HIGH"],
            "'HIGH' is not valid JSON: Expecting value: line 1 column 1 (char 0); it takes 1 | 2",
        ),
        (draw, ["--line", "x"], "; it takes {start: Point, end: Point}"),
        (draw, ["--größe", "1"], "größe cannot be an option: give it as --arg 'größe=JSON'"),
        (draw, ["--size", "1"], "No such option"),  # and the option, in quotes or not: click has changed its words
        (draw, ["x", "y"], "Got unexpected extra argument (y): give arguments as options, such as --line y"),
        (
            add,
            ["--tall", "1"],
            "No such option '--tall'. The tool takes other names too: give them as --arg 'NAME=JSON'",
        ),
        (
            add,
            ["--numbers", "[1, 2]"],
            'must be an integer, not "[1, 2]". Give it once for each item: --numbers 1 --numbers 2',
        ),
        (add, ["--numbers", "1", "2"], "give --numbers once for each item: --numbers 1 --numbers 2"),
        (
            add,
            ["--numbers", "1", "2", "{}", "3"],
            "give --numbers once for each item: --numbers 1 --numbers 2 --numbers 3",
        ),
        (draw, ["--names", "x", "y z"], "give --names once for each item: --names x --names 'y z'"),
        (draw, ["--line={}", "--bold=false"], "--bold takes no value: use it for true, and --no-bold for false"),
        (draw, ["--line={}", "--no_bold=1"], "--bold takes no value: use it for true, and --no-bold for false"),
        (draw, ["line=x"], "give arguments as options, such as --line x"),
        (add, ["numbers=1"], "such as --numbers 1, once for each item of an array"),
        (draw, ["--line={}", "--bold", "yes"], "--bold takes no value: use it for true, and --no-bold for false"),
        (nothing, ["x"], "'x' is not a JSON object; this tool has no options"),
    ],
)
def test_the_error_for_words_that_are_not_arguments_says_what_to_write(
    function: Any, words: list[str], message: str
) -> None:
    """What to write in their place."""
    assert message in told(function, *words)


def test_a_byte_order_mark_is_no_part_of_the_arguments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As programs on Windows put it first, with their line ends."""
    text = '\ufeff{"numbers":\r\n [1]}\r\n'
    (tmp_path / "arguments.json").write_bytes(text.encode())
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    for word in (f"@{tmp_path}/arguments.json", "-"):
        read, _ = read_words(click.Context(click.Command("call")), "it", Tool.from_function(add), [word])
        assert json.loads(str(read)) == {"numbers": [1]}


def test_the_help_of_a_call_says_what_is_asked_of_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    """Beside its default, and whether other names are taken."""
    for function in (draw, add):
        with pytest.raises(click.exceptions.Exit):
            read_words(click.Context(click.Command("call")), "it", Tool.from_function(function), ["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "--scale NUMBER [greater than 0; at most 10; default: 1.0]" in text
    assert (
        "--names STRING... [at most 3 items; each at least 2 characters; each at most 5 characters; default: []; "
        "for several: --names STRING --names STRING]"
    ) in text
    assert "--numbers INTEGER... [for several: --numbers 1 --numbers 2]" in text
    assert "--width INTEGER [at least 1]" in text
    assert "Give any argument by its name. These arguments have no option of their own: größe (integer)." in text
    assert "Give any argument by its name. The tool accepts names that are not listed here." in text


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        ([], "", ["--text", "--loud", "--no-loud", "--unit", "--tags", "--num-days", "--arg", "--help"]),
        ([], "--t", ["--text", "--tags"]),
        ([], "--num_", ["--num-days"]),
        (["--unit"], "", ["a_b", "c"]),
        (["--unit"], "a", ["a_b"]),
        (["--text"], "", []),
        (["--text", "x", "--tags", "y", "--no_loud"], "", ["--unit", "--tags", "--num-days", "--arg", "--help"]),
        (["{}"], "--u", ["--unit"]),
    ],
)
def test_options_of_a_tool_and_their_choices_are_completed(
    monkeypatch: pytest.MonkeyPatch, words: list[str], incomplete: str, expected: list[str]
) -> None:
    """Those that are not given yet, or may be given again."""

    def send(
        text: str,
        loud: bool = False,
        unit: Literal["a_b", "c"] = "c",
        tags: list[str] = (),  # type: ignore[assignment]
        num_days: int = 1,
    ) -> None: ...

    own = Registry()
    own.register(send)
    monkeypatch.setattr(_completing, "registry", own)
    monkeypatch.setattr(_completing, "begin_completion", lambda ctx: None)
    context = click.Context(click.Command("call"))
    found = _completing.complete_words(context, "send", tuple(words), incomplete)
    assert [each.value for each in found] == expected
