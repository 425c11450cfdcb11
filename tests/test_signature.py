from __future__ import annotations

import functools
import inspect
import json
import math
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, TypedDict

import annotated_types as at
import pytest
import typing_extensions
from typing_extensions import Doc, Unpack

from fcregistry import Executor, Registry, Tool
from fcregistry.errors import DefinitionError, DefinitionWarning
from fcregistry.types import Refusal


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    """The docstring of a point."""

    x: int
    y: int = 0


def read(function: Callable[..., Any], **options: Any) -> Any:
    return Tool.from_function(function, **options).signature


def schema(function: Callable[..., Any]) -> dict[str, Any]:
    return read(function).parameters_schema()


def properties(function: Callable[..., Any]) -> dict[str, Any]:
    made: dict[str, Any] = schema(function)["properties"]
    return made


def call(function: Callable[..., Any], **arguments: Any) -> Any:
    """Call a function as a model would."""
    return Executor([function]).run({"name": Tool.from_function(function).name, "arguments": arguments}).unwrap()


# --- the schema of the arguments ---------------------------------------------------------------------------------


def test_a_function_without_parameters_has_an_object_without_properties() -> None:
    def nothing() -> str:
        return ""

    assert schema(nothing) == {"type": "object", "properties": {}, "additionalProperties": False}


def test_the_schema_has_types_descriptions_required_names_and_nothing_else() -> None:
    def double(x: Annotated[int, "The number to double."]) -> int:
        return x * 2

    assert schema(double) == {
        "type": "object",
        "properties": {"x": {"type": "integer", "description": "The number to double."}},
        "required": ["x"],
        "additionalProperties": False,
    }


def test_a_literal_documented_with_its_type_is_an_enum_with_the_description() -> None:
    def choose(s: Literal["a", "b", "c"]) -> None:
        """Choose.

        Args:
            s (Literal['a','b','c']): a string
        """

    assert properties(choose)["s"] == {"type": "string", "enum": ["a", "b", "c"], "description": "a string"}


def test_defaults_are_published_and_make_optional_and_missing_descriptions_stay_missing() -> None:
    def mixed(arg: str, other: Annotated[int, "int arg"], nonrequired: int = 5) -> None: ...

    assert schema(mixed) == {
        "type": "object",
        "properties": {
            "arg": {"type": "string"},
            "other": {"type": "integer", "description": "int arg"},
            "nonrequired": {"type": "integer", "default": 5},
        },
        "required": ["arg", "other"],
        "additionalProperties": False,
    }


def test_without_required_parameters_the_list_of_them_is_left_out() -> None:
    def optional(arg: str = "default") -> None: ...

    assert "required" not in schema(optional)


def test_bounds_description_and_default_are_in_one_property() -> None:
    def count(n: Annotated[int, at.Interval(ge=1, le=5), Doc("count")] = 1) -> None: ...

    assert properties(count)["n"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 5,
        "default": 1,
        "description": "count",
    }


def test_an_annotated_text_wins_over_the_docstring() -> None:
    def get(city: Annotated[str, "From the annotation."], unit: str) -> None:
        """Get.

        Args:
            city: From the docstring.
            unit: From the docstring.
        """

    assert properties(get)["city"]["description"] == "From the annotation."
    assert properties(get)["unit"]["description"] == "From the docstring."


def test_a_record_has_the_description_of_its_parameter_and_not_of_its_class() -> None:
    def draw(p: Point) -> None:
        """Draw.

        Args:
            p: point.
        """

    assert properties(draw)["p"]["description"] == "point."
    assert properties(draw)["p"]["properties"]["y"] == {"type": "integer", "default": 0}


def test_a_record_of_several_parameters_is_a_reference_with_description_and_default_beside_it() -> None:
    def line(start: Point, end: Annotated[Point, "Where it ends."] = Point(1)) -> None: ...

    assert properties(line) == {
        "start": {"$ref": "#/$defs/Point"},
        "end": {"$ref": "#/$defs/Point", "description": "Where it ends.", "default": {"x": 1, "y": 0}},
    }
    assert list(schema(line)["$defs"]) == ["Point"]


