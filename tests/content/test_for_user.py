"""Content for the user alone: the program gets it, and no model does."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from fcregistry import Executor, ReactAgent, ReWOOAgent, ToolResult, formats
from fcregistry.execution import Content, ToolOutput
from fcregistry.models import Message

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16
ALONE = {"annotations": {"audience": ["user"]}}
CHART = Content.from_block({**Content.image(PNG).to_block(), **ALONE})
NOTE = Content.from_block({"type": "text", "text": "the secret chart", **ALONE})
ROWS = Content.text("10 rows")


def result_of(*parts: Content, **limits: Any) -> ToolResult:
    def show() -> Any:
        """Show it."""
        return ToolOutput(content=parts)

    return Executor([show], **limits).call("show")


@pytest.mark.parametrize(
    "annotations",
    [None, {}, {"audience": []}, {"audience": ["assistant", "user"]}, {"audience": "user"}, "user", ["user"]],
)
def test_content_is_for_the_user_alone_only_if_its_block_says_so(annotations: Any) -> None:
    block = {"type": "text", "text": "a"}
    assert Content.from_block({**block, "annotations": annotations}).for_user is False
    assert Content.from_block({**block, **ALONE}).for_user is True
    assert Content.text("a").for_user is False


def test_its_block_and_its_pickle_keep_it() -> None:
    for part in (CHART, NOTE):
        assert part.to_block()["annotations"] == {"audience": ["user"]}
        assert Content.from_block(part.to_block()).for_user
        assert pickle.loads(pickle.dumps(part)).for_user
    assert "annotations" not in ROWS.to_block()


def test_it_is_in_the_parts_of_a_result_and_not_in_what_a_model_gets() -> None:
    result = result_of(NOTE, ROWS, CHART)
    assert result.parts == (NOTE, ROWS, CHART)
    assert (result.content, result.blocks) == ("10 rows", (ROWS.to_block(),))
    assert result.to_json()["blocks"] == [part.to_block() for part in result.parts]


def test_a_model_that_gets_nothing_else_reads_that_it_is_shown_to_the_user() -> None:
    for parts in ((NOTE,), (CHART, NOTE), (CHART, Content.text(""))):
        result = result_of(*parts)
        assert (result.content, result.parts) == ("shown to the user", parts)
        assert result.blocks == ({"type": "text", "text": "shown to the user"},)


@pytest.mark.parametrize("name", ["anthropic", "bedrock", "gemini", "openai", "openai-responses"])
def test_no_format_sends_it(name: str) -> None:
    report = formats.get(name).report
    assert report is not None
    plain = report([result_of(ROWS)])
    assert "10 rows" in json.dumps(plain)
    assert json.dumps(report([result_of(NOTE, ROWS, CHART)])).count("10 rows") == 1
    for parts in ((NOTE, ROWS, CHART), (CHART, NOTE), (CHART,)):
        sent = json.dumps(report([result_of(*parts)]))
        assert "secret" not in sent
        assert "png" not in sent
    assert "shown to the user" in json.dumps(report([result_of(CHART)]))


def test_a_client_of_served_tools_gets_it_with_its_audience() -> None:
    report = formats.get("mcp").report
    assert report is not None
    assert report([result_of(ROWS, NOTE)])[0]["content"] == [ROWS.to_block(), NOTE.to_block()]


@pytest.mark.parametrize("parts", [(NOTE, ROWS, CHART), (CHART,)])
def test_an_agent_does_not_send_it_to_its_model(parts: tuple[Content, ...]) -> None:
    def show() -> Any:
        """Show it."""
        return ToolOutput(content=parts)

    read: list[Any] = []

    def model(messages: Any, tools: Any) -> Any:
        if messages[-1]["role"] == "tool":
            read.append(messages[-1]["content"])
            return "done"
        return {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "name": "show", "arguments": {}}]}

    assert ReactAgent(model, [show])("Show it.") == "done"
    assert read == [result_of(*parts).content]


def test_limits_count_only_what_a_model_gets_and_a_kept_text_is_without_it() -> None:
    long = Content.from_block({"type": "text", "text": "secret " * 100, **ALONE})
    small = result_of(long, CHART, ROWS, max_characters=200, max_bytes=10)
    assert (small.parts, small.whole) == ((long, CHART, ROWS), None)

    cut = result_of(long, Content.text("word " * 100), max_characters=200, keep=True)
    assert cut.parts[0] == long
    assert len(cut.content) <= 200
    assert "secret" not in cut.content


def show() -> Any:
    """Show it."""
    return ToolOutput(content=[NOTE, ROWS, CHART])


def show_list() -> Any:
    """Show it."""
    return [NOTE, "10 rows", CHART]


def echo(value: Any) -> str:
    """Repeat it."""
    return repr(value)


@pytest.mark.parametrize("tool", [show, show_list])
def test_an_expression_does_not_pass_it_to_another_tool(tool: Any) -> None:
    result = Executor([tool, echo]).run_expression(f"echo({tool.__name__}())")
    assert "secret" not in result.content


@pytest.mark.parametrize("tool", [show, show_list])
def test_a_plan_does_not_pass_it_to_another_tool(tool: Any) -> None:
    answers = iter([f'#E1 = {tool.__name__}[{{}}]\n#E2 = echo[{{"value": "#E1"}}]', "done"])
    run = ReWOOAgent(lambda messages: next(answers), [tool, echo]).run("Show it.")
    assert [result.content for result in run.tool_results] == ["10 rows", "'10 rows'"]
    assert "secret" not in json.dumps([message.to_dict() for message in run.messages])


def test_a_message_leaves_it_out() -> None:
    parts = result_of(NOTE, ROWS, CHART).parts
    assert Message(role="user", content=parts).content == (ROWS,)
    assert Message.of({"role": "user", "content": [part.to_block() for part in parts]}).content == "10 rows"
    for role in ("system", "user", "assistant", "tool"):
        assert Message(role=role, content=(NOTE, CHART)).text == "shown to the user"  # type: ignore[arg-type]
    assert Message.of({"role": "user", "content": [NOTE.to_block()]}).content == "shown to the user"
    cited = {"type": "output_text", "text": "10 rows", "annotations": [{"type": "url_citation"}]}
    assert Message.of({"role": "assistant", "content": [cited]}).content == "10 rows"


def test_no_model_reads_it_in_a_message_of_the_program() -> None:
    read: list[Any] = []

    def model(messages: Any) -> str:
        read.extend(message["content"] for message in messages)
        return "done"

    question = [Message(role="user", content=(Content.text("See:"), *result_of(NOTE, ROWS, CHART).parts))]
    assert ReactAgent(model)(question) == "done"
    assert "secret" not in str(read)
    assert "10 rows" in str(read)
