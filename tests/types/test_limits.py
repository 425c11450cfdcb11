"""Very large and very deep types: the right answer, or a clear error."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, NamedTuple, TypedDict

import msgspec
import pytest
import typing_extensions

from fcregistry import Executor, Tool
from fcregistry.errors import DefinitionError
from fcregistry.types import codec_of, schema_of

from ..validation.both_engines import problems_by_both  # noqa: TID252  # the tests are no package
from .cases import assert_refuses, why_unsupported


def nested(levels: int, of: Any = int) -> Any:
    for _ in range(levels):
        of = list[of]
    return of


def value_of(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def chain(length: int) -> Any:
    """Return a record type that contains a record type, and so on, each of a class of its own."""
    made: Any = int
    for place in range(length):
        made = dataclasses.make_dataclass(f"Link{place}", [("value", int), ("next", made | None, None)])
    return made


def tool_of(annotation: Any) -> Any:
    def use(x: Any) -> str:
        return "used"

    use.__annotations__ = {"x": annotation, "return": str}
    return use


@pytest.mark.parametrize("engine", ["jsonschema-rs", "jsonschema"])
@pytest.mark.parametrize("levels", [10, 60, 90])
def test_a_type_of_many_levels_is_read_written_and_checked(levels: int, engine: Any) -> None:
    annotation = nested(levels)
    assert codec_of(annotation).decode(value_of(levels)) == value_of(levels)
    executor = Executor([tool_of(annotation)], validator=engine)
    assert executor.run({"name": "use", "arguments": {"x": value_of(levels)}}).value == "used"
    failed = executor.run({"name": "use", "arguments": {"x": value_of(levels - 1)}})
    assert failed.error is not None
    assert failed.error.code == "invalid_arguments"


@pytest.mark.parametrize("engine", ["jsonschema-rs", "jsonschema"])
@pytest.mark.parametrize("length", [12, 30, 60])
def test_records_of_many_levels_are_read_written_and_checked(length: int, engine: Any) -> None:
    executor = Executor([tool_of(chain(length))], validator=engine)
    assert executor.run({"name": "use", "arguments": {"x": {"value": 1, "next": {"value": 2}}}}).value == "used"
    failed = executor.run({"name": "use", "arguments": {"x": {"value": 1, "next": {"value": "2"}}}})
    assert failed.content.endswith('- $.x.next.value: must be an integer, not "2"')


def test_a_record_that_is_nested_deeply_is_written_to_defs() -> None:
    assert "$defs" not in schema_of(chain(12))
    assert list(schema_of(chain(13))["$defs"]) == ["Link0"]


@pytest.mark.parametrize("annotation", [nested(200), nested(500), nested(2000), chain(400)])
def test_a_type_of_too_many_levels_is_refused(annotation: Any) -> None:
    message = why_unsupported(annotation)
    assert "at most 150 can be checked" in message or message == "it is nested too deeply, or refers to ever new types"
    with pytest.raises(DefinitionError, match="use") as caught:
        Tool.from_function(tool_of(annotation)).parameters  # noqa: B018  # reading it defines it
    assert len(str(caught.value)) < 1000


NAMES = [f"field_{place}" for place in range(5000)]


@pytest.mark.parametrize(
    "record",
    [
        TypedDict("Keys", dict.fromkeys(NAMES, int), total=False),
        NamedTuple("Fields", [(name, int) for name in NAMES]),
        msgspec.defstruct("Struct", [(name, int) for name in NAMES]),
    ],
)
def test_a_schema_of_five_thousand_properties_is_right(record: Any) -> None:
    schema, codec = schema_of(record), codec_of(record)
    values = dict.fromkeys(NAMES, 1)
    assert list(schema["properties"]) == NAMES
    for value, accepted in ((values, True), ({**values, "field_4999": "x"}, False), ({**values, "more": 1}, False)):
        assert codec.accepts(value) == (problems_by_both(schema, value) == []) == accepted
    assert codec.encode(codec.decode(values)) == values


def test_a_function_of_five_thousand_parameters_is_a_tool() -> None:
    names: dict[str, Any] = {}
    parameters = ", ".join(f"p{place}: int = {place}" for place in range(5000))
    exec(f"def many({parameters}) -> int:\n    return p4999", names)
    many = names["many"]
    assert len(Tool.from_function(many).parameters["properties"]) == 5000
    assert Executor([many]).run({"name": "many", "arguments": {"p4999": 1}}).value == 1
    assert Executor([many]).run({"name": "many", "arguments": {}}).value == 4999


def test_records_that_refer_to_each_other_in_a_long_ring_are_read() -> None:
    names: dict[str, Any] = {}
    lines = ["from __future__ import annotations", "from dataclasses import dataclass"]
    lines += [f"@dataclass\nclass R{n}:\n    value: int\n    next: R{(n + 1) % 40} | None = None" for n in range(40)]
    module = type(dataclasses)("a_ring")
    sys.modules["a_ring"] = module
    try:
        exec("\n".join(lines), vars(module))
        names = vars(module)
        schema = schema_of(names["R0"])
        assert sorted(schema["$defs"]) == ["R0", "R12", "R24", "R36"]
        assert codec_of(names["R0"]).decode({"value": 1, "next": {"value": 2}}).next.value == 2
        assert_refuses(names["R0"], {"value": 1, "next": {"value": "2"}})
    finally:
        del sys.modules["a_ring"]


def test_an_alias_may_have_any_number_of_members() -> None:
    wide = typing_extensions.Literal[tuple(range(3000))]  # type: ignore[valid-type]  # made here
    assert len(schema_of(wide)["enum"]) == 3000
    assert_refuses(wide, 3000, -1, True)
