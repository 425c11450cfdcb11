"""Tools, results and errors that are pickled and sent to another process and back."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, ReactAgent, Registry, Tool, ToolCall, ToolResult
from fcregistry.errors import (
    AmbiguousToolError,
    ChatTemplateError,
    DefinitionError,
    FcregistryError,
    ModelError,
    ToolCallError,
    ToolError,
    ToolNotFoundError,
    UnfinishedRunError,
)
from fcregistry.execution import CallError
from fcregistry.execution._call_errors import WorkerError  # it crosses processes, as public errors do

from .agents.scripts import Script, calls, says  # the tests are no package

if TYPE_CHECKING:
    from tests.conftest import Site


class OddError(Exception):
    """Cannot be made again from its arguments."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


def lookup(word: str, depth: int = 1) -> list[str]:
    """Look a word up.

    Args:
        word: The word.
        depth: How far.
    """
    if word == "odd":
        raise OddError("odd", "word")
    if word == "missing":
        raise ToolError(f"there is no {word}", retryable=True, retry_after=2.5)
    return [word] * depth


class Notes:
    """Notes with a prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def note(self, text: str) -> str:
        """Keep a note."""
        return f"{self.prefix}{text}"


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def result_of(arguments: dict[str, Any]) -> ToolResult:
    """Call the tool: what a worker process does."""
    return Executor([lookup]).run(ToolCall("lookup", arguments, "call_1"))


@pytest.mark.parametrize("arguments", [{"word": "a", "depth": 2}, {"word": "missing"}, {"depth": "x", "wrod": "a"}])
def test_a_result_is_the_same_after_pickling(arguments: dict[str, Any]) -> None:
    result = result_of(arguments)
    came = again(result)

    assert came.to_json() == result.to_json()
    assert (came.call, came.content, came.ok, came.arguments) == (
        result.call,
        result.content,
        result.ok,
        result.arguments,
    )
    assert (came.tool.id, came.tool.parameters) == (result.tool.id, result.tool.parameters)
    if result.error is not None:
        assert came.error.problems == result.error.problems
        assert (came.error.retryable, came.error.retry_after) == (result.error.retryable, result.error.retry_after)
        assert repr(came.error.exception) == repr(result.error.exception)


def test_an_exception_that_cannot_be_pickled_is_left_out_and_its_message_stays() -> None:
    came = again(result_of({"word": "odd"}))

    assert came.error.exception is None
    assert came.error.text == "OddError: odd word"


POOL = """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    from fcregistry import Executor
    from fcregistry.errors import ToolCallError, ToolError

    def lookup(word: str) -> list[str]:
        if word == "missing":
            raise ToolError("there is no such word", retryable=True, retry_after=2.5)
        return [word]

    def result_of(word):
        return Executor([lookup]).call("lookup", word=word)

    def unwrapped(word):
        return result_of(word).unwrap()

    if __name__ == "__main__":
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            print(pool.submit(result_of, "a").result(60).value)
            try:
                pool.submit(unwrapped, "missing").result(60)
            except ToolCallError as error:
                print(error, error.error.retry_after)