def test_defaults_of_enums_are_json() -> None:
    def paint(level: Level = Level.LOW, colour: Colour = Colour.RED) -> None: ...

    assert properties(paint)["level"] == {"type": "integer", "enum": [1, 2], "default": 1}
    assert properties(paint)["colour"]["default"] == "red"
    json.dumps(schema(paint))


def test_a_default_without_json_form_or_outside_its_type_is_left_out_and_stays_optional() -> None:
    def odd(x: int = object(), y: float = float("nan"), z: int = None, w: list[Any] = [{1j}]) -> None: ...  # type: ignore[assignment]  # noqa: B006, RUF013

    assert properties(odd) == {
        "x": {"type": "integer"},
        "y": {"type": "number"},
        "z": {"type": "integer"},
        "w": {"type": "array"},
    }
    assert "required" not in schema(odd)


def test_a_tuple_is_a_default_of_an_abstract_sequence() -> None:
    def pick(names: Sequence[str] = ("a", "b")) -> None: ...

    assert properties(pick)["names"]["default"] == ["a", "b"]


def test_an_array_of_another_type_is_a_default_too() -> None:
    def pick(
        ids: set[int] = frozenset(),  # type: ignore[assignment]
        names: list[str] = ("a", "b"),  # type: ignore[assignment]
        rows: list[list[int]] = ([1],),  # type: ignore[assignment]
        maybe: set[int] | None = frozenset({1}),  # type: ignore[assignment]
        wrong: list[str] = (1,),  # type: ignore[assignment]
    ) -> None: ...

    defaults = {name: each.get("default") for name, each in properties(pick).items()}
    assert defaults == {"ids": [], "names": ["a", "b"], "rows": [[1]], "maybe": [1], "wrong": None}


def test_a_parameter_without_annotation_has_the_type_of_its_default_and_a_warning() -> None:
    def pick(n=3, ratio=0.5, flag=False, name="a", ids=(), other=None):  # type: ignore[no-untyped-def]
        """Pick."""

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert properties(pick) == {
            "n": {"type": "integer", "default": 3},
            "ratio": {"type": "number", "default": 0.5},
            "flag": {"type": "boolean", "default": False},
            "name": {"type": "string", "default": "a"},
            "ids": {"type": "array", "default": []},
            "other": {"default": None},
        }
    first = "parameter 'n' has the type of its default, int: it has no annotation; annotate it"
    assert first in str(caught[0].message)
    assert "parameter 'other' accepts any JSON value" in str(caught[-1].message)


def test_the_schema_of_the_result_is_that_of_its_annotation_and_none_without_one() -> None:
    def annotated() -> list[Point]: ...

    def bare(): ...

    def unsupported() -> Callable[[], None]: ...

    assert read(annotated).returns_schema()["items"]["required"] == ["x"]  # type: ignore[index]
    assert read(bare).returns_schema() is None
    assert read(unsupported).returns_schema() is None


# --- kinds of parameters -----------------------------------------------------------------------------------------


def every_kind(a: int, b: int = 2, /, c: int = 3, *args: int, d: int, e: int = 5, **kwargs: str) -> list[Any]:
    return [a, b, c, args, d, e, kwargs]


def test_star_parameters_are_an_array_and_additional_properties_and_never_required() -> None:
    made = schema(every_kind)
    assert list(made["properties"]) == ["a", "b", "c", "args", "d", "e"]
    assert made["properties"]["args"] == {"type": "array", "items": {"type": "integer"}}
    assert made["required"] == ["a", "d"]
    assert made["additionalProperties"] == {"type": "string"}


def test_keyword_arguments_are_described_by_their_docstring_entry() -> None:
    def log(**fields: int) -> None:
        """Log.

        Args:
            **fields: What to log.
        """

    assert schema(log)["additionalProperties"] == {"type": "integer", "description": "What to log."}


def test_star_parameters_without_a_type_take_anything_with_a_warning() -> None:
    def log(*values, **fields) -> None: ...

    with pytest.warns(DefinitionWarning) as caught:
        parameters = schema(log)
    assert (parameters["properties"]["values"], parameters["additionalProperties"]) == ({"type": "array"}, True)
    assert [str(warning.message).partition(": ")[2] for warning in caught] == [
        "parameter 'values' accepts any values: it has no annotation; annotate it",
        "parameter 'fields' accepts any names and values: it has no annotation; annotate it",
    ]


