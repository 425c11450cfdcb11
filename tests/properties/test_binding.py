"""Every argument of a valid call reaches the parameter of its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import Unpack

from fcregistry import Executor, Tool, ToolCall


@dataclass(frozen=True)
class Shape:
    """Which parameters a function has: how many of each kind, from which on they have defaults, and which keys `**extra` unpacks."""

    positional_only: int
    positional: int
    first_default: int
    star: bool
    keyword_only: tuple[bool, ...]
    extra: bool
    unpacked: tuple[bool, ...]

    def source(self) -> str:
        names = [f"p{place}" for place in range(self.positional_only + self.positional)]
        parts = [name if place < self.first_default else f"{name}='{name}'" for place, name in enumerate(names)]
        if self.positional_only:
            parts.insert(self.positional_only, "/")
        if self.star:
            parts.append("*star")
        elif self.keyword_only:
            parts.append("*")
        parts += [f"k{place}='k{place}'" if given else f"k{place}" for place, given in enumerate(self.keyword_only)]
        if self.extra or self.unpacked:
            parts.append("**extra")
        return f"def function({', '.join(parts)}):\n    return dict(locals())"


shapes = st.builds(
    Shape,
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 6),
    st.booleans(),
    st.lists(st.booleans(), max_size=2).map(tuple),
    st.booleans(),
    st.lists(st.booleans(), max_size=2).map(tuple),
)


def made(shape: Shape) -> Callable[..., dict[str, Any]]:
    scope: dict[str, Any] = {}
    exec(shape.source(), scope)
    function: Callable[..., dict[str, Any]] = scope["function"]
    function.__annotations__ = dict.fromkeys(function.__code__.co_varnames, Any)
    if shape.unpacked:
        keys = {f"u{place}": NotRequired[Any] if optional else Any for place, optional in enumerate(shape.unpacked)}
        function.__annotations__["extra"] = Unpack[TypedDict("Keys", keys)]
    return function


def expected(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the locals of a call, by the names alone."""
    local: dict[str, Any] = {}
    parameters = tool.signature.parameters
    own = [each for each in parameters if each.kind.name != "VAR_KEYWORD" and each.name[0] != "u"]
    for each in own:
        local[each.name] = arguments.get(each.name, [] if each.kind.name == "VAR_POSITIONAL" else each.default)
    if len(own) < len(parameters):
        local["extra"] = {name: value for name, value in arguments.items() if name not in local}
    return local


@given(shapes, st.data())
@settings(max_examples=150)
def test_every_argument_reaches_the_parameter_of_its_name(shape: Shape, data: st.DataObject) -> None:
    tool = Tool.from_function(made(shape))
    arguments: dict[str, Any] = {}
    for each in tool.signature.parameters:
        if each.required or data.draw(st.booleans()):
            if each.kind.name == "VAR_POSITIONAL":
                arguments[each.name] = data.draw(st.lists(st.integers(), max_size=2))
            elif each.kind.name == "VAR_KEYWORD":
                arguments |= data.draw(st.dictionaries(st.sampled_from(["x", "y", "extra"]), st.integers()))
            else:
                arguments[each.name] = data.draw(st.integers())
    shuffled = dict(data.draw(st.permutations(list(arguments.items()))))
    local = Executor(tool).run(ToolCall(tool.name, shuffled)).unwrap()
    if "star" in local:
        local["star"] = list(local["star"])
    assert local == expected(tool, arguments)
    assert all(isinstance(value, (int, str, list, dict)) for value in local.values())


@given(shapes, st.data())
@settings(max_examples=100)
def test_a_python_call_written_as_json_is_the_same_call(shape: Shape, data: st.DataObject) -> None:
    function = made(shape)
    tool = Tool.from_function(function)
    count = shape.positional_only + shape.positional
    required = min(shape.first_default, count)
    args = data.draw(st.lists(st.integers(), min_size=required, max_size=count + 2 * shape.star))
    kwargs = {f"k{place}": place for place, has in enumerate(shape.keyword_only) if not has or data.draw(st.booleans())}
    kwargs |= {"x": 1} if shape.extra and not shape.unpacked else {}
    kwargs |= {
        f"u{place}": place for place, optional in enumerate(shape.unpacked) if not optional or data.draw(st.booleans())
    }
    assert Executor(tool).run(tool.make_call(*args, **kwargs)).unwrap() == function(*args, **kwargs)
