"""The options of a tool on the command line, made from its schema, and the arguments that a user gives with them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from fcregistry._base.messages import KINDS, requirement
from fcregistry._registry import registry
from fcregistry._schema.document import show_type
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import clean, read_json
from fcregistry.cli._tools import describe_while_typing

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _AnyParam = click.ParamType[Any]
else:
    _AnyParam = click.ParamType

# No parameter with an option has these names
_JSON: Final = " json"
_ARG: Final = " arg"

_TRUTHS: Final = ("true", "false", "yes", "no", "on", "off", "1", "0")
_BYTE_ORDER_MARK: Final = "\ufeff"  # which programs on Windows write first


def read_words(ctx: click.Context, name: str, tool: Tool, words: list[str]) -> dict[str, Any] | str:
    """Return the arguments: from options, from one JSON word unread, or from both; options win."""
    parser = _tool_command(name, tool)
    # --num_days is the same as --num-days
    settings: dict[str, Any] = {
        "token_normalize_func": lambda token: token.replace("_", "-"),
        "help_option_names": ["-h", "--help"],
    }
    path = f"{ctx.command_path} {name}"
    try:
        with parser.make_context(path, words, **settings) as inner:
            return _arguments(inner)
    except click.UsageError as error:
        error.ctx = error.ctx or click.Context(
            parser, info_name=path, **settings
        )  # so that click shows the tool's usage
        if isinstance(error, click.NoSuchOption) and (message := _no_option(error.option_name, ctx, name, tool)):
            raise click.UsageError(message, error.ctx) from error
        if isinstance(error, click.BadParameter) and error.param is not None and takes_several(error.param):
            message = f"{error.message} Give {error.param.opts[0]} once for each item."
            raise click.BadParameter(message, error.ctx, error.param) from error
        raise


def _no_option(option: str, ctx: click.Context, name: str, tool: Tool) -> str | None:
    """Return what to do in place of an unknown option; None if that is not known."""
    if any(option in parameter.opts for parameter in ctx.command.params):
        return f"{option} is not the tool's but ours: it stands before {name}"
    schema, word = tool.parameters, option.lstrip("-")
    named_so = [each for each in schema["properties"] if each.replace("_", "-") == word]
    if named_so:
        return f"no option can be made for {clean(named_so[0])}: give it as --arg '{clean(named_so[0])}=JSON'"
    if schema.get("additionalProperties", True) is not False:
        return f"No such option {clean(option)!r}. The tool takes other names too, as --arg 'NAME=JSON'"
    return None


def _arguments(ctx: click.Context) -> dict[str, Any] | str:
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    word = _one_word(values.pop(_JSON, ()), ctx)
    extra = _json_arguments(values.pop(_ARG, ()), ctx)
    if word is not None and word[:1] not in ("-", "@", "{", "[", '"') and not word[:1].isspace() and word != "":
        raise click.UsageError(f"{word!r} is no JSON object; {_options_advice(word, ctx)}", ctx)
    text = None if word is None else _json_text(word, ctx)
    if text is None:
        return {**values, **extra}
    if not values and not extra:
        return text  # unread: the executor parses it strictly
    try:
        base = read_json(text)
    except ValueError as error:
        raise click.UsageError(f"the arguments are no JSON: {error}", ctx) from error
    if not isinstance(base, dict):
        raise click.UsageError("the arguments are no JSON object", ctx)
    return {**base, **values, **extra}


def _one_word(words: list[str], ctx: click.Context) -> str | None:
    if len(words) > 1:
        raise click.UsageError(f"Got unexpected extra argument ({words[1]}): {_options_advice(words[1], ctx)}", ctx)
    return words[0] if words else None


def _options_advice(word: str, ctx: click.Context) -> str:
    """Return how the word could have been given as an option."""
    flags = {each.opts[0]: each for each in ctx.command.params if isinstance(each, click.Option) and each.name != _ARG}
    if not flags:
        return "this tool has no options"
    switch = next(
        (flag for flag, each in flags.items() if each.is_flag and ctx.params.get(str(each.name)) is not None), ""
    )
    if switch and word.lower() in _TRUTHS:
        return f"{switch} takes no value: alone it means true, and {flags[switch].secondary_opts[0]} means false"
    name, equals, value = word.partition("=")
    flag = f"--{name}".replace("_", "-")
    if not equals or flag not in flags:
        flag, value = next(iter(flags)), word
    again = ", once for each item of an array" if takes_several(flags[flag]) else ""
    return f"arguments are given as options, such as {flag} {value}{again}"


def _tool_command(name: str, tool: Tool) -> click.Command:
    text = tool.description
    parameters: list[click.Parameter] = [
        with_name(click.Argument(["json"], nargs=-1, metavar="[JSON|-|@FILE]"), _JSON),
        *options_of(tool),
        with_name(click.Option(["--arg", "arg"], multiple=True, metavar="NAME=JSON", help=_arg_help(tool)), _ARG),
    ]
    return click.Command(
        name, params=parameters, help="\b\n" + clean(text).replace("\n\n", "\n\n\b\n") if text else None
    )


def _arg_help(tool: Tool) -> str:
    only = "; ".join(clean(each) for each in without_option(tool))
    others = "" if tool.parameters.get("additionalProperties", True) is False else ", and names that are not listed"
    return f"Any argument by name{others}{f'; the only way to give {only}' if only else ''}."


def _json_text(word: str, ctx: click.Context) -> str:
    try:
        if word == "-":
            return sys.stdin.read().removeprefix(_BYTE_ORDER_MARK)
        if word.startswith("@"):
            from pathlib import Path  # only where a file is named

            return Path(word[1:]).read_text(encoding="utf-8").removeprefix(_BYTE_ORDER_MARK)
    except (OSError, UnicodeDecodeError) as error:
        place = "standard input" if word == "-" else word[1:]
        reason = error.strerror if isinstance(error, OSError) else error
        raise click.UsageError(f"cannot read {place}: {reason}", ctx) from error
    return word


def _json_arguments(pairs: Iterable[str], ctx: click.Context) -> dict[str, Any]:
    extra = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--arg takes NAME=JSON, not {pair!r}", ctx)
        try:
            extra[name] = read_json(text)
        except ValueError as error:
            raise click.UsageError(
                f"--arg {name}: {text!r} is no JSON ({error}); a string needs its quotes: --arg '{name}=\"…\"'", ctx
            ) from error
    return extra


# --- Completion ---


def complete_words(name: str, words: tuple[str, ...], incomplete: str) -> list[CompletionItem[str]]:
    """Return the completions of a word after a tool's name.

    Args:
        name: The tool's name.
        words: The words between the name and the incomplete one.
        incomplete: The beginning of the word.
    """
    describe_while_typing()  # the shell asks for completions before any command runs
    options = options_of(registry.get(name))
    flags = [word.replace("_", "-") for word in words if word.startswith("--")]
    last = next((each for each in options if words and each.opts[0] == words[-1].replace("_", "-")), None)
    if last is not None and not last.is_flag:  # its value is next
        from click.shell_completion import CompletionItem  # there already: only completion comes here

        choices = last.type.choices if isinstance(last.type, WordParam) else ()
        return [CompletionItem(choice) for choice in choices if choice.startswith(incomplete)]
    left = [each for each in options if takes_several(each) or not {*each.opts, *each.secondary_opts} & {*flags}]
    return [item for each in left for item in _items(each) if item.value.startswith(incomplete.replace("_", "-"))]


def _items(option: click.Option) -> Iterator[CompletionItem[str]]:
    from click.shell_completion import CompletionItem  # there already: only completion comes here

    for flag in (*option.opts, *option.secondary_opts):
        yield CompletionItem(flag, help=option.help)


# --- Options of a tool ---

P = TypeVar("P", bound=click.Parameter)

_LONGEST_TYPE = 60
_FLAG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class WordParam(click.Choice[str]):
    """One of the strings of an enum, unchanged: an underscore in it is not read as a dash."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        return str(choice)


