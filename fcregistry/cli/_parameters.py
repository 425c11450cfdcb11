"""The options of a tool on the command line, made from its schema, and the arguments that a user gives with them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import click

from fcregistry._base.wording import KINDS, requirement, show
from fcregistry._registry import registry
from fcregistry._schema.document import References, show_type
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import clean, read_json
from fcregistry.cli._tools import begin_completion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _AnyParam = click.ParamType[Any]
else:
    _AnyParam = click.ParamType

_Options: TypeAlias = dict[str, Any]
"""The values of the command's own options, such as `--yes`, by name."""

# No parameter with an option has these names
_JSON: Final = " words"
_ARG: Final = " arg"

_SETTINGS: Final[dict[str, Any]] = {
    "token_normalize_func": lambda token: token.replace("_", "-"),  # --num_days is the same as --num-days
    "help_option_names": ["-h", "--help"],
}
_TRUTHS: Final = ("true", "false", "yes", "no", "on", "off", "1", "0")
_BYTE_ORDER_MARK: Final = "\ufeff"  # which programs on Windows write first


def read_words(ctx: click.Context, name: str, tool: Tool, words: list[str]) -> tuple[dict[str, Any] | str, _Options]:
    """Return the arguments, and the options of the command that the user wrote after the tool's name.

    Arguments come from options of the tool, from one word with JSON text, or from both; options take precedence. If there are no options,
    the JSON text is returned as it is. An option that the command and the tool both have belongs to the tool.

    Args:
        ctx: The context of the command.
        name: The tool's name.
        tool: The tool.
        words: The words after the tool's name.
    """
    flags = {*flags_of(tool.parameters).values()}
    own = [each for each in ctx.command.params if isinstance(each, click.Option) and flags.isdisjoint(each.opts)]
    parser = _ToolCommand(name, tool, [each for each in own if each.name != "batch"])
    path = f"{ctx.command_path} {name}"
    try:
        with parser.make_context(path, words, **_SETTINGS) as inner:
            given = {
                each: list(value) if isinstance(value, tuple) else value
                for each, value in inner.params.items()
                if inner.get_parameter_source(each) is click.core.ParameterSource.COMMANDLINE
            }
            later = {str(each.name): given.pop(f" {each.name}") for each in own if f" {each.name}" in given}
            return _arguments(given, inner), later
    except click.UsageError as error:
        error.ctx = error.ctx or click.Context(parser, info_name=path, **_SETTINGS)  # click shows the tool's usage
        if isinstance(error, click.NoSuchOption) and (message := _no_option(error.option_name, tool)):
            raise click.UsageError(message, error.ctx) from error
        if isinstance(error, click.BadOptionUsage) and (switch := parser.switches.get(error.option_name)):
            raise click.UsageError(_switch_advice(switch), error.ctx) from error
        option = error.param if isinstance(error, click.BadParameter) else None
        if isinstance(option, click.Option) and option.multiple:
            message = f"{error.message.rstrip('.')}. Give it once for each item: {_repeated(option)}"
            raise click.BadParameter(message, error.ctx, option) from error
        raise


def _no_option(option: str, tool: Tool) -> str | None:
    """Return what to write instead of the unknown `option`, or None if there is no suggestion.

    It is `--arg`, if the tool has a parameter of that name that cannot be an option, or takes any name.
    """
    schema, word = tool.parameters, option.lstrip("-")
    parameter = next((clean(each) for each in schema["properties"] if each.replace("_", "-") == word), None)
    if parameter is not None:
        return f"{parameter} cannot be an option: give it as --arg '{parameter}=JSON'"
    if schema.get("additionalProperties", True) is not False:
        return f"No such option {clean(option)!r}. The tool takes other names too: give them as --arg 'NAME=JSON'"
    return None


