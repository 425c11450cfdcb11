"""Results of which a model saw only a part, and the tool `read_result`, with which it reads the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.agents import FunctionCall, OnDemand, PlanAndSolveAgent, ReactAgent, RunResult, RunState, VisibleTools
from fcregistry.errors import DuplicateToolError
from fcregistry.execution import Approve, Content, Policy

from .scripts import WAYS, Script, calls, says

KEY = b"sixteen bytes at least"
LINES = [f"line {number}" for number in range(1000)]
TEXT = "\n".join(LINES)


def read_log(count: int = 1000) -> str:
    """Read a log.

    Args:
        count: How many lines.
    """
    return "\n".join(LINES[:count])


def executor(tools: Any = read_log, **options: Any) -> Executor:
    return Executor(tools, **{"max_characters": 400, "keep": True, **options})


def id_in(text: str) -> str:
    """Return the id that a model reads in place of what was cut."""
    return text.partition("the whole is kept as ")[2].partition(";")[0]


ID = id_in(executor().call("read_log").content)
"""The id of TEXT, which is the same in every run."""

LOG = ToolCall("read_log", "{}", "1")


def reads(call_id: str = "2", /, **arguments: Any) -> ToolCall:
    return ToolCall("read_result", json.dumps({"id": ID, **arguments}), call_id)


def content_of(**arguments: Any) -> str:
    """Return what a model gets that reads more of TEXT."""
    script = Script(calls(LOG), calls(reads(**arguments)), says("Done."))
    return ReactAgent(script, executor()).run("?").tool_results[1].content


@pytest.mark.parametrize("way", WAYS)
def test_the_tool_is_offered_once_a_result_was_cut(way: Callable[..., RunResult]) -> None:
    model = Script(calls(ToolCall("read_log", {"count": 3}, "0")), calls(LOG), calls(reads()), says("Done."))
    result = way(ReactAgent(model, executor()), "?")
    assert result.answer == "Done."
    assert model.offered == [["read_log"], ["read_log"], ["read_log", "read_result"], ["read_log", "read_result"]]
    assert result.tool_results[2].content.startswith("line 0\nline 1\n")


def test_another_run_reads_nothing_of_it() -> None:
    agent = ReactAgent(Script(calls(LOG), says("Done."), calls(reads()), says("Nothing.")), executor())
    first = agent.run("?")
    second = agent.run([*first.messages, {"role": "user", "content": "And now?"}])
    assert second.tool_results[0].content == f"no result is kept under the id '{ID}'; the ids of this run: none"
    assert agent.model.offered == [["read_log"], ["read_log", "read_result"], ["read_log"], ["read_log"]]  # type: ignore[attr-defined]


def test_a_text_is_read_from_its_beginning_to_its_end_within_the_limit() -> None:
    parts, offset = [], 0
    while offset < len(TEXT):
        content = content_of(offset=offset)
        assert len(content) <= 400
        part, _, last = content.rpartition("\n")
        parts.append(part)
        end = offset + len(part)
        more = f"; read on with offset={end}" if end < len(TEXT) else ""
        assert last == f"[characters {offset} to {end} of {len(TEXT)}{more}]"
        offset = end
    assert "".join(parts) == TEXT


def test_lines_are_found_by_a_pattern_with_their_offsets() -> None:
    found = [f"{TEXT.index(line)}: {line}" for line in ("line 77", "line 177", "line 277")]
    assert content_of(pattern="77$", limit=42) == "\n".join(
        [
            *found,
            f"[characters 0 to {TEXT.index('line 377')} of {len(TEXT)}; read on with offset={TEXT.index('line 377')}]",
        ]
    )
    assert content_of(pattern="no such line") == f"no line matches\n[characters 0 to {len(TEXT)} of {len(TEXT)}]"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"offset": 10_000}, "offset 10000 is behind the end: the result has 8889 characters"),
        ({"pattern": "("}, "is not a pattern that the linear-time engine supports"),
        (
            {"pattern": r"(a)\1"},
            "is not a pattern that the linear-time engine supports (no look-around, no back-references)",
        ),
        ({"id": "elsewhere.txt"}, f"no result is kept under the id 'elsewhere.txt'; the ids of this run: {ID}"),
        ({"limit": 0}, "$.limit: must be at least 1, not 0"),
    ],
)
def test_the_model_reads_its_mistakes(arguments: dict[str, Any], message: str) -> None:
    assert message in content_of(**arguments)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:(?:a{000000001000000000}b){000000001000000000})x",
        "(?:a?b?){000000001000000}",
        "(((a{100}){100}){100}){100}",
        "(?:line){e<=6}x",
        "(" * 999,
    ],
)
def test_a_pattern_that_takes_too_much_memory_is_refused(pattern: str) -> None:
    assert "is not a pattern that the linear-time engine supports" in content_of(pattern=pattern)


def test_a_pattern_takes_time_linear_in_the_text() -> None:
    """Python's own engine would take hours."""

    def hostile() -> str:
        """Return a long line."""
        return "a" * 50_000 + "b"

    keeping = executor(hostile)
    name = id_in(keeping.call("hostile").content)
    script = Script(
        calls(ToolCall("hostile", "{}", "1")),
        calls(ToolCall("read_result", {"id": name, "pattern": "^(a+)+$"}, "2")),
        says("Done."),
    )
    assert ReactAgent(script, keeping).run("?").tool_results[1].content.startswith("no line matches")