class JsonParam(_AnyParam):
    """A JSON value; if the schema accepts strings too, text that is not JSON is a string."""

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
    """Return the parameters without an option, with their types: users give them with `--arg NAME=JSON`."""
    schema = tool.parameters
    flags = _flags(schema["properties"], schema)
    required = schema.get("required", ())
    return [
        f"{name} ({show_type(each)}{', required' if name in required else ''})"
        for name, each in schema["properties"].items()
        if name not in flags
    ]


def _flags(properties: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, str]:
    """Return the flag of each parameter that can have one; of two with one flag, the first has it."""
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
        return with_name(click.Option([declaration, variable], default=None, help=text), name)
    multiple = _is_list_of_scalars(schema)
    if multiple:
        schema = {**schema, "items": as_text(schema["items"])}
    kind = _param_type(schema["items"] if multiple else schema)
    metavar = None if isinstance(kind, click.Choice) else _metavar(schema, kind)
    settings: dict[str, Any] = {} if multiple else {"callback": _only_one}
    made = click.Option(
        [flag, variable], type=kind, multiple=True, default=None, help=text, metavar=metavar, **settings
    )
    return with_name(made, name)


def takes_several(option: click.Parameter) -> bool:
    """Return whether an option may be given again, for one more item."""
    return option.multiple and option.callback is None