def _arguments(values: dict[str, Any], ctx: click.Context) -> dict[str, Any] | str:
    """Return the arguments of a call; the JSON text itself, unread, if the user gave nothing else.

    `--arg` wins over options, and these over the JSON text.

    Args:
        values: The values of the options, by parameter; those of the JSON text and of `--arg` are removed from it.
        ctx: The context of the command, for errors.

    Raises:
        UsageError: There is more than one word, or the word or an `--arg` is not what it must be.
    """
    words = values.pop(_JSON, [])
    extra = _json_arguments(values.pop(_ARG, ()), ctx)
    if len(words) > 1:
        raise click.UsageError(f"Got unexpected extra argument ({words[-1]}): {_options_advice(words, ctx)}", ctx)
    if not words:
        return {**values, **extra}
    if not _is_like_json(words[0]):
        raise click.UsageError(f"{words[0]!r} is not a JSON object; {_options_advice(words, ctx)}", ctx)
    text = _json_text(words[0], ctx)
    if not values and not extra:
        return text  # unread: the executor parses it strictly
    try:
        base = read_json(text)
    except ValueError as error:
        raise click.UsageError(f"the arguments are not valid JSON: {error}", ctx) from error
    if not isinstance(base, dict):
        raise click.UsageError("the arguments are not a JSON object", ctx)
    return {**base, **values, **extra}


def _is_like_json(word: str) -> bool:
    """Return whether `word` may be meant as the word that has, or names, all arguments as JSON."""
    return not word.strip() or word[0] in '-@{["' or word[0].isspace()


def _options_advice(words: Sequence[str], ctx: click.Context) -> str:
    """Return the advice how to write the last of `words` as an option of the tool.

    For a word such as `true` after a boolean option, it says that the option takes no value. After an option for an array, it repeats that option
    for each word. If the tool has no options, it says so.
    """
    flags = {each.opts[0]: each for each in ctx.command.params if isinstance(each, click.Option) and each.name != _ARG}
    if not flags:
        return "this tool has no options"
    word, given = words[-1], [each for each in flags.values() if ctx.params.get(str(each.name)) not in (None, ())]
    if word.lower() in _TRUTHS and (switch := next((each for each in given if each.is_flag), None)):
        return _switch_advice(switch)
    name, equals, value = word.partition("=")
    flag = f"--{name}".replace("_", "-")
    listed = [each for each in given if each.multiple]
    if listed and flag not in flags and not _is_like_json(word):
        values = [
            *map(_as_word, ctx.params[str(listed[-1].name)]),
            *(each for each in words if not _is_like_json(each)),
        ]
        return f"give {listed[-1].opts[0]} once for each item: {_repeated(listed[-1], values)}"
    if not equals or flag not in flags:
        flag, value = next(iter(flags)), word
    again = ", once for each item of an array" if flags[flag].multiple else ""
    return f"give arguments as options, such as {flag} {value}{again}"


def _switch_advice(option: click.Option) -> str:
    """Return the advice how to give a boolean with an option, which takes no value."""
    return f"{option.opts[0]} takes no value: use it for true, and {option.secondary_opts[0]} for false"


def _repeated(option: click.Option, values: Sequence[str] = ()) -> str:
    """Return the words that give several items to an option for an array, such as `--n 1 --n 2`.

    Args:
        option: The option.
        values: The items; none for two examples.
    """
    import shlex  # only for the help of a tool with an array, and on the way to an error

    if not values:
        kind = str(option.metavar).removesuffix("...")
        choices = option.type.choices if isinstance(option.type, click.Choice) else _EXAMPLES.get(kind, [kind])
        values = [*choices[:2], choices[0]][:2]
    return " ".join(f"{option.opts[0]} {shlex.quote(each)}" for each in values)


_EXAMPLES: Final = {"INTEGER": ("1", "2"), "NUMBER": ("0.5", "2"), "JSON:boolean": ("true", "false")}
"""Placeholder of an item in the help -> two items."""


