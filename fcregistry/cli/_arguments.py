"""Which arguments do the words after a tool's name give?"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click

from fcregistry._tool import Tool
from fcregistry.cli._json import read_json
from fcregistry.cli._output import clean
from fcregistry.cli._parameters import named, options_of, without_option

# Names that no parameter with an option has.
_JSON: Final = " json"
_ARG: Final = " arg"


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
        if isinstance(error, click.NoSuchOption) and error.option_name in _own_options(ctx):
            message = f"{error.option_name} is not the tool's but ours: it stands before {name}"
            raise click.UsageError(message, error.ctx) from error
        raise


def _own_options(ctx: click.Context) -> set[str]:
    return {word for parameter in ctx.command.params for word in parameter.opts}


def _given(ctx: click.Context) -> dict[str, Any] | str:
    values = {
        name: _listed(value)
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    word = values.pop(_JSON, None)
    extra = _extra(values.pop(_ARG, ()), ctx)
    if word is not None and word[:1] not in ("-", "@", "{", "[", '"') and not word[:1].isspace() and word != "":
        flag = next((f"{each.opts[0]} {word}" for each in ctx.command.params if isinstance(each, click.Option)), "")
        raise click.UsageError(f"{word!r} is no JSON object; arguments are given as options, such as {flag}", ctx)
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


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _tool_command(name: str, tool: Tool) -> click.Command:
    text = tool.description
    parameters: list[click.Parameter] = [
        named(click.Argument(["json"], required=False, metavar="[JSON|-|@FILE]"), _JSON),
        *options_of(tool),
        named(click.Option(["--arg", "arg"], multiple=True, metavar="NAME=JSON", help=_arg_help(tool)), _ARG),
    ]
    return click.Command(
        name, params=parameters, help="\b\n" + clean(text).replace("\n\n", "\n\n\b\n") if text else None
    )


def _arg_help(tool: Tool) -> str:
    only = "; ".join(clean(each) for each in without_option(tool))
    return f"Any argument by name; the only way to give {only}." if only else "Any argument by name."


def _json_text(word: str, ctx: click.Context) -> str:
    try:
        if word == "-":
            return sys.stdin.read()
        if word.startswith("@"):
            return Path(word[1:]).read_text(encoding="utf-8")
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
