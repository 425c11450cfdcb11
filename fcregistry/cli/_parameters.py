"""Which options does a tool take on the command line? Made from its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fcregistry._base.messages import KINDS
from fcregistry._tools.tool import Tool
from fcregistry.cli._bounds import as_text, bounds, plain
from fcregistry.cli._json import read_json
from fcregistry.cli._output import clean
from fcregistry.formats.text import show_type

P = TypeVar("P", bound=click.Parameter)

if TYPE_CHECKING:
    _AnyParam = click.ParamType[Any]
else:  # generic from click 8.4 on only
    _AnyParam = click.ParamType

_LONGEST_TYPE = 60
_FLAG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class WordParam(click.Choice[str]):
    """One of the strings of an enum, as it is: an underscore in it is no dash."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        return str(choice)


class JsonParam(_AnyParam):
    """A JSON value; where the schema takes strings too, text that is not JSON is a string."""

    name = "json"

    def __init__(self, or_text: bool, takes: str) -> None:
        self._or_text = or_text
        self._takes = takes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return read_json(value)
        except ValueError as error:
            if self._or_text:
                return value
            self.fail(f"{value!r} is no JSON: {error}; it takes {self._takes}", param, ctx)


def options_of(tool: Tool) -> list[click.Option]:
    """Return an option for each parameter that can have one, in their order."""
    schema = tool.parameters
    properties: dict[str, Any] = schema["properties"]
    required = schema.get("required", ())
    flags = _flags(properties, schema)
    return [
        _option(name, plain(properties[name], schema), name in required, flags[name])
        for name in properties
        if name in flags
    ]


def flags_of(tool: Tool) -> dict[str, str]:
    """Return the flag of each parameter that has one."""
    schema = tool.parameters
    return _flags(schema["properties"], schema)


def without_option(tool: Tool) -> list[str]:
    """Return the parameters that no option can be made for, with their types: they are given with `--arg NAME=JSON`."""
    schema = tool.parameters
    flags = _flags(schema["properties"], schema)
    required = schema.get("required", ())
    return [
        f"{name} ({show_type(each)}{', required' if name in required else ''})"
        for name, each in schema["properties"].items()
        if name not in flags
    ]


def _flags(properties: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, str]:
    """Return the flag of each parameter that can have one; the first that takes a flag keeps it."""
    taken = {"--help", "--arg", *(f"--no-{_dashed(name)}" for name in properties if _is_bool(name, properties, schema))}
    flags: dict[str, str] = {}
    for name in properties:
        flag = f"--{_dashed(name)}"
        if _FLAG_NAME.fullmatch(name) and flag not in taken:
            taken.add(flag)
            flags[name] = flag
    return flags


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _is_bool(name: str, properties: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    return bool(plain(properties[name], schema).get("type") == "boolean")


def _option(name: str, schema: dict[str, Any], required: bool, flag: str) -> click.Option:
    text = clean(" ".join(str(schema.get("description", "")).split()))
    notes = [*bounds(schema)]
    notes += [f"default: {json.dumps(schema['default'], ensure_ascii=False)}"] if "default" in schema else []
    notes += ["required"] if required else []
    text = " ".join(filter(None, [text, f"[{'; '.join(map(clean, notes))}]" if notes else ""]))
    variable = f"p_{len(name)}_{re.sub(r'[^A-Za-z0-9]', '_', name)}"
    if schema.get("type") == "boolean":
        declaration = f"{flag}/--no-{flag.removeprefix('--')}"
        return named(click.Option([declaration, variable], default=None, help=text), name)
    multiple = _is_list_of_scalars(schema)
    if multiple:
        schema = {**schema, "items": as_text(schema["items"])}
    kind = _kind(schema["items"] if multiple else schema)
    metavar = None if isinstance(kind, click.Choice) else _metavar(schema, kind)
    settings: dict[str, Any] = {} if multiple else {"callback": _only_one}
    made = click.Option(
        [flag, variable], type=kind, multiple=True, default=None, help=text, metavar=metavar, **settings
    )
    return named(made, name)


def takes_several(option: click.Parameter) -> bool:
    """Tell whether an option may be given again, for one more item."""
    return option.multiple and option.callback is None


def _only_one(ctx: click.Context, option: click.Parameter, values: tuple[Any, ...]) -> Any:
    """Refuse an option that is given again, of which the last would win without a word."""
    if len(values) > 1:
        several = "; give one JSON value" if isinstance(option.type, JsonParam) else ""
        raise click.UsageError(f"{option.opts[0]} is given {len(values)} times, and takes one value{several}", ctx)
    return values[0] if values else None


def named(parameter: P, name: str) -> P:
    """Give a parameter of a command a name that click would have changed: it wants lower case and no space."""
    parameter.name = name
    return parameter


def _is_list_of_scalars(schema: dict[str, Any]) -> bool:
    items = schema.get("items")
    if schema.get("type") != "array" or "prefixItems" in schema or not isinstance(items, dict):
        return False
    return as_text(items).get("type") in ("string", "integer", "number", "boolean")


def _kind(schema: dict[str, Any]) -> click.ParamType[Any]:
    choices = schema.get("enum")
    if choices and all(isinstance(choice, str) for choice in choices):
        return WordParam(choices)
    if choices or schema.get("type") not in ("string", "integer", "number"):
        return JsonParam(
            or_text=_takes_text(schema), takes=_shown(schema) or KINDS.get(str(schema.get("type")), "JSON")
        )
    return {"string": click.STRING, "integer": click.INT, "number": click.FLOAT}[schema["type"]]


def _takes_text(schema: dict[str, Any]) -> bool:
    if "enum" in schema:
        return any(isinstance(choice, str) for choice in schema["enum"])
    if not {"type", "anyOf", "oneOf", "const", "$ref"} & schema.keys():
        return True
    types = schema.get("type")
    if types == "string" or (isinstance(types, list) and "string" in types):
        return True
    return any(
        _takes_text(each) for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())) if isinstance(each, dict)
    )


def _metavar(schema: dict[str, Any], kind: click.ParamType[Any]) -> str:
    if isinstance(kind, JsonParam):
        shown = _shown(schema)
        return f"JSON:{shown}".replace(" ", "") if shown else "JSON"
    if schema.get("type") == "array":
        return f"{str(schema['items'].get('format') or schema['items']['type']).upper()}..."
    return str(schema.get("format") or schema["type"]).upper()


def _shown(schema: dict[str, Any]) -> str:
    """Return the type of a JSON value, or nothing where that is long."""
    shown = show_type(schema)
    return shown if len(shown) <= _LONGEST_TYPE else ""