def _as_word(value: Any) -> str:
    """Return the value of an option as a user writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def _json_text(word: str, ctx: click.Context) -> str:
    """Return the JSON text that a word means: standard input for `-`, a file for `@FILE`, or the word.

    Raises:
        UsageError: Standard input or the file cannot be read, is not UTF-8, or is empty, as after a command that failed.
    """
    if not word.startswith(("-", "@")):
        return word
    place = "standard input" if word == "-" else word[1:]
    try:
        text = sys.stdin.read().removeprefix(_BYTE_ORDER_MARK) if word == "-" else file_text(place, ctx)
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(place, error, ctx) from error
    if not text.strip():
        raise click.UsageError(f"{place} is empty: write {{}} for no arguments", ctx)
    return text


def file_text(path: str, ctx: click.Context) -> str:
    """Return the text of a file that the user named.

    Raises:
        UsageError: The file cannot be read, or is not UTF-8.
    """
    from pathlib import Path  # only where a file is named

    try:
        return Path(path).read_text(encoding="utf-8").removeprefix(_BYTE_ORDER_MARK)
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error, ctx) from error


def _unreadable(place: str, error: OSError | UnicodeDecodeError, ctx: click.Context) -> click.UsageError:
    """Return the error for a file, or standard input, that cannot be read."""
    reason = error.strerror if isinstance(error, OSError) else error
    return click.UsageError(f"cannot read {place}: {reason}", ctx)


def _json_arguments(pairs: Iterable[str], ctx: click.Context) -> dict[str, Any]:
    """Return the arguments in the values of `--arg`, each `NAME=JSON`, by name; the last one of a name.

    Raises:
        UsageError: A value has no equals sign, or is not valid JSON after it.
    """
    extra = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--arg takes NAME=JSON, not {pair!r}", ctx)
        try:
            extra[name] = read_json(text)
        except ValueError as error:
            advice = f"write a string in quotes: --arg '{name}=\"…\"'"
            raise click.UsageError(f"--arg {name}: {text!r} is not valid JSON ({error}); {advice}", ctx) from error
    return extra


def complete_words(ctx: click.Context, name: str, words: tuple[str, ...], incomplete: str) -> list[CompletionItem[str]]:
    """Return the completions of a word after a tool's name.

    Args:
        ctx: The context of the command.
        name: The tool's name.
        words: The words between the name and the incomplete one.
        incomplete: The beginning of the word.
    """
    from click.shell_completion import ShellComplete  # there already: only completion comes here

    begin_completion(ctx)
    shell = ShellComplete(_ToolCommand(name, registry.get(name)), {**_SETTINGS}, name, "")
    return shell.get_completions(list(words), incomplete.replace("_", "-") if incomplete[:1] == "-" else incomplete)


# --- Options of a tool ---


class _ToolCommand(click.Command):
    """A command with the options of a tool. It parses words and shows help, but is never run.

    Attributes:
        switches: The options for booleans, by `--NAME` and by `--no-NAME`.
    """

    def __init__(self, name: str, tool: Tool, own: Iterable[click.Option] = ()) -> None:
        schema = tool.parameters
        flags = flags_of(schema)
        options = [_option(each, flag, schema) for each, flag in flags.items()]
        required = schema.get("required", ())
        others = "; ".join(
            f"{clean(each)} ({clean(show_type(value))}{', required' if each in required else ''})"
            for each, value in schema["properties"].items()
            if each not in flags
        )
        more = (
            ""
            if schema.get("additionalProperties", True) is False
            else " The tool accepts names that are not listed here."
        )
        only = f" These arguments have no option of their own: {others}." if others else ""
        help_of_arg = f"Give any argument by its name.{more}{only}"
        # Without a word to complete, the options are shown
        words = click.Argument(
            ["json"],
            nargs=-1,
            metavar="[JSON|-|@FILE]",
            shell_complete=lambda ctx, _, word: self.shell_complete(ctx, word or "--"),
        )
        arg = click.Option(["--arg", "arg"], multiple=True, metavar="NAME=JSON", help=help_of_arg)
        text = clean(tool.description).replace("\n\n", "\n\n\b\n")
        parameters = [_with_name(words, _JSON), *options, _with_name(arg, _ARG), *map(_hidden, own)]
        self.switches = {flag: each for each in options if each.is_flag for flag in (*each.opts, *each.secondary_opts)}
        super().__init__(name, params=parameters, help=f"\b\n{text}" if text else None)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raise `UsageError` for an option that the user wrote twice; click itself would use the last value."""
        if not ctx.resilient_parsing:
            given = self.make_parser(ctx).parse_args([*args])[2]
            single = [each for each in given if isinstance(each, click.Option) and not (each.multiple or each.is_flag)]
            for option in single:
                if (times := single.count(option)) > 1:
                    several = "; give one JSON value" if isinstance(option.type, _JsonParam) else ""
                    raise click.UsageError(
                        f"{option.opts[0]} is given {times} times, but takes one value{several}", ctx
                    )
        return super().parse_args(ctx, args)