def test_a_folder_keeps_the_files_after_the_run(tmp_path: Path) -> None:
    path = Executor(read_log, max_characters=400, keep=tmp_path).call("read_log").content.partition("is kept in ")[2]
    path = path.partition(" …]")[0]
    script = Script(calls(LOG), calls(ToolCall("read_result", {"id": path}, "2")), says("Done."))
    result = ReactAgent(script, executor(keep=tmp_path)).run("?")
    assert result.tool_results[1].content.startswith("line 0\n")
    assert [each.read_text() for each in tmp_path.iterdir()] == [TEXT]


def test_the_text_of_content_is_read_without_its_images() -> None:
    def report() -> list[Content]:
        """Report."""
        return [
            Content.text("a" * 500),
            Content.image(b"\x89PNG\r\n\x1a\n", media_type="image/png"),
            Content.text("b" * 500),
        ]

    keeping = executor(report)
    name = id_in(keeping.call("report").content)
    script = Script(
        calls(ToolCall("report", "{}", "1")),
        calls(ToolCall("read_result", {"id": name, "offset": 480, "limit": 40}, "2")),
        says("Done."),
    )
    run = ReactAgent(script, keeping).run("?")
    assert (
        run.tool_results[1].content
        == f"{'a' * 20}\n{'b' * 19}\n[characters 480 to 520 of 1001; read on with offset=520]"
    )


def test_a_run_that_waits_can_read_on_after_it_was_resumed_elsewhere() -> None:
    def delete() -> str:
        """Delete everything."""
        return "gone"

    def agent(*said: Any) -> ReactAgent:
        tools = [read_log, Tool.from_function(delete, requires_approval=True)]
        return ReactAgent(Script(*said), executor(tools))

    waiting = agent(calls(LOG), calls(ToolCall("delete", "{}", "2"))).run("?")
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
    result = agent(calls(reads("3", offset=8881)), says("Done.")).resume(state, {"2": Approve()})
    assert result.tool_results[-1].content == "line 999\n[characters 8881 to 8889 of 8889]"


def test_a_step_of_a_plan_reads_what_an_earlier_one_kept() -> None:
    plan = says("1. Read the log.\n2. Look closer.")
    model = Script(plan, calls(LOG), says("Read."), calls(reads()), says("Seen."), says("Done."))
    run = PlanAndSolveAgent(model, executor()).run("?")
    assert [each.ok for each in run.tool_results] == [True, True]


def test_behind_gateways_the_tool_is_visible_too() -> None:
    model = Script(
        calls(ToolCall("load_tools", {"names": ["read_log"]}, "1")), calls(LOG), calls(reads()), says("Done.")
    )
    run = ReactAgent(model, executor(OnDemand([read_log]))).run("?")
    assert [each.ok for each in run.tool_results] == [True, True, True]
    assert ["read_result" in names for names in model.offered] == [False, False, True, True]


def test_an_application_with_its_own_loop_uses_one_visible_tools_for_its_conversation() -> None:
    keeping = executor()
    visible = VisibleTools(keeping)
    assert list(visible.tools) == ["read_log"]
    visible.run_all([LOG])
    assert list(visible.tools) == ["read_log", "read_result"]
    assert [each["function"]["name"] for each in visible.describe()] == ["read_log", "read_result"]
    (result,) = visible.run_all([reads(limit=6)])
    assert result.content.startswith("line 0\n[")
    (foreign,) = visible.fresh().run_all([reads()])
    assert not foreign.ok
    assert list(keeping.tools) == ["read_log"]


def test_expressions_read_on_beside_other_calls() -> None:
    model = Script(
        says("read_log()"), says(f"[read_log(count=1), read_result(id='{ID}', limit=6)]"), says("It is done.")
    )
    run = ReactAgent(model, executor(), calls="expression").run("?")
    assert [each.content.partition("\n")[0] for each in run.tool_results[1:]] == ["line 0", "line 0"]


def test_a_policy_can_forbid_the_tool() -> None:
    model = Script(calls(LOG), calls(reads()), says("Done."))
    run = ReactAgent(model, executor(policy=Policy(deny=["read_result"]))).run("?")
    assert [each.ok for each in run.tool_results] == [True, False]


def test_a_tool_of_the_same_name_is_refused() -> None:
    def read_result() -> str:
        """Read."""
        return ""

    with pytest.raises(DuplicateToolError, match="read_result"):
        executor(read_result)
    assert Executor(read_result, max_characters=400).call("read_result").ok


def test_one_round_of_a_chooser_keeps_nothing_for_the_next() -> None:
    agent = FunctionCall(Script(calls(LOG), calls(reads())), executor())
    agent("?")
    assert "the ids of this run: none" in str(agent("And then?"))