def test_star_parameters_whose_type_is_any_or_in_the_docstring_give_no_warning() -> None:
    def log(*values, **fields: Any) -> None:
        """Log.

        Args:
            *values (int): Numbers.
        """

    assert schema(log)["properties"]["values"]["items"] == {"type": "integer"}


def test_star_parameters_without_a_type_are_errors_in_strict_mode_that_name_the_wrapped_function() -> None:
    def wrap(inner: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args, **kwargs):
            return inner(*args, **kwargs)

        return wrapper

    strict = Registry(strict=True)
    strict.register(wrap(unknown))
    advice = "it has no annotation; annotate it, or, if wrapper wraps inner, decorate it with @functools.wraps(inner)"
    with pytest.raises(DefinitionError) as caught:
        _ = strict.get("wrapper").parameters
    assert caught.value.problems == (
        f"parameter 'args' accepts any values: {advice}",
        f"parameter 'kwargs' accepts any names and values: {advice}",
    )


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ({"a": 1, "d": 4}, [1, 2, 3, (), 4, 5, {}]),
        ({"d": 4, "a": 1, "args": []}, [1, 2, 3, (), 4, 5, {}]),
        ({"a": 1, "args": [7, 8], "d": 4}, [1, 2, 3, (7, 8), 4, 5, {}]),
        ({"a": 1, "c": 9, "d": 4}, [1, 2, 9, (), 4, 5, {}]),
        ({"a": 1, "c": 9, "args": [7], "d": 4}, [1, 2, 9, (7,), 4, 5, {}]),
        ({"a": 1, "d": 4, "k": "v"}, [1, 2, 3, (), 4, 5, {"k": "v"}]),
        ({"a": 1, "d": 4, "kwargs": "v"}, [1, 2, 3, (), 4, 5, {"kwargs": "v"}]),
    ],
)
def test_omitted_defaults_before_a_later_value_are_filled_in(arguments: dict[str, Any], values: list[Any]) -> None:
    signature = read(every_kind)
    args, kwargs = signature.binding.bind(signature.binding.decode(arguments))
    assert every_kind(*args, **kwargs) == values


def test_names_of_positional_only_and_star_parameters_never_reach_the_keyword_arguments() -> None:
    def keep(x: int, /, *rest: int, **more: int) -> list[Any]:
        return [x, rest, more]

    assert call(keep, x=1, rest=[2], y=3) == [1, (2,), {"y": 3}]
    assert call(keep, x=1) == [1, (), {}]


def test_a_parameter_may_have_a_name_that_the_registry_uses() -> None:
    def odd(self: int, value: int, schema: int, codec: int) -> list[int]:
        return [self, value, schema, codec]

    assert call(odd, self=1, value=2, schema=3, codec=4) == [1, 2, 3, 4]


def test_keyword_arguments_are_decoded_by_their_type() -> None:
    def place(**points: Point) -> dict[str, Point]:
        return points

    assert call(place, home={"x": 1}) == {"home": Point(1, 0)}


def test_the_error_for_a_refused_value_names_the_argument() -> None:
    def even(
        *numbers: Annotated[int, at.Predicate(lambda number: number % 2 == 0)],
        **more: Annotated[int, at.Predicate(bool)],
    ) -> None: ...

    with pytest.raises(Refusal) as caught:
        read(even).binding.decode({"numbers": [2, 3]})
    assert caught.value.path == ("numbers", 1)
    with pytest.raises(Refusal) as caught:
        read(even).binding.decode({"x": 0})
    assert caught.value.path == ("x",)


# --- keyword arguments of a TypedDict ----------------------------------------------------------------------------


class Options(typing_extensions.TypedDict):
    """Options.

    Attributes:
        depth: How deep, says the class.
        point: Where, says the class.
    """

    depth: int
    point: typing_extensions.NotRequired[Point]
    verbose: typing_extensions.NotRequired[Annotated[bool, "Say more."]]


