"""The options of a tool, and the errors for options that are not valid."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fcregistry import Executor, Registry, Tool, fc_register, registry
from fcregistry.errors import DefinitionError
from fcregistry.execution import ToolOutput

GOOD: dict[str, tuple[Any, ...]] = {
    "name": ("other",),
    "title": ("A title", ""),
    "description": ("What it does.", ""),
    "parameters": ({}, {"type": "object", "properties": {}}),
    "returns": ({}, {"type": "integer"}, dict, lambda: None),
    "examples": ([], [{"x": 1}], ({"x": 1}, {})),
    "tags": ((), ["a", "b"], {"a"}, frozenset({"a"})),
    "aliases": ((), ["old_name"], ("a", "b")),
    "deprecated": (True, False, "use other"),
    "meta": ({}, {"acme.team": "maps", "acme.count": 3}),
    "read_only": (True, False),
    "destructive": (True, False),
    "idempotent": (True, False),
    "open_world": (True, False),
    "assume_hints": ("mcp", "mcp-read-only"),
    "requires_approval": (True, False, lambda arguments: True),
    "always_ask": (lambda arguments: "a reason", lambda arguments: None),
    "requires_env": ("ACME_KEY", ("ACME_KEY", "ACME_URL"), [], ["ACME_KEY", ("ACME_URL", "ProgramFiles(x86)")]),
    "available": (bool, lambda: True),
    "timeout": (1, 0.5),
    "isolation": ("process",),
    "blocking": (True, False, "caller"),
    "reads": ("key", ("a", "b"), lambda arguments: "key"),
    "writes": ("key", ("a", "b"), lambda arguments: "key"),
    "input_files": (["path"], ("path", "paths"), []),
    "output_files": (["out"], ()),
    "exclusive": (True, False),
    "on_nan": ("refuse", "null"),
    "cache": (True, {}),
    "replace": (True, False),
}


def test_the_docstring_describes_every_option() -> None:
    assert re.findall(r"- `(\w+)`: .", fc_register.__doc__ or "") == list(GOOD)


BAD: dict[str, tuple[Any, ...]] = {
    "name": (1, None, b"x"),
    "title": (1, None),
    "description": (None, ["x"]),
    "parameters": (None, "{}", [], {1: 2}),
    "returns": (None, "{}", [], {1: 2}),
    "examples": ("x", [1], {"x": 1}),
    "tags": ("tag", [1], None, {"a": 1}),
    "aliases": ("alias", [1], None),
    "deprecated": (1, None),
    "meta": ({"plain": 1}, {1: 2}, None),
    "read_only": (1, None, "yes"),
    "destructive": (0,),
    "idempotent": ("true",),
    "open_world": (None,),
    "assume_hints": (True, None, "", "MCP", ["mcp"]),
    "requires_approval": (1, "always", None),
    "always_ask": (True, "always", None),
    "requires_env": (1, [1], None, {"KEY": "value"}, "", "FC A", "A=B", " A", "A\n", ["A", ""], [()], [("A", "A B")]),
    "available": (True, None, "yes"),
    "timeout": (0, -1, float("inf"), float("nan"), True, "5", None),
    "isolation": ("thread", True, None),
    "blocking": ("yes", None, 2),
    "reads": (1, [1], None),
    "writes": (1, [1], None),
    "input_files": ("path", [1], None, {"path": 1}),
    "output_files": ("out", [None], 1),
    "exclusive": (1, None),
    "on_nan": (None, True, "nan", "", ["null"]),
    "cache": (None,),
    "replace": (1, None),
}


TAKES = {
    **dict.fromkeys(("name", "title", "description"), "a string"),
    **dict.fromkeys(("tags", "aliases"), "a sequence of strings"),
    **dict.fromkeys(("read_only", "destructive", "idempotent", "open_world", "exclusive", "replace"), "a bool"),
    **dict.fromkeys(("reads", "writes"), "a key, a sequence of keys, or a function of the arguments"),
    **dict.fromkeys(("input_files", "output_files"), "a sequence of names of parameters"),
    "assume_hints": '"mcp" or "mcp-read-only"',
    "parameters": "a JSON Schema as a dict",
    "returns": "a JSON Schema as a dict, or a function that returns one",
    "examples": "a list of argument dicts",
    "deprecated": "a bool, or a string that says what to use instead",
    "meta": 'a dict with dotted keys, such as {"acme.team": "maps"}',
    "requires_approval": "a bool, or a predicate of the arguments",
    "always_ask": "a function of the arguments that returns a reason or None",
    "requires_env": "the name of an environment variable, or a list of names, in which a tuple has alternatives",
    "available": "a function without arguments that returns True or False",
    "timeout": "seconds: a finite number above 0",
    "isolation": '"process"',
    "on_nan": '"refuse" or "null"',
    "blocking": 'a bool or "caller"',
    "cache": "True or a cache",
}
"""What is said that an option takes."""


def a_tool(x: int = 1) -> int:
    """Do it."""
    return x


def test_the_error_for_an_unknown_option_lists_all_and_each_has_good_and_bad_values_here() -> None:
    with pytest.raises(DefinitionError) as caught:
        fc_register("tool", nonexistent_param="value")
    (problem,) = caught.value.problems
    start, _, listed = problem.partition("; the options are ")
    assert start == "unknown option 'nonexistent_param'"
    assert set(GOOD) == set(BAD) == set(TAKES) == set(listed.split(", "))


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in GOOD.items() for value in values])
def test_a_good_value_is_taken(name: str, value: Any) -> None:
    isolated = Registry()

    assert fc_register("good." + name, **{name: value}) is not None
    if name != "name":
        assert isolated.register(a_tool, **{name: value}) is a_tool
        assert isolated.get("a_tool").name == "a_tool"


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_a_bad_value_is_refused_with_what_the_option_takes(name: str, value: Any) -> None:
    said = f"option {name!r} takes {TAKES[name]}, not {value!r}"

    with pytest.raises(DefinitionError) as caught:
        fc_register("tool", **{name: value})
    assert caught.value.problems == (said,)
    with pytest.raises(DefinitionError) as caught:
        Tool.from_function(a_tool, **{name: value})
    assert caught.value.problems == (said,)


def test_an_unknown_option_raises_at_decoration_with_the_nearest_name() -> None:
    with pytest.raises(DefinitionError) as caught:
        fc_register("tool", timeuot=5)
    assert str(caught.value) == (
        "a tool of the group 'tool' cannot be registered:\n  - unknown option 'timeuot'; did you mean 'timeout'?"
    )


def test_one_error_names_every_problem_and_nothing_is_declared() -> None:
    with pytest.raises(DefinitionError) as caught:
        fc_register("tool", nme="wrong_options", timeout=-1, tags="one", aliases=["a b"], blocking="maybe")
    assert caught.value.problems == (
        "unknown option 'nme'; did you mean 'name'?",
        "option 'timeout' takes seconds: a finite number above 0, not -1",
        "option 'tags' takes a sequence of strings, not 'one'",
        "option 'blocking' takes a bool or \"caller\", not 'maybe'",
        "alias: 'a b' is not a tool name: 1 to 64 ASCII letters, digits, '_' and '-' (3 characters here); name='a_b' would do",
    )
    assert "wrong_options" not in {tool.name for tool in registry.everything()}


def test_a_timeout_for_a_tool_that_keeps_to_the_callers_thread_is_refused() -> None:
    with pytest.raises(DefinitionError) as caught:
        Tool.from_function(a_tool, blocking="caller", timeout=5)
    (problem,) = caught.value.problems

    assert problem == (
        'blocking="caller" and timeout exclude each other: the caller\'s own thread cannot be left. Drop one of them'
    )


def test_the_same_checks_hold_for_register_and_from_function() -> None:
    for declare in (Registry().register, Tool.from_function):
        with pytest.raises(DefinitionError, match="unknown option 'tag'; did you mean 'tags'") as caught:
            declare(a_tool, tag="x")
        assert "a_tool" in str(caught.value)


def test_options_are_shown_with_defaults_filled_in() -> None:
    options = Tool.from_function(a_tool, tags={"b", "a"}, requires_env="ACME_KEY", aliases=["old"], timeout=2).options

    assert (options.tags, options.requires_env, options.aliases, options.timeout) == (
        ("a", "b"),
        ("ACME_KEY",),
        ("old",),
        2,
    )
    assert (options.read_only, options.requires_approval, options.blocking, options.exclusive) == (
        None,
        False,
        True,
        False,
    )
    assert options.given() == {"tags": ("a", "b"), "aliases": ("old",), "requires_env": ("ACME_KEY",), "timeout": 2}


def test_options_of_a_tool_cannot_be_set_and_keep_their_values() -> None:
    options = Tool.from_function(a_tool, timeout=2).options

    with pytest.raises(AttributeError):
        options.timeout = 3  # type: ignore[misc]
    assert options.timeout == 2


def test_an_external_schema_replaces_annotations_and_values_are_passed_on_unchanged() -> None:
    schema = {"properties": {"x": {"type": "integer", "minimum": 3}}, "required": ["x"]}
    tool = Tool.from_function(a_tool, parameters=schema)

    assert tool.parameters == {"type": "object", **schema}
    schema["required"] = []
    tool.parameters["properties"].clear()
    assert tool.parameters["required"] == ["x"]
    assert tool.parameters["properties"] == {"x": {"type": "integer", "minimum": 3}}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "array"}, 'its schema says "type": "object", not "array"'),
        ({"properties": {"y": {}}}, "the schema has the property 'y', and the function takes no such argument"),
        ({"properties": {"x": {"type": "no-such"}}}, "parameters=…: "),
    ],
)
def test_an_external_schema_that_does_not_fit_the_function_is_refused(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        _ = Tool.from_function(a_tool, parameters=schema).parameters
    assert said in str(caught.value)


def test_an_external_schema_of_results_replaces_the_annotation() -> None:
    schema = {"enum": [1, 2]}
    tool = Tool.from_function(a_tool, returns=schema)
    assert tool.definition_error is None
    schema["enum"] = []
    assert (tool.returns, tool.renamed("other").returns) == ({"enum": [1, 2]}, {"enum": [1, 2]})

    executor = Executor([tool], check_results=True)
    assert executor.call("a_tool", x=2).value == 2
    assert executor.call("a_tool", x=3).error.code == "unencodable_result"


def test_an_external_schema_of_results_describes_the_value_beside_content() -> None:
    def measure(deep: bool) -> ToolOutput:
        """Measure."""
        return ToolOutput(value={"metres": 5 if deep else "5"}, content="5 m")

    schema = {"properties": {"metres": {"type": "integer"}}}
    executor = Executor([Tool.from_function(measure, returns=schema)], check_results=True)
    assert executor.call("measure", deep=True).content == "5 m"
    failed = executor.call("measure", deep=False)
    assert (failed.error.code, "$.metres must be an integer" in failed.content) == ("unencodable_result", True)
    assert Executor([measure], check_results=True).call("measure", deep=False).ok  # the annotation says nothing of it


def test_a_schema_of_results_that_cannot_be_used_is_an_error_with_the_other_problems() -> None:
    tool = Tool.from_function(a_tool, returns={"$ref": "#/$defs/none"}, available=lambda extra: True)
    assert str(tool.definition_error).count("returns=…: ") == 1
    assert "available=… " in str(tool.definition_error)


def test_a_function_makes_the_schema_of_results_at_its_first_use(caplog: pytest.LogCaptureFixture) -> None:
    made: list[dict[str, Any] | None] = [{"type": "integer"}, None, {"type": "no-such"}]
    tools = [Tool.from_function(a_tool, returns=partial(made.pop, 0)) for _ in range(3)]
    assert [tool.definition_error for tool in tools] == [None] * 3
    assert len(made) == 3
    assert [tool.returns for tool in tools] == [{"type": "integer"}, None, None]
    assert tools[0].returns == {"type": "integer"}
    (logged,) = caplog.messages
    assert logged.startswith("the results of a_tool have no schema: returns=…: $.type: must be")


def test_a_function_that_raises_in_place_of_a_schema_leaves_the_tool_usable(caplog: pytest.LogCaptureFixture) -> None:
    def no_schema() -> dict[str, Any]:
        raise ConnectionError("the server is gone")

    def other() -> int:
        return 1

    executor = Executor([Tool.from_function(a_tool, returns=no_schema), other], check_results=True)
    assert [each["name"] for each in executor.describe("mcp")["tools"]] == ["a_tool", "other"]
    assert executor.call("a_tool", x=1).ok
    assert caplog.messages == [
        "the results of a_tool have no schema: returns=… raised ConnectionError: the server is gone"
    ]


def test_options_do_not_change_with_the_objects_that_were_given() -> None:
    tags, examples = ["a"], [{"x": 1}]
    options = Tool.from_function(a_tool, tags=tags, examples=examples).options
    tags.append("b")
    examples.append({})

    assert (options.tags, options.examples) == (("a",), ({"x": 1},))


def test_no_error_of_a_definition_contains_a_memory_address() -> None:
    given = partial(a_tool, nothing=1)
    defined: list[Callable[[], object]] = [
        lambda: Tool.from_function(a_tool, tag="x"),  # type: ignore[call-arg]
        lambda: Tool.from_function(a_tool, reads=object()),  # type: ignore[arg-type]
        lambda: Tool.from_function(a_tool, name="a tool"),
        lambda: Tool.from_function(given, name="given").parameters,
        lambda: Tool.from_function(object()),  # type: ignore[arg-type]
    ]
    for each in defined:
        with pytest.raises(DefinitionError) as caught:
            each()
        assert "0x" not in f"{caught.value}{caught.value.problems}"


def test_a_strict_tool_is_refused_with_what_to_write() -> None:
    with pytest.raises(
        DefinitionError, match="unknown option 'strict': for types, write FCREGISTRY_STRICT = True in the"
    ):
        Tool.from_function(len, strict="error")  # type: ignore[call-overload]


def test_the_policy_for_missing_types_is_not_the_strict_mode_of_a_format() -> None:
    hint = r"the strict mode of a format is True or False, not 'error'; Registry\(strict=\"error\"\) makes a missing type an"
    with pytest.raises(TypeError, match=hint):
        Tool.from_function(len, name="length").definition("openai", strict="error")  # type: ignore[arg-type]