class _WordParam(click.Choice[str]):
    """One of the strings of an enum.

    Unlike the name of an option, it may contain underscores, which stay as they are.
    """

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        """Return the string."""
        return str(choice)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the string. An error has the words that a model reads of the same mistake."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{requirement('enum', list(self.choices))}, not {show(value)}", param, ctx)


class _NumberParam(_AnyParam):
    """A number. An error has the words that a model reads of the same mistake.

    Args:
        kind: The type in JSON Schema: `integer` or `number`.
        parser: Click's type, which reads the text.
    """

    def __init__(self, kind: str, parser: click.ParamType[Any]) -> None:
        self.name = parser.name
        self._kind = kind
        self._parser = parser

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that a text means."""
        try:
            return self._parser.convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{requirement('type', self._kind)}, not {show(value)}", param, ctx)


class _JsonParam(_AnyParam):
    """A JSON value. If the schema also accepts strings, text that is not valid JSON becomes a string."""

    name = "json"

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of JSON text."""
        try:
            return read_json(value)
        except ValueError as error:
            if _accepts_string(self._schema):
                return value
            takes = _short_type(self._schema) or KINDS.get(str(self._schema.get("type")), "JSON")
            self.fail(f"{value!r} is not valid JSON: {error}; it takes {takes}", param, ctx)


def flags_of(schema: Mapping[str, Any]) -> dict[str, str]:
    """Return the option of each parameter that can have one, such as `--num-days` for `num_days`.

    If two parameters would have the same option, the first one gets it. Users give the others with `--arg NAME=JSON`.

    Args:
        schema: The schema of the tool's parameters.
    """
    dashed = {name: name.replace("_", "-") for name in schema["properties"]}
    booleans = [name for name, each in schema["properties"].items() if plain(each, schema).get("type") == "boolean"]
    taken = {"--help", "--arg", *(f"--no-{dashed[name]}" for name in booleans)}
    flags: dict[str, str] = {}
    for name, word in dashed.items():
        flag = f"--{word}"
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name) and flag not in taken:
            taken.add(flag)
            flags[name] = flag
    return flags


def _option(name: str, flag: str, parameters: Mapping[str, Any]) -> click.Option:
    """Return the option of the parameter `name`, which is given as `flag`.

    A boolean has a second flag, `--no-…`; an array of simple items can be given several times.

    Args:
        name: The name of the parameter.
        flag: The option, such as `--num-days`.
        parameters: The schema of all parameters.
    """
    schema = plain(parameters["properties"][name], parameters)
    notes = [*bounds(schema)]
    default = schema.get("default")  # null, as for None, says nothing that "not required" does not
    notes += [] if default is None else [f"default: {json.dumps(default, ensure_ascii=False)}"]
    notes += ["required"] if name in parameters.get("required", ()) else []
    if schema.get("type") == "boolean":
        option = click.Option([f"{flag}/--no-{flag[2:]}", "value"], default=None)
    else:
        items = schema.get("items")
        item = _as_text(items) if isinstance(items, dict) and "prefixItems" not in schema else {}
        is_list = schema.get("type") == "array" and item.get("type") in (*_SCALARS, "boolean")
        kind, metavar = _type_of(item if is_list else schema)
        if is_list:
            metavar = f"{metavar or _choices_text(kind)}..."
        option = click.Option([flag, "value"], type=kind, multiple=is_list, default=None, metavar=metavar)
        notes += [f"for several: {_repeated(option)}"] if is_list else []
        notes += ["fcregistry show NAME has its form"] if metavar == "JSON" else []
    text = [*str(schema.get("description", "")).split(), *([f"[{'; '.join(notes)}]"] if notes else [])]
    option.help = clean(" ".join(text))
    return _with_name(option, name)