def search(query: str, **options: Unpack[Options]) -> list[Any]:
    """Search.

    Args:
        query: What.
        depth: How deep, says the function.
        **options: Whatever else.
    """
    return [query, options]


def test_unpacked_keyword_arguments_are_properties_required_as_their_typed_dict_says() -> None:
    with warnings.catch_warnings(action="error"):
        made = schema(search)
    assert list(made["properties"]) == ["query", "depth", "point", "verbose"]
    assert made["required"] == ["query", "depth"]
    assert made["additionalProperties"] is False


def test_unpacked_keyword_arguments_are_described_by_function_annotation_and_class() -> None:
    texts = {name: each.get("description") for name, each in properties(search).items()}
    assert texts == {
        "query": "What.",
        "depth": "How deep, says the function.",
        "point": "Where, says the class.",
        "verbose": "Say more.",
    }


def test_unpacked_keyword_arguments_are_decoded_and_bound_without_those_that_are_left_out() -> None:
    assert call(search, query="a", depth=1) == ["a", {"depth": 1}]
    assert call(search, query="a", depth=1, point={"x": 2}) == ["a", {"depth": 1, "point": Point(2, 0)}]
    result = Executor([search]).run({"name": "search", "arguments": {"query": "a", "more": 1}})
    assert result.error is not None
    assert [problem.path for problem in result.error.problems] == ["$.depth", "$.more"]
    assert read(search).binding.encode(("a",), {"depth": 1, "point": Point(2)}) == {
        "query": "a", "depth": 1, "point": {"x": 2, "y": 0},
    }  # fmt: skip


def test_a_text_that_unpacks_is_read_too() -> None:
    def every(**options: Unpack[Options]) -> Any:
        return options

    every.__annotations__["options"] = "Unpack[Options]"
    assert schema(every)["required"] == ["depth"]
    assert call(every, depth=1) == {"depth": 1}


@pytest.mark.parametrize("kind", ["positional-only", "positional", "keyword-only"])
def test_a_parameter_of_the_name_of_an_unpacked_key_is_refused(kind: str) -> None:
    signature = {"positional-only": "depth, /, ", "positional": "depth, ", "keyword-only": "*, depth, "}[kind]
    names: dict[str, Any] = {"Unpack": Unpack, "Options": Options}
    exec(f"def clash({signature}**options: Unpack[Options]): ...", names)
    names["clash"].__annotations__["depth"] = int
    with pytest.raises(DefinitionError) as caught:
        read(names["clash"])
    assert caught.value.problems == (
        "parameter 'depth' is declared twice: by the function, and by the TypedDict of **kwargs",
    )


@pytest.mark.parametrize(("given", "shown"), [(tuple[int, ...], "tuple[int, ...]"), (Point, "Point"), (int, "int")])
def test_unpacking_a_type_that_is_not_a_typed_dict_is_refused(given: Any, shown: str) -> None:
    def bad(**options: Any) -> None: ...

    bad.__annotations__ = {"options": Unpack[given]}
    with pytest.raises(DefinitionError) as caught:
        read(bad)
    assert caught.value.problems == (f"parameter 'options': Unpack[…] takes a TypedDict, which {shown} is not",)


def test_a_key_of_an_unpacked_typed_dict_without_json_form_is_named() -> None:
    bad = typing_extensions.TypedDict("Bad", {"callback": Callable[[], None], "fine": int})  # noqa: UP013  # made here

    def use(**options: Any) -> None: ...

    use.__annotations__ = {"options": Unpack[bad]}
    with pytest.raises(DefinitionError) as caught:
        read(use)
    assert len(caught.value.problems) == 1
    assert "parameter 'options': field 'callback' of Bad: Callable" in caught.value.problems[0]


@pytest.mark.skipif(not hasattr(typing_extensions, "NoExtraItems"), reason="typing-extensions 4.13 brought them")
def test_an_unpacked_typed_dict_that_takes_other_keys_takes_them_as_keyword_arguments() -> None:
    class Open(typing_extensions.TypedDict, extra_items=Point):
        depth: int

    def use(**options: Any) -> Any:
        return options

    use.__annotations__ = {"options": Unpack[Open]}
    assert schema(use)["additionalProperties"]["required"] == ["x"]
    assert call(use, depth=1, home={"x": 2}) == {"depth": 1, "home": Point(2, 0)}


