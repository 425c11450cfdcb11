from __future__ import annotations

from typing import Any, Literal, Optional, Union

import pytest

from fcregistry import Tool
from fcregistry.errors import DefinitionWarning
from fcregistry.types import schema_of


def schema_by(text: str) -> dict[str, Any]:
    """Return the schema of a parameter whose type is given in the docstring alone."""

    def take(x) -> None: ...  # type: ignore[no-untyped-def]

    take.__doc__ = f"Take.\n\n:param x: X.\n:type x: {text}\n"
    schema: dict[str, Any] = Tool.from_function(take).parameters["properties"]["x"]
    assert schema.pop("description") == "X."
    return schema


@pytest.mark.parametrize(
    ("text", "annotation"),
    [
        ("str", str),
        ("string", str),
        ("int", int),
        ("integer", int),
        ("float", float),
        ("number", float),
        ("bool", bool),
        ("boolean", bool),
        ("None", type(None)),
        ("Any", Any),
        ("any", Any),
        ("list", list),
        ("array", list),
        ("object", dict[str, Any]),
        ("List[int]", list[int]),
        ("list[str]", list[str]),
        ("tuple[int, ...]", tuple[int, ...]),
        ("Dict[str, List[float]]", dict[str, list[float]]),
        ("typing.List[int]", list[int]),
        ("t.Optional[str]", Optional[str]),  # noqa: UP045
        ("Union[str, int]", Union[str, int]),  # noqa: UP007
        ("union[str, Any]", Union[str, Any]),  # noqa: UP007
        ("str | None", Optional[str]),  # noqa: UP045
        ("Literal['a', 'b', -1]", Literal["a", "b", -1]),
        ("str, optional", str),
        ("int, default 5", int),
        ("Literal['a', 'b'], optional", Literal["a", "b"]),
        ("  int  ", int),
        ("{'C', 'F'}", Literal["C", "F"]),
        ("{1, 2}, optional", Literal[1, 2]),
        ("int or None", Optional[int]),  # noqa: UP045
        ("str or list[str] or int", Union[str, list[str], int]),  # noqa: UP007
        ("tuple[()]", tuple[()]),
        ("tuple[int, str]", tuple[int, str]),
        ("Literal[True, None]", Literal[True, None]),
    ],
)
def test_a_known_type_is_looked_up(text: str, annotation: Any) -> None:
    assert schema_by(text) == schema_of(annotation)


@pytest.mark.parametrize(
    "text",
    [
        "Str",
        "DataFrame",
        "list of str",
        "exec('pass')",
        "List[print('PWNED')]",
        "__import__('os')",
        "__import__('os').system('true')",
        "(lambda: print('PWNED'))()",
        "str if print('PWNED') else int",
        "[print('PWNED')]",
        "Literal[print('PWNED')]",
        "Literal[f'{print()}']",
        "Literal[-'a']",
        "str.__class__",
        "typing.os",
        "os.List[int]",
        "int[",
        "",
        " ",
        "list[",
        "1",
        "'str'",
        "list[int, int, Nope]",
        "list[int, int]",
        "list[()]",
        "dict[str]",
        "dict[str, int, int]",
        "Optional[int, str]",
        "tuple[..., int]",
        "list[...]",
        "Literal[()]",
        "Literal[1.5]",
        "Literal[b'a']",
        "Literal[...]",
        "Literal[-True]",
        "{}",
        "{str, int}",
        "int and str",
        "int or Nope",
        r"Literal['\d']",
        "é" * 300,
        "\ud800",
        "a" * 401,
        "(" * 300 + ")" * 300,
        "list[" * 60 + "int" + "]" * 61,
        "int\x00",
    ],
)
def test_anything_else_is_unknown_and_never_evaluated(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(DefinitionWarning, match="parameter 'x' accepts any JSON value"):
        assert schema_by(text) == {}
    assert capsys.readouterr().out == ""
