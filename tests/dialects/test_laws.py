"""Laws of every dialect: one result however a text is cut, no exception, written calls are read, cut-off calls are not."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Tool, ToolCall, dialects

from .goldens import Golden, goldens

NAMES = dialects.names()
CASES = [(name, case) for name, cases in sorted(goldens().items()) for case in cases]
IDS = [f"{name}-{place}" for place, (name, _) in enumerate(CASES)]
FEW = settings(max_examples=25)


def content_of(parsed: dialects.Parsed) -> tuple[str, str, list[tuple[str, Any]]]:
    """Return the content, the thoughts and the calls of a text, without ids."""
    return parsed.content, parsed.reasoning, [(call.name, call.arguments) for call in parsed.tool_calls]


def pieces(text: str, seed: int) -> list[str]:
    """Cut a text anywhere."""
    chance = random.Random(seed)
    longest = chance.choice((1, 2, 5, 30))
    found = []
    while text:
        size = chance.randint(1, longest)
        found.append(text[:size])
        text = text[size:]
    return found


def streamed(dialect: dialects.Dialect, parts: list[str], tools: Any) -> tuple[dialects.Parsed, list[dialects.Parsed]]:
    """Return the content of a text, and the pieces returned on the way."""
    stream = dialect.stream(tools)
    new = [stream.feed(part) for part in parts]
    return stream.close(), [*new, stream.rest]


# --- golden cases ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "case"), CASES, ids=IDS)
def test_a_published_text_has_the_documented_content(name: str, case: Golden) -> None:
    parsed = dialects.get(name).parse(case.text, case.tools)
    assert content_of(parsed) == (
        case.content,
        case.reasoning,
        [(call, dict(arguments)) for call, arguments in case.calls],
    )


@pytest.mark.parametrize(("name", "case"), CASES, ids=IDS)
def test_a_text_has_the_same_content_however_it_is_cut(name: str, case: Golden) -> None:
    dialect = dialects.get(name)
    whole = dialect.parse(case.text, case.tools)
    for seed in range(6):
        parsed, _ = streamed(dialect, pieces(case.text, seed), case.tools)
        assert parsed == whole


@pytest.mark.parametrize(("name", "case"), CASES, ids=IDS)
def test_no_beginning_of_a_text_makes_another_call(name: str, case: Golden) -> None:
    dialect = dialects.get(name)
    whole = [(call.name, call.arguments) for call in dialect.parse(case.text, case.tools).tool_calls]
    for end in range(len(case.text)):
        begun = [(call.name, call.arguments) for call in dialect.parse(case.text[:end], case.tools).tool_calls]
        if name in ("react", "langchain-xml") and begun:  # the end of the answer ends a text, too
            assert begun[-1][0] == whole[len(begun) - 1][0]
            del begun[-1]
        assert begun == whole[: len(begun)]


@pytest.mark.parametrize("name", NAMES)
def test_every_family_has_golden_cases(name: str) -> None:
    cases = goldens()[name]
    assert any(len(case.calls) == 1 for case in cases)
    assert any(len(case.calls) > 1 for case in cases)
    assert any(not case.calls for case in cases)
    assert all(case.source for case in cases)


def opens_no_thoughts(dialect: dialects.Dialect, text: str) -> bool:
    """Return whether a text only closes thoughts, which the prompt opened."""
    marks: dict[str, list[str]] = {"reasoning": [], "end": []}
    for mark, section in dialect.openers.sections.items():
        if mark in text:
            marks.setdefault(getattr(section, "kind", "" if hasattr(section, "read") else "end"), []).append(mark)
    return bool(marks["end"]) and not marks["reasoning"]


@pytest.mark.parametrize("name", NAMES)
def test_the_pieces_returned_on_the_way_add_up_to_the_end(name: str) -> None:
    dialect = dialects.get(name)
    for case in goldens()[name]:
        if opens_no_thoughts(dialect, case.text):
            continue  # words that turn out to have been thoughts
        parsed, new = streamed(dialect, pieces(case.text, 7), case.tools)
        assert "".join(each.content for each in new) == parsed.content
        assert "".join(each.reasoning for each in new) == parsed.reasoning
        assert tuple(call for each in new for call in each.tool_calls) == parsed.tool_calls


# --- any text -------------------------------------------------------------------------------------


def marks_of(name: str) -> list[str]:
    """Return the marks of a family, and pieces of its own texts, which any text may be made of."""
    dialect = dialects.get(name)
    texts = [case.text for case in goldens()[name]]
    tokens = {token for text in texts for token in re.findall(r"<[^<>\n]{1,40}>|\[[A-Z_]+\]|\w+|[^\w\s]", text)}
    marks = dialect.openers.marks.texts if hasattr(dialect, "openers") else ()
    return sorted(
        {*tokens, *marks, " ", "\n", '"', "'", "{", "}", "[", "]", ":", ",", "\\", "a", "é", "/*", "#", "```"}
    )


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(data=st.data())
def test_any_text_is_read_without_an_exception_and_the_same_in_pieces(name: str, data: st.DataObject) -> None:
    text = "".join(data.draw(st.lists(st.sampled_from(marks_of(name)) | st.text(max_size=3), max_size=40)))
    dialect = dialects.get(name)
    tools = data.draw(st.sampled_from([None, [ECHO]]))
    whole = dialect.parse(text, tools)
    parsed, _ = streamed(dialect, pieces(text, data.draw(st.integers(0, 99))), tools)
    assert parsed == whole


# --- calls that come back -------------------------------------------------------------------------


def echo(text: str, n: int, ratio: float, flag: bool, items: list[str], table: dict[str, int | str | None]) -> str:
    """Say what was given.

    Args:
        text: Any text.
        n: A number.
        ratio: Another.
        flag: Whether.
        items: Some.
        table: A table.
    """
    return text


ECHO = Tool.from_function(echo)
TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        "",
        " ",
        "\n",
        "a\nb\n",
        '"',
        "'",
        "\\",
        "{}",
        "}]",
        "</tool_call>",
        "<tool_call>",
        "</parameter>",
        "</function>",
        "```",
        "null",
        "1",
        "é中",
    ]
)
ARGUMENTS = st.fixed_dictionaries(
    {
        "text": TEXTS,
        "n": st.integers(),
        "ratio": st.floats(allow_nan=False, allow_infinity=False),
        "flag": st.booleans(),
        "items": st.lists(TEXTS, max_size=3),
        "table": st.dictionaries(TEXTS, st.integers() | TEXTS | st.none(), max_size=3),
    }
)


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(data=st.data())
def test_a_call_that_is_written_is_read_again(name: str, data: st.DataObject) -> None:
    dialect = dialects.get(name)
    calls = [ToolCall("echo", arguments) for arguments in data.draw(st.lists(ARGUMENTS, min_size=1, max_size=2))]
    mark = data.draw(st.sampled_from(marks_of(name)))
    calls[0] = ToolCall("echo", {**dict(calls[0].arguments or {}), "text": f"{mark}{data.draw(TEXTS)}"})  # type: ignore[arg-type]
    try:
        text = dialect.render_calls(calls)
    except ValueError:
        assert dialect.limits
        return
    parsed = dialect.parse(text, [ECHO])
    assert [(call.name, call.arguments) for call in parsed.tool_calls] == [
        (call.name, call.arguments) for call in calls
    ]
    assert parsed.content == ""


@pytest.mark.parametrize("name", NAMES)
def test_tools_are_shown_and_no_tools_are_an_empty_text(name: str) -> None:
    dialect = dialects.get(name)
    text = dialect.render([ECHO])
    assert "echo" in text
    assert "Say what was given" in text
    assert dialect.render([ECHO]) == text
    assert dialect.render([]) == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_description_cannot_contain_a_mark(name: str) -> None:
    dialect = dialects.get(name)
    marks = [*dialect.guarded_marks(), *dialect.openers.marks.texts]
    longer = [mark for mark in marks if len(mark) > 3]
    shown = dialect.render([Tool.from_function(echo, description=" ".join(longer))])
    plain = dialect.render([Tool.from_function(echo, description="nothing")])
    assert [shown.count(mark) for mark in longer] == [plain.count(mark) for mark in longer]


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_shown_and_cannot_contain_a_mark_of_calls(name: str) -> None:
    dialect = dialects.get(name)
    call = dialect.render_calls([ToolCall("echo", {"text": "x"})])
    text = dialect.render_result("echo", f"forty-two {call}", "call_1")
    assert "forty-two" in text
    empty = dialect.render_result("echo", "", "call_1")
    assert all(text.count(mark) == empty.count(mark) for mark in dialect.guarded_marks() if mark in call)


# --- the documents --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_family_is_in_the_reference(name: str) -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "dialects.md"
    if not page.exists():
        pytest.skip("the documents are not beside the tests")
    text = page.read_text(encoding="utf-8")
    assert f"| `{name}` |" in text
    assert f"### {name}\n" in text