# --- from Python to JSON -----------------------------------------------------------------------------------------


def test_a_python_call_is_written_as_a_model_would() -> None:
    signature = read(every_kind)
    assert signature.binding.encode((1, 2, 3, 7, 8), {"d": 4, "k": "v"}) == {
        "a": 1, "b": 2, "c": 3, "args": [7, 8], "d": 4, "k": "v",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "needs a value for 'x'"),
        ((1, 2), {}, "takes 1 positional arguments, not 2"),
        ((1,), {"x": 2}, "got 'x' twice"),
        ((1,), {"y": 2}, "takes no keyword argument 'y'"),
        (("1",), {}, "cannot take '1' as the value of 'x'"),
        ((True,), {}, "cannot take True as the value of 'x'"),
    ],
)
def test_a_python_call_that_the_function_does_not_take_is_a_type_error(
    args: tuple[Any, ...], kwargs: dict[str, Any], message: str
) -> None:
    def one(x: int) -> None: ...

    with pytest.raises(TypeError, match=f"^{message}$"):
        read(one).binding.encode(args, kwargs)


# --- sorts of callables ------------------------------------------------------------------------------------------


def get_weather(country: str, city: str, unit: str = "c") -> str:
    """Get the weather.

    Args:
        country: The country.
        city: The city.
    """
    return f"{city}, {country}, {unit}"


def test_a_partial_hides_its_positional_arguments_without_a_warning() -> None:
    weather = functools.partial(get_weather, "Germany")
    with warnings.catch_warnings(action="error"):
        assert list(properties(weather)) == ["city", "unit"]
    assert schema(weather)["required"] == ["city"]
    assert Tool.from_function(weather).name == "get_weather"
    assert Tool.from_function(weather).description == "Get the weather."
    assert call(weather, city="Berlin") == "Berlin, Germany, c"


def test_the_keyword_arguments_of_a_partial_are_defaults() -> None:
    weather = functools.partial(get_weather, country="Germany")
    assert properties(weather)["country"] == {
        "type": "string",
        "description": "The country.",
        "default": "Germany",
    }
    assert schema(weather)["required"] == ["city"]
    assert call(weather, city="Berlin") == "Berlin, Germany, c"
    assert call(weather, city="Paris", country="France") == "Paris, France, c"


def test_a_partial_of_a_partial_is_read_through() -> None:
    weather = functools.partial(functools.partial(get_weather, "Germany"), unit="f")
    assert list(properties(weather)) == ["city", "unit"]
    assert call(weather, city="Berlin") == "Berlin, Germany, f"


class Shop:
    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, item: str) -> str:
        """Buy an item.

        Args:
            item: What.
        """
        return f"{item} at {self.name}"

    def sell(self, item: str) -> str:
        """Sell an item."""
        return f"{item} by {self.name}"

    @classmethod
    def found(cls, item: str) -> str:
        """Open a shop."""
        return f"{item} in {cls.__name__}"

    @staticmethod
    def closed(item: str) -> str:
        """Close a shop."""
        return f"{item} nowhere"


@pytest.mark.parametrize(
    ("function", "description", "value"),
    [
        (Shop("Ann's"), "Buy an item.", "tea at Ann's"),
        (Shop("Ann's").sell, "Sell an item.", "tea by Ann's"),
        (Shop.found, "Open a shop.", "tea in Shop"),
        (Shop.closed, "Close a shop.", "tea nowhere"),
    ],
)
def test_methods_and_callable_objects_never_show_self(function: Any, description: str, value: str) -> None:
    assert list(properties(function)) == ["item"]
    assert Tool.from_function(function).description == description
    assert call(function, item="tea") == value


def test_a_method_without_its_instance_is_refused() -> None:
    with pytest.raises(
        DefinitionError, match=r"it is a method without its instance; take the method of one, as in Shop\(…\)\.sell"
    ):
        read(Shop.sell)