"""


def test_a_pool_of_processes_gives_results_and_raises_what_was_raised_there(site: Site) -> None:
    site.write({"pooled.py": POOL})
    done = site.run("pooled.py")

    assert (done.stdout.splitlines(), done.stderr) == (["['a']", "there is no such word 2.5"], "")


def test_a_tool_that_cannot_be_pickled_is_left_out_and_its_result_stays() -> None:
    def inner(word: str) -> str:
        return word

    came = again(Executor([inner]).call("inner", word="a"))

    assert (came.tool, came.provenance) == (None, None)
    assert (came.value, came.content, came.call.name) == ("a", "a", "inner")


def test_a_tool_of_a_function_or_a_method_is_called_as_before() -> None:
    tool = again(Tool.from_function(lookup, name="find", tags=["a"], meta={"acme.team": "words"}).renamed("search"))
    method = again(Tool.from_function(Notes("> ").note))

    assert (tool.name, tool.declared_name, tool.options.tags, dict(tool.options.meta)) == (
        "search",
        "find",
        ("a",),
        {"acme.team": "words"},
    )
    assert Executor([tool]).call("search", word="b").value == ["b"]
    assert Executor([method]).call("note", text="x").value == "> x"


def test_a_tool_of_a_registry_and_a_toolset_can_be_pickled() -> None:
    own = Registry()
    own.register(lookup, group="words")
    tools = again(own.select("words.lookup").prefixed("acme_"))

    assert [(tool.name, tool.id) for tool in tools.values()] == [("acme_lookup", "words.lookup")]


def test_the_error_for_pickling_a_nested_function_names_it() -> None:
    def inner(word: str) -> str:
        return word

    with pytest.raises((pickle.PicklingError, AttributeError), match="inner"):
        pickle.dumps(Tool.from_function(inner))


PLUGIN = """
    from fcregistry import fc_register

    @fc_register
    def shout(text: str) -> str:
        '''Say it loudly.'''
        return text.upper()
"""


def test_a_tool_of_a_plugin_is_pickled_by_its_id_without_importing_the_plugin(site: Site) -> None:
    site.install("acme", {"talk": "acme_talk"}, {"acme_talk.py": PLUGIN})
    site.cli("list")  # which describes it
    pickled = """
        import pickle
        from fcregistry import Executor, registry

        tool = registry.get("acme:shout").renamed("cry")
        pickled, imported = pickle.dumps(tool).hex(), "acme_talk" in sys.modules
        answer = [pickled, imported, pickle.dumps(Executor([tool]).call("cry", text=5)).hex()]
    """
    tool, imported, result = site.ask(pickled)
    assert not imported

    unpickled = f"""
        import pickle
        from fcregistry import Executor

        tool = pickle.loads(bytes.fromhex({tool!r}))
        result = pickle.loads(bytes.fromhex({result!r}))
        before = "acme_talk" in sys.modules
        answer = [tool.name, tool.id, result.content, result.tool.id, before, Executor([tool]).call("cry", text="a").content]
    """
    name, canonical_id, content, of, before, called = site.ask(unpickled)
    assert (name, canonical_id, of, before, called) == ("cry", "acme:shout", "acme:shout", False, "A")
    assert "$.text: must be a string, not 5" in content


def test_a_run_of_an_agent_is_pickled_with_all_its_steps() -> None:
    model = Script(calls(ToolCall("lookup", {"word": "a"}, "1")), says("Done."))
    result = again(ReactAgent(model, [lookup]).run("Look."))

    assert (result.answer, [step.kind for step in result.steps]) == ("Done.", ["model", "tools", "model"])
    assert result.tool_results[0].value == ["a"]


def test_a_run_without_an_answer_is_pickled_with_its_error() -> None:
    unfinished = ReactAgent(Script(ModelError("no answer", status=503)), [lookup]).run("Look.")
    came = again(UnfinishedRunError(unfinished))

    assert (came.result.stop_reason, came.result.error.status) == ("model_error", 503)
    assert "no answer" in str(came)


@pytest.mark.parametrize(
    "error",
    [
        AmbiguousToolError("two", candidates=("a:x", "b:x")),
        ChatTemplateError("no", line=3),
        DefinitionError("f cannot be a tool:", ["one", "two"]),
        FcregistryError("no"),
        ModelError("no", status=429, retryable=True, retry_after=1.5),
        ToolCallError(CallError("timeout", "too long", retryable=True)),
        ToolError("no", retry_after=2.0),
        ToolNotFoundError("no tool", name="x", candidates=("y",)),
        WorkerError("unavailable", "it is gone", "killed", reserved=("gone", ())),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_the_same_after_pickling(error: FcregistryError) -> None:
    came = again(error)

    assert (type(came), str(came), sorted(vars(came))) == (type(error), str(error), sorted(vars(error)))
    for name, value in vars(error).items():
        if not isinstance(value, CallError):
            assert getattr(came, name) == value
        else:
            assert getattr(came, name).to_json() == value.to_json()
