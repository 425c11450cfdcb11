"""Content of results: what each provider gets in its own shape, and what in words."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult, formats
from fcregistry.agents import ReactAgent
from fcregistry.execution import Content, ToolOutput

from ..agents.scripts import Script, calls, says  # noqa: TID252

PNG, SVG, WAV, PDF = b"\x89PNG\r\n\x1a\n", b"<svg/>", b"RIFF\x04\0\0\0WAVE", b"%PDF-1.7"
PNG64, WAV64, PDF64 = (b64encode(data).decode() for data in (PNG, WAV, PDF))

PARTS = (
    Content.text("Sales rose."),
    Content.image(PNG),
    Content.image(SVG, media_type="image/svg+xml"),
    Content.audio(WAV),
    Content.file(PDF, name="The report (final).pdf"),
    Content.file(b"a,b", name="sales.csv"),
    Content.file(b"PK\3\4", name="x.zip"),
    Content.link("acme://sales/1", name="Sales"),
    Content.text(""),
)
SVG_WORDS = "[image: image/svg+xml, 6 bytes]"
WAV_WORDS = "[audio: audio/wav, 12 bytes]"
CSV_WORDS = "[file: sales.csv, text/csv, 3 bytes]\na,b"
ZIP_WORDS = "[file: x.zip, application/zip, 4 bytes]"
LINK_WORDS = "[link: Sales, acme://sales/1]"
ALL_WORDS = "\n".join(
    (
        "Sales rose.",
        "[image: image/png, 8 bytes]",
        SVG_WORDS,
        WAV_WORDS,
        "[file: The report (final).pdf, application/pdf, 8 bytes]",
        CSV_WORDS,
        ZIP_WORDS,
        LINK_WORDS,
    )
)


def result_of(*parts: Content, id: str = "1") -> ToolResult:
    def chart() -> ToolOutput:
        return ToolOutput(content=parts)

    return Executor([Tool.from_function(chart)]).run(ToolCall("chart", {}, id))


def report(name: str, *results: ToolResult) -> list[dict[str, Any]]:
    reporter = formats.get(name).report
    assert reporter is not None
    return reporter(results)


def test_openai_gets_a_text_that_names_the_rest() -> None:
    assert report("openai", result_of(*PARTS)) == [{"role": "tool", "tool_call_id": "1", "content": ALL_WORDS}]


def test_openais_responses_get_images_and_documents() -> None:
    (item,) = report("openai-responses", result_of(*PARTS))

    assert (item["type"], item["call_id"]) == ("function_call_output", "1")
    assert item["output"] == [
        {"type": "input_text", "text": "Sales rose."},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG64}"},
        {"type": "input_text", "text": SVG_WORDS},
        {"type": "input_text", "text": WAV_WORDS},
        {
            "type": "input_file",
            "filename": "The report (final).pdf",
            "file_data": f"data:application/pdf;base64,{PDF64}",
        },
        {"type": "input_text", "text": CSV_WORDS},
        {"type": "input_text", "text": ZIP_WORDS},
        {"type": "input_text", "text": LINK_WORDS},
    ]


def test_anthropic_gets_images_pdfs_and_text_files() -> None:
    (message,) = report("anthropic", result_of(*PARTS))
    (block,) = message["content"]

    assert (block["type"], block["tool_use_id"]) == ("tool_result", "1")
    assert block["content"] == [
        {"type": "text", "text": "Sales rose."},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG64}},
        {"type": "text", "text": SVG_WORDS},
        {"type": "text", "text": WAV_WORDS},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": PDF64},
            "title": "The report (final).pdf",
        },
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "a,b"},
            "title": "sales.csv",
        },
        {"type": "text", "text": ZIP_WORDS},
        {"type": "text", "text": LINK_WORDS},
    ]


def test_gemini_gets_images_and_pdfs_beside_a_text_that_names_everything() -> None:
    (message,) = report("gemini", result_of(*PARTS))
    (part,) = message["parts"]

    assert part["functionResponse"] == {
        "id": "1",
        "name": "chart",
        "response": {"output": ALL_WORDS},
        "parts": [
            {"inlineData": {"mimeType": "image/png", "data": PNG64}},
            {"inlineData": {"mimeType": "application/pdf", "data": PDF64}},
        ],
    }
    (plain,) = report("gemini", result_of(Content.text("5")))[0]["parts"]
    assert plain["functionResponse"] == {"id": "1", "name": "chart", "response": {"output": "5"}}


def test_bedrock_gets_images_and_documents_as_bytes() -> None:
    (message,) = report("bedrock", result_of(*PARTS))
    (block,) = message["content"]

    assert block["toolResult"]["content"] == [
        {"text": "Sales rose."},
        {"image": {"format": "png", "source": {"bytes": PNG}}},
        {"text": SVG_WORDS},
        {"text": WAV_WORDS},
        {"document": {"format": "pdf", "name": "The report (final)", "source": {"bytes": PDF}}},
        {"document": {"format": "csv", "name": "sales", "source": {"bytes": b"a,b"}}},
        {"text": ZIP_WORDS},
        {"text": LINK_WORDS},
    ]


def test_no_two_documents_of_a_bedrock_message_have_one_name() -> None:
    names = [
        "sales_2024.csv",
        "sales-2024.csv",
        "sales 2024.csv",
        "売上.csv",
        ".csv",
        "x" * 99 + ".csv",
        "..",
        "(1).csv",
    ]
    twice = [result_of(*(Content.file(b"a", name=name, media_type="text/csv") for name in names)) for _ in "12"]
    (message,) = report("bedrock", *twice)
    told = [each["document"]["name"] for block in message["content"] for each in block["toolResult"]["content"]]

    assert told[: len(names)] == [
        *("sales 2024", "sales-2024", "sales 2024 (3)", "document", "csv", "x" * 56, "document (7)", "(1)"),
    ]
    assert len(set(told)) == len(told)
    assert max(map(len, told)) <= 64


def test_mcp_gets_everything_as_it_is() -> None:
    (shown,) = report("mcp", result_of(*PARTS))

    assert shown == {"content": [part.to_block() for part in PARTS], "isError": False}
    assert [block["type"] for block in shown["content"]] == [
        *("text", "image", "image", "audio", "resource", "resource", "resource", "resource_link", "text"),
    ]


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        ("openai", {"content": ""}),
        ("openai-responses", {"output": ""}),
        ("anthropic", {"content": ""}),
        ("bedrock", {"content": [{"text": ""}]}),
    ],
)
def test_content_that_is_empty_is_an_empty_text(name: str, empty: dict[str, Any]) -> None:
    for result in (result_of(), result_of(Content.text(""))):
        (message,) = report(name, result)
        inner = message["content"][0] if isinstance(message.get("content"), list) else message
        inner = inner.get("toolResult", inner)
        assert empty.items() <= inner.items()


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "gemini", "mcp"])
def test_what_is_reported_can_be_written_as_json(name: str) -> None:
    assert json.loads(json.dumps(report(name, result_of(*PARTS)))) == report(name, result_of(*PARTS))


def test_a_result_that_was_cut_is_text_for_models_and_whole_for_programs() -> None:
    def chart() -> dict[str, int]:
        return {f"region_{number}": number for number in range(20)}

    cut = Executor([Tool.from_function(chart)], max_characters=200).run({"name": "chart"})
    assert cut.content != cut.whole
    (message,) = report("gemini", cut)
    assert message["parts"][0]["functionResponse"]["response"] == {"output": cut.content}
    (shown,) = report("mcp", cut)
    assert shown["content"] == [{"type": "text", "text": cut.content}]
    assert shown["structuredContent"] == cut.value == chart()


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "gemini", "bedrock", "mcp"])
def test_a_result_that_a_run_has_dropped_is_reported_as_the_model_read_it(name: str) -> None:
    def chart() -> dict[str, int]:
        return {f"region_{number}": number for number in range(20)}

    executor = Executor([Tool.from_function(chart)], max_characters=200, max_kept_bytes=0)
    result = ReactAgent(Script(calls(ToolCall("chart", {}, "1")), says("Done.")), executor).run("?").tool_results[0]
    assert result.dropped
    (message,) = report(name, result)
    assert "region_1" in json.dumps(message)
    assert "structuredContent" not in message


def test_content_is_not_structured_even_where_a_tool_has_promised_an_object() -> None:
    def chart() -> dict[str, int]:
        return ToolOutput(value={"a": 1}, content=Content.json({"b": 2}))  # type: ignore[return-value]

    result = Executor([Tool.from_function(chart)]).run({"name": "chart"})
    assert (result.value, result.content) == ({"a": 1}, '{"b": 2}')
    assert "structuredContent" not in report("mcp", result)[0]


def test_a_result_that_was_reworded_is_a_text() -> None:
    def chart() -> dict[str, int]: ...

    result = ToolResult(ToolCall("chart"), {"a": 5}, None, "about five", Tool.from_function(chart))
    (message,) = report("gemini", result)

    assert report("mcp", result) == [{"content": [{"type": "text", "text": "about five"}], "isError": False}]

    assert message["parts"][0]["functionResponse"]["response"] == {"output": "about five"}


def test_json_that_is_nested_too_deeply_to_be_read_is_reported_as_text() -> None:
    def chart() -> dict[str, int]: ...

    deep = "[" * 100_000 + "]" * 100_000
    result = ToolResult(ToolCall("chart"), {"a": 5}, None, deep, Tool.from_function(chart))
    (message,) = report("gemini", result)

    assert message["parts"][0]["functionResponse"]["response"] == {"output": deep}
    assert report("mcp", result) == [{"content": [{"type": "text", "text": deep}], "isError": False}]