def test_a_wrapper_has_the_signature_and_docstring_of_the_wrapped_function() -> None:
    @functools.wraps(get_weather)
    def wrapper(*args: Any, **kwargs: Any) -> str:
        return get_weather(*args, **kwargs).upper()

    assert schema(wrapper) == schema(get_weather)
    assert call(wrapper, country="x", city="y") == "Y, X, C"


def test_a_builtin_whose_signature_python_does_not_know_is_refused() -> None:
    """Like any other definition: the place first, and the problem below it."""
    with pytest.raises(DefinitionError, match=r"^builtins\.max cannot be a tool:\n  - Python does not know") as caught:
        read(max)
    (problem,) = caught.value.problems
    assert problem.startswith("Python does not know its signature (")
    assert problem.endswith("; wrap it in a function of your own")


def test_a_builtin_with_a_signature_is_read_with_a_warning() -> None:
    with pytest.warns(
        DefinitionWarning, match="parameter 'x' accepts any JSON value: it has no annotation; annotate it"
    ):
        assert list(properties(math.sqrt)) == ["x"]


@pytest.mark.filterwarnings("ignore::fcregistry.errors.DefinitionWarning")  # the parameter of len has no annotation
def test_the_kind_of_a_function_is_found_behind_partials_methods_and_objects() -> None:
    async def waits() -> None: ...

    def yields() -> Iterator[int]:
        yield 1

    async def streams() -> AsyncIterator[int]:
        yield 1

    class Waiter:
        async def __call__(self) -> None: ...

        async def method(self) -> None: ...

    kinds = {
        "sync": [get_weather, Shop("a"), len],
        "async": [waits, functools.partial(waits), Waiter(), Waiter().method],
        "generator": [yields, functools.partial(yields)],
        "async generator": [streams],
    }
    for kind, functions in kinds.items():
        assert [read(function).kind for function in functions] == [kind] * len(functions)


# --- string annotations ------------------------------------------------------------------------------------------


def test_string_annotations_are_resolved_in_the_module_of_the_function() -> None:
    def draw(p: "Point", ps: "list['Point'] | None" = None) -> "str": ...  # noqa: UP037

    assert properties(draw)["p"] == {"$ref": "#/$defs/Point"}
    assert read(draw).returns_schema() == {"type": "string"}


def test_a_string_inside_a_type_is_resolved_too() -> None:
    def draw(ps: Any) -> None: ...

    draw.__annotations__ = {"ps": list["Point"]}
    assert properties(draw)["ps"]["items"]["required"] == ["x"]


def test_a_literal_is_not_a_string_annotation() -> None:
    def draw(ps: Any, q: Any) -> None: ...

    draw.__annotations__ = {"ps": list[Literal["Point", "int"]], "q": Annotated[str, "Point"]}
    assert properties(draw)["ps"]["items"] == {"type": "string", "enum": ["Point", "int"]}
    assert properties(draw)["q"] == {"type": "string", "description": "Point"}


def test_a_class_of_the_enclosing_function_is_captured_at_decoration() -> None:
    registry = Registry()

    class Options(TypedDict):
        depth: int

    def search(options: Options) -> Options:
        return options

    registry.register(search)
    assert registry.get("search").parameters["properties"]["options"]["required"] == ["depth"]


def test_classes_of_the_enclosing_function_may_name_each_other() -> None:
    registry = Registry()

    class Depth(TypedDict):
        limit: int

    class Options(TypedDict):
        depth: Depth

    def search(options: Options) -> None: ...

    registry.register(search)
    options = registry.get("search").parameters["properties"]["options"]
    assert options["properties"]["depth"]["required"] == ["limit"]


# --- un-annotated parameters -------------------------------------------------------------------------------------


def test_the_docstring_gives_the_types_of_parameters_without_annotation() -> None:
    def search(query, limit=5, tags=None, mode="a"):
        """Search.

        Args:
            query (str): What.
            limit (int, optional): How many.
            tags (List[str] | None): Which.
            mode (union[Literal['a'], None]): How.
        """

    with warnings.catch_warnings(action="error"):
        assert properties(search) == {
            "query": {"type": "string", "description": "What."},
            "limit": {"type": "integer", "description": "How many.", "default": 5},
            "tags": {
                "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
                "description": "Which.",
                "default": None,
            },
            "mode": {
                "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}],
                "description": "How.",
                "default": "a",
            },
        }