def _choices_text(kind: click.ParamType[Any]) -> str:
    """Return the strings of an enum, as the help of click shows them: `[a|b]`."""
    return f"[{'|'.join(kind.choices)}]" if isinstance(kind, click.Choice) else ""


_SCALARS: Final = {
    "string": click.STRING,
    "integer": _NumberParam("integer", click.INT),
    "number": _NumberParam("number", click.FLOAT),
}
_LONGEST_TYPE: Final = 60


def _type_of(schema: dict[str, Any]) -> tuple[click.ParamType[Any], str | None]:
    """Return the type of an option, and the help's placeholder for its value (None for click's own).

    The type is that of an enum of strings, of strings, of numbers, or else of JSON.
    """
    choices, kind = schema.get("enum"), str(schema.get("type"))
    if choices and all(isinstance(choice, str) for choice in choices):
        return _WordParam(choices), None
    if choices or kind not in _SCALARS:
        return _JsonParam(schema), f"JSON:{_short_type(schema)}".replace(" ", "").removesuffix(":")
    return _SCALARS[kind], str(schema.get("format") or kind).upper()


def _short_type(schema: dict[str, Any]) -> str:
    """Return the type that a schema describes as short text; empty if it would have over 60 characters."""
    shown = show_type(schema)
    return shown if len(shown) <= _LONGEST_TYPE else ""


def _accepts_string(schema: dict[str, Any]) -> bool:
    """Return whether a schema may accept a string.

    By its `enum`; else by its `type` and the branches of its `anyOf` and `oneOf`. Without any of these, it is False with `const` or `$ref`, else
    True.
    """
    if "enum" in schema:
        return any(isinstance(choice, str) for choice in schema["enum"])
    if not {"type", "anyOf", "oneOf", "const", "$ref"} & schema.keys():
        return True
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    types = schema.get("type", ())
    return "string" in ([types] if isinstance(types, str) else types) or any(
        _accepts_string(each) for each in branches if isinstance(each, dict)
    )


def _hidden(option: click.Option) -> click.Option:
    """Return a copy of an option of the command, for use after the tool's name.

    The tool's help does not show it, and its name has a space in front, so that it differs from each parameter's.
    """
    option = _with_name(copy(option), f" {option.name}")
    option.hidden = True
    return option


P = TypeVar("P", bound=click.Parameter)


def _with_name(parameter: P, name: str) -> P:
    """Set the name of `parameter` in place, and return `parameter`.

    Click itself would change the name to lower case, and reject a space.
    """
    parameter.name = name
    return parameter


# --- Schemas of parameters ---

_BOUNDS: Final = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems"),
)


def plain(schema: Any, root: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter's schema with `$ref` resolved, and without the null of `T | None`.

    Args:
        schema: The schema of the parameter. For `true` and `false`, the result is an empty schema.
        root: The schema of all parameters, which contains the definitions.
    """
    references = References(dict(root))
    found = dict(schema) if isinstance(schema, Mapping) else {}
    for _ in range(10):
        if "$ref" in found:
            place = references.place(found.pop("$ref"))
            target = references.at(place) if place is not None else {}
        elif len(others := [each for each in found.get("anyOf", ()) if each != {"type": "null"}]) == 1:
            del found["anyOf"]
            (target,) = others
        else:
            break
        found = {**(target if isinstance(target, Mapping) else {}), **found}
    return _as_text(found)


def _as_text(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of `schema` with the type `string` if its format is `decimal`, else `schema` itself.

    A float would lose digits that the user typed.
    """
    return {**schema, "type": "string"} if schema.get("format") == "decimal" else schema


def bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the bounds of a value, and of an array's items, worded as in the error of an invalid call."""
    for keyword in _BOUNDS:
        if schema.get(keyword, False) is not False:
            yield requirement(keyword, schema[keyword]).removeprefix("must be ").removeprefix("must have ")
    if isinstance(items := schema.get("items"), Mapping):
        yield from (f"each {each}" for each in bounds(items) if "items" not in items)