def _only_one(ctx: click.Context, option: click.Parameter, values: tuple[Any, ...]) -> Any:
    """Refuse an option that is given twice: the last one would win silently."""
    if len(values) > 1:
        several = "; give one JSON value" if isinstance(option.type, JsonParam) else ""
        raise click.UsageError(f"{option.opts[0]} is given {len(values)} times, and takes one value{several}", ctx)
    return values[0] if values else None


def with_name(parameter: P, name: str) -> P:
    """Give a parameter of a command a name that click would change: click wants lower case and no space."""
    parameter.name = name
    return parameter


def _is_list_of_scalars(schema: dict[str, Any]) -> bool:
    items = schema.get("items")
    if schema.get("type") != "array" or "prefixItems" in schema or not isinstance(items, dict):
        return False
    return as_text(items).get("type") in ("string", "integer", "number", "boolean")


def _param_type(schema: dict[str, Any]) -> click.ParamType[Any]:
    choices = schema.get("enum")
    if choices and all(isinstance(choice, str) for choice in choices):
        return WordParam(choices)
    if choices or schema.get("type") not in ("string", "integer", "number"):
        return JsonParam(
            or_text=_takes_text(schema), takes=_short_type(schema) or KINDS.get(str(schema.get("type")), "JSON")
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
        shown = _short_type(schema)
        return f"JSON:{shown}".replace(" ", "") if shown else "JSON"
    if schema.get("type") == "array":
        return f"{str(schema['items'].get('format') or schema['items']['type']).upper()}..."
    return str(schema.get("format") or schema["type"]).upper()


def _short_type(schema: dict[str, Any]) -> str:
    """Return the type of a JSON value; an empty string if it is long."""
    shown = show_type(schema)
    return shown if len(shown) <= _LONGEST_TYPE else ""


# --- Schemas of parameters ---

_BOUNDS: Final = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties"),
)


def plain(schema: Any, root: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter's schema without references, and without the null of an optional one."""
    found = _object(schema)
    for _ in range(10):
        if "$ref" in found:
            target = root.get("$defs", {}).get(str(found["$ref"]).rpartition("/")[2])
            found = {**_object(target), **{key: value for key, value in found.items() if key != "$ref"}}
        elif len(others := [each for each in found.get("anyOf", ()) if each != {"type": "null"}]) == 1:
            found = {**_object(others[0]), **{key: value for key, value in found.items() if key != "anyOf"}}
        else:
            break
    return as_text(found)


def _object(schema: Any) -> dict[str, Any]:
    """Return a schema as an object; `true` and `false` become an empty one."""
    return dict(schema) if isinstance(schema, Mapping) else {}


def as_text(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that reads a decimal number as the typed text: a float would lose digits."""
    if schema.get("format") == "decimal" and isinstance(schema.get("type"), list):
        return {**schema, "type": "string"}
    return schema


def bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the bounds of a value and of each item of an array, in the words of a refused call."""
    for keyword in _BOUNDS:
        if keyword in schema:
            yield _short_requirement(keyword, schema[keyword])
    if schema.get("uniqueItems") is True:
        yield _short_requirement("uniqueItems", True)
    if isinstance(items := schema.get("items"), Mapping):
        yield from (f"each {each}" for each in bounds(items) if "items" not in items)


def _short_requirement(keyword: str, limit: Any) -> str:
    return requirement(keyword, limit).removeprefix("must be ").removeprefix("must have ")