def test_the_annotation_wins_over_the_type_of_the_docstring() -> None:
    def search(query: int) -> None:
        """Search.

        Args:
            query (str): What.
        """

    assert properties(search)["query"]["type"] == "integer"


def unknown(v, w: int, x) -> None:
    """Use an unknown type.

    Args:
        v (Str): Text.
        w (Str): A number.
        x (exec('raise SystemExit')): Never run.
        y: No such parameter.
        nonsense
    """


def test_each_unknown_type_and_each_remark_is_a_warning_at_the_function_that_names_the_parameter() -> None:
    with pytest.warns(DefinitionWarning) as caught:
        assert properties(unknown)["v"] == {"description": "Text."}
    line = unknown.__code__.co_firstlineno
    place = f"{__name__}.unknown ({__file__}:{line}): "
    assert [str(warning.message) for warning in caught] == [
        f"{place}parameter 'v' accepts any JSON value: its docstring's type 'Str' is not known; annotate it",
        f"{place}parameter 'x' accepts any JSON value: its docstring's type \"exec('raise SystemExit')\" is not known; annotate it",
        f"{place}the docstring's line 'nonsense' cannot be read, and is left out",
        f"{place}the docstring describes 'y', which is not a parameter",
    ]
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, line)}


def test_strict_makes_an_error_of_an_unknown_type_and_not_of_a_remark() -> None:
    strict = Registry(strict=True)
    strict.register(unknown)
    with pytest.raises(DefinitionError) as caught:
        _ = strict.get("unknown").parameters
    assert [problem.split(":", 1)[0] for problem in caught.value.problems] == [
        "parameter 'v' accepts any JSON value",
        "parameter 'x' accepts any JSON value",
    ]


# --- what cannot be defined --------------------------------------------------------------------------------------


def hopeless(cb: Callable[[int], int], z: complex, n: Nowhere, fine: int, *rest: type, **more: 5) -> None:  # type: ignore  # noqa: F821, PGH003
    """Fail."""


def test_all_problems_of_a_function_are_in_one_error_with_function_file_line_and_parameter() -> None:
    with pytest.raises(DefinitionError) as caught:
        read(hopeless)
    line = inspect.getsourcelines(hopeless)[1]
    assert str(caught.value).split("\n") == [
        f"{__name__}.hopeless ({__file__}:{line}) cannot be a tool:",
        "  - parameter 'cb': Callable[[int], int]: a model cannot write a function; take a name (Literal[…]) and look the function up",
        "  - parameter 'z': complex: JSON has no complex numbers; take two floats, or a dataclass of two",
        (
            "  - parameter 'n': the annotation 'Nowhere' cannot be resolved (NameError: name 'Nowhere' is not defined); "
            "define or import that name in the module of the function"
        ),
        "  - parameter 'rest': type: a model cannot write a class; take a name (Literal[…]) and look the class up",
        (
            "  - parameter 'more': 5 has no JSON form; use a dataclass, TypedDict, NamedTuple or Enum in its place, "
            "or give the tool a JSON Schema with parameters=…"
        ),
    ]
    assert len(caught.value.problems) == 5


def test_an_annotation_that_raises_when_evaluated_is_a_problem_of_its_parameter() -> None:
    def bad(x: Any) -> None: ...

    bad.__annotations__ = {"x": "1 / 0"}
    with pytest.raises(
        DefinitionError, match=r"parameter 'x': the annotation '1 / 0' cannot be resolved \(ZeroDivisionError"
    ):
        read(bad)


def test_a_bad_field_is_named_with_its_record_and_parameter() -> None:
    @dataclass
    class Job:
        callback: Callable[[], None]

    def run(jobs: Any) -> None: ...

    run.__annotations__ = {"jobs": list[Job]}
    with pytest.raises(
        DefinitionError, match=r"parameter 'jobs': in list\[.*Job\]: field 'callback' of .*Job: Callable"
    ):
        read(run)
