"""Which arguments do the words after a tool's name give?"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click

from fcregistry._tools.tool import Tool
from fcregistry.cli._json import read_json
from fcregistry.cli._output import clean
from fcregistry.cli._parameters import named, options_of, takes_several, without_option

# Names that no parameter with an option has.
_JSON: Final = " json"
_ARG: Final = " arg"

_TRUTHS: Final = ("true", "false", "yes", "no", "on", "off", "1", "0")
_BYTE_ORDER_MARK: Final = "\ufeff"  # which programs on Windows write first


def read_words(ctx: click.Context, name: str, tool: Tool, words: list[str]) -> dict[str, Any] | str:
    """Return the arguments as a JSON object or its text: from options, from one JSON word, or both, options first."""
    parser = _tool_command(name, tool)
    # An underscore for a dash is as good: --num_days and --num-days.
    settings: dict[str, Any] = {
        "token_normalize_func": lambda token: token.replace("_", "-"),
        "help_option_names": ["-h", "--help"],
    }
    path = f"{ctx.command_path} {name}"
    try:
        with parser.make_context(path, words, **settings) as inner:
            return _given(inner)
    except click.UsageError as error:
        error.ctx = error.ctx or click.Context(parser, info_name=path, **settings)  # so that the tool's usage is shown
        if isinstance(error, click.NoSuchOption) and (message := _no_option(error.option_name, ctx, name, tool)):
            raise click.UsageError(message, error.ctx) from error
        if isinstance(error, click.BadParameter) and error.param is not None and takes_several(error.param):
            message = f"{error.message} Give {error.param.opts[0]} once for each item."
            raise click.BadParameter(message, error.ctx, error.param) from error
        raise


def _no_option(option: str, ctx: click.Context, name: str, tool: Tool) -> str | None:
    """Return what is to be done in place of an option that there is not, where that is known."""
    if option in _own_options(ctx):
        return f"{option} is not the tool's but ours: it stands before {name}"
    schema, word = tool.parameters, option.lstrip("-")
    named_so = [each for each in schema["properties"] if each.replace("_", "-") == word]
    if named_so:
        return f"no option can be made for {clean(named_so[0])}: give it as --arg '{clean(named_so[0])}=JSON'"
    if schema.get("additionalProperties", True) is not False:
        return f"No such option {clean(option)!r}. The tool takes other names too, as --arg 'NAME=JSON'"
    return None


def _own_options(ctx: click.Context) -> set[str]:
    return {word for parameter in ctx.command.params for word in parameter.opts}


def _given(ctx: click.Context) -> dict[str, Any] | str:
    values = {
        name: _listed(value)
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    word = _one_word(values.pop(_JSON, ()), ctx)
    extra = _extra(values.pop(_ARG, ()), ctx)
    if word is not None and word[:1] not in ("-", "@", "{", "[", '"') and not word[:1].isspace() and word != "":
        raise click.UsageError(f"{word!r} is no JSON object; {_as_options(word, ctx)}", ctx)
    text = None if word is None else _json_text(word, ctx)
    if text is None:
        return {**values, **extra}
    if not values and not extra:
        return text  # as it is: the executor reads it strictly
    try:
        base = read_json(text)
    except ValueError as error:
        raise click.UsageError(f"the arguments are no JSON: {error}", ctx) from error
    if not isinstance(base, dict):
        raise click.UsageError("the arguments are no JSON object", ctx)
    return {**base, **values, **extra}


def _one_word(words: list[str], ctx: click.Context) -> str | None:
    if len(words) > 1:
        raise click.UsageError(f"Got unexpected extra argument ({words[1]}): {_as_options(words[1], ctx)}", ctx)
    return words[0] if words else None


def _as_options(word: str, ctx: click.Context) -> str:
    """Say how the word could have been given."""
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


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _tool_command(name: str, tool: Tool) -> click.Command:
    text = tool.description
    parameters: list[click.Parameter] = [
        named(click.Argument(["json"], nargs=-1, metavar="[JSON|-|@FILE]"), _JSON),
        *options_of(tool),
        named(click.Option(["--arg", "arg"], multiple=True, metavar="NAME=JSON", help=_arg_help(tool)), _ARG),
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
            return Path(word[1:]).read_text(encoding="utf-8").removeprefix(_BYTE_ORDER_MARK)
    except (OSError, UnicodeDecodeError) as error:
        place = "standard input" if word == "-" else word[1:]
        reason = error.strerror if isinstance(error, OSError) else error
        raise click.UsageError(f"cannot read {place}: {reason}", ctx) from error
    return word


def _extra(pairs: Iterable[str], ctx: click.Context) -> dict[str, Any]:
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
