"""Annotations that Python evaluates when they are asked for, as it does from 3.14 on."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from fcregistry import Executor, FunctionCall, Tool, registry
from fcregistry.errors import DefinitionError
from fcregistry.inspection import lint

pytestmark = pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated where they are written")

Write = Callable[[str], Any]


@pytest.fixture
def write(monkeypatch: pytest.MonkeyPatch) -> Write:
    """Returns a function that imports a module from source, which may contain what older Pythons cannot import."""

    def make(source: str) -> ModuleType:
        module = ModuleType("lazily_written")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(dedent(source), "<lazily written>", "exec", dont_inherit=True), module.__dict__)
        return module

    return make


def parameters(function: Callable[..., Any]) -> dict[str, Any]:
    schema: dict[str, Any] = Tool.from_function(function).parameters
    return schema


def problems(function: Callable[..., Any]) -> tuple[str, ...]:
    with pytest.raises(DefinitionError) as caught:
        parameters(function)
    return caught.value.problems


def cannot_be_resolved(parameter: str, text: str) -> str:
    return (
        f"parameter {parameter!r}: the annotation {text!r} cannot be resolved (NameError: name 'Missing' is not defined); "
        "define or import that name in the module of the function"
    )


# --- functions ----------------------------------------------------------------------------------------------------


def test_a_function_may_take_what_its_module_defines_later(write: Write) -> None:
    module = write("""
    from fcregistry import fc_register
    from typing import TypedDict, Unpack

    @fc_register("annotations")
    def move(p: Point, q: list[Point], r: Point | None = None, **rest: Unpack[More]) -> Point: ...

    class More(TypedDict):
        s: Point

    class Point(TypedDict):
        x: int
    """)
    tool = registry["annotations"]["move"]
    assert list(tool.parameters["properties"]) == ["p", "q", "r", "s"]
    assert tool.parameters["properties"]["p"] == {"$ref": "#/$defs/Point"}
    assert tool.returns is not None
    assert parameters(functools.partial(module.move, r=None))["required"] == ["p", "q", "s"]


def test_every_parameter_that_cannot_be_resolved_is_named(write: Write) -> None:
    """As with string annotations: of a plain function, and behind a wrapper, a partial and a method."""
    module = write("""
    import functools

    def search(p: Missing, q: int, r: list[Missing | None]) -> str: ...

    @functools.wraps(search)
    def wrapper(*args, **kwargs): ...

    class Searcher:
        Kind = int
        def search(self, kind: Kind, p: Missing, q: str): ...
    """)
    both = (cannot_be_resolved("p", "Missing"), cannot_be_resolved("r", "list[Missing | None]"))
    assert (
        problems(module.search) == problems(module.wrapper) == problems(functools.partial(module.search, q=1)) == both
    )
    assert problems(module.Searcher().search) == (both[0],)


def test_an_annotation_with_a_missing_name_inside_is_refused(write: Write) -> None:
    module = write("""
    from typing import Annotated
    from annotated_types import Ge

    def take(n: Annotated[int, Ge(Missing)]) -> str: ...
    """)
    assert problems(module.take) == (cannot_be_resolved("n", "Annotated[int, Ge(Missing)]"),)


def test_a_function_whose_return_annotation_cannot_be_resolved_can_be_a_tool(write: Write) -> None:
    """Its parameters are read as usual."""
    module = write("""
    from typing import Annotated
    from annotated_types import Predicate

    def take(n: Annotated[int, Predicate(lambda n: n > 1)], s: "str") -> Missing: ...
    """)
    tool = Tool.from_function(module.take)
    assert tool.parameters["properties"] == {"n": {"type": "integer"}, "s": {"type": "string"}}
    assert tool.returns is None


def test_a_quoted_name_inside_an_annotation_is_refused_with_the_fix(write: Write) -> None:
    """No name is missing: before Python 3.14, importing such a module fails."""
    module = write("""
    def take(n: int, node: "Node" | None) -> str: ...
    """)
    (problem,) = problems(module.take)
    assert problem.startswith("its annotations cannot be evaluated (TypeError: unsupported operand")
    assert problem.endswith("); quotes go around a whole annotation")
    assert problems(functools.partial(module.take, n=1)) == (problem,)


def test_an_external_schema_needs_no_annotations(write: Write) -> None:
    module = write("def take(p: Missing) -> Missing: ...")
    schema = {"type": "object", "properties": {"p": {"type": "integer"}}}
    assert Tool.from_function(module.take, parameters=schema)(p=1) is None


# --- functions in functions ---------------------------------------------------------------------------------------


def test_a_function_may_take_what_the_function_around_it_defines_later(write: Write) -> None:
    """Also after that function has returned; and together with a class that is captured by its name when the function is declared."""
    module = write("""
    from dataclasses import dataclass
    from fcregistry import fc_register

    def around():
        @dataclass
        class Earlier:
            x: int

        @fc_register("annotations")
        def within(earlier: "Earlier", later: Later) -> Later: ...

        @dataclass
        class Later:
            y: int
            next: Later | None
    """)
    module.around()
    tool = registry["annotations"]["within"]
    assert [*tool.parameters["properties"]] == ["earlier", "later"]
    assert tool.parameters["$defs"]["Later"]["properties"]["next"]["anyOf"][0] == {"$ref": "#/$defs/Later"}


def test_declaring_evaluates_nothing_of_a_module(write: Write) -> None:
    module = write("""
    from fcregistry import fc_register

    asked = []

    @fc_register("annotations")
    def ask(p: asked.append(1)) -> asked.append(2): ...
    """)
    assert module.asked == []


# --- records ------------------------------------------------------------------------------------------------------

RECORDS = {
    "dataclass": "@dataclasses.dataclass\nclass Record:",
    "TypedDict": "class Record(typing.TypedDict):",
    "NamedTuple": "class Record(typing.NamedTuple):",
    "attrs": "@attrs.define\nclass Record:",
    "Struct": "class Record(msgspec.Struct):",
    "model": "class Record(pydantic.BaseModel):",
}
IMPORTS = "import attrs, dataclasses, msgspec, pydantic, typing\n"


@pytest.mark.parametrize("start", RECORDS.values(), ids=RECORDS)
def test_the_fields_of_a_record_may_be_of_what_is_defined_later(start: str, write: Write) -> None:
    later = "def take(r: Record): ...\nclass Later(typing.TypedDict):\n    x: int"
    module = write(f"{IMPORTS}{start}\n    a: Later\n    b: list[Record]\n{later}")
    fields = parameters(module.take)["$defs"]["Record"]["properties"]
    assert fields["b"] == {"type": "array", "items": {"$ref": "#/$defs/Record"}}
    assert "x" in str(parameters(module.take))


@pytest.mark.parametrize("start", RECORDS.values(), ids=RECORDS)
def test_a_field_that_cannot_be_resolved_is_reported_with_its_record(start: str, write: Write) -> None:
    module = write(f"{IMPORTS}{start}\n    a: int\n    b: Missing\ndef take(r: Record): ...")
    (problem,) = problems(module.take)
    assert problem.startswith("parameter 'r': ")
    assert "Record cannot be" in problem
    assert problem.endswith("name 'Missing' is not defined")


def test_aliases_and_generics_may_be_of_what_is_defined_later(write: Write) -> None:
    module = write("""
    import dataclasses

    def take[T: Later](alias: Alias, page: Page[Later], t: T): ...

    type Alias = list[Later]

    @dataclasses.dataclass
    class Page[T]:
        items: list[T]
        first: Later

    @dataclasses.dataclass
    class Later:
        x: int
    """)
    schema = parameters(module.take)
    assert schema["properties"]["alias"] == {"type": "array", "items": {"$ref": "#/$defs/Later"}}
    assert schema["properties"]["page"]["properties"]["first"] == {"$ref": "#/$defs/Later"}


# --- others that look ---------------------------------------------------------------------------------------------


def test_a_docstring_is_compared_with_parameters_that_cannot_be_resolved(write: Write) -> None:
    module = write('''
    def take(p: Missing):
        """Take.

        Args:
            other: Not there.
        """
    ''')
    with pytest.raises(DefinitionError, match="parameter 'p'"):
        parameters(module.take)


def test_lint_models_and_records_work_without_a_return_annotation_that_can_be_resolved(write: Write) -> None:
    """Lint, models that are functions, and records in expressions look at signatures themselves."""
    module = write("""
    import dataclasses

    def take(p: Record) -> Missing:
        return p.x

    def model(messages, **options: Missing) -> Missing:
        return str(sorted(options))

    @dataclasses.dataclass
    class Record:
        x: int
        def __post_init__(self) -> Missing: ...
    """)
    assert "result-without-schema" in {finding.rule for finding in lint([Tool.from_function(module.take)])}
    assert FunctionCall(module.model, tools=[module.take]).run("Go").answer == "['tools']"
    assert Executor([module.take]).run_expression("take(p=Record(3))").value == 3
