"""`Format`, tools from definitions, cached definitions, wire names and the encoding of results."""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from fcregistry._tools.tool import keep_rendered, rendered_by_formats
from fcregistry.errors import DefinitionError
from fcregistry.formats._node import Definition, Dropped, TextDefinition

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.formats._profile import OnRecursion, Profile


STRICT_FORMATS: Final = ("anthropic", "bedrock", "openai", "openai-responses")
"""The formats that have a strict mode, for the error message of the others."""


_Rendered: TypeAlias = "Definition | TextDefinition"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderInput:
    """The input of a format's `render`.

    Attributes:
        tool: The tool.
        name: Its wire name.
        text: Its description for the model; may be empty.
        parameters: The schema of its parameters, as the provider accepts it.
        strict: Whether the provider's strict mode is used.
    """

    tool: Tool
    name: str
    text: str
    parameters: dict[str, Any]
    strict: bool

    def named(self, parameters: str) -> dict[str, Any]:
        """Return the name, the description if there is one, and the schema under the key `parameters`."""
        described = {"description": self.text} if self.text else {}
        return {"name": self.name, **described, parameters: self.parameters}


def tool_description(tool: Tool) -> str:
    """Return the description of `tool` for the model, with a notice if the tool is deprecated."""
    deprecated = tool.options.deprecated
    if not deprecated:
        return tool.description
    notice = "Deprecated." if deprecated is True else f"Deprecated: {deprecated}"
    return f"{tool.description}\n\n{notice}".strip()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Format:
    """A wire format or a text format for tools.

    Attributes:
        name: Its name, the argument of `get`.
        source: The specification or provider page that it follows.
        render: Makes the definition of one tool.
        join: Joins the definitions of several tools to the value that is sent; a list by default.
        profile: The schemas that it accepts; None for all of JSON Schema, unchanged.
        strict_profile: The schemas that its strict mode accepts; None if it has no such mode.
        alphabet: The names that it accepts; None for every name that a tool can have.
        fields: The fields of a definition that the provider knows beside those that `render` writes for every tool.
        parse: Reads the calls of a model's message; None if the format has no messages of its own.
        report: Makes the messages with results for the model; None if the format has no messages of its own.
    """

    name: str
    source: str
    render: Callable[[RenderInput], dict[str, Any] | TextDefinition]
    join: Callable[[list[Any]], Any] = list
    profile: Profile | None = None
    strict_profile: Profile | None = None
    alphabet: Alphabet | None = None
    fields: frozenset[str] = frozenset()
    parse: Callable[[Any], list[ToolCall]] | None = None
    report: Callable[[Sequence[ToolResult]], list[dict[str, Any]]] | None = None

    def describe(
        self,
        tools: Iterable[Tool | Mapping[str, Any]],
        *,
        strict: bool = False,
        recursion: OnRecursion = "refuse",
    ) -> Any:
        """Render tools, in the order given.

        Args:
            tools: The tools. Each may also be a definition as a dict, in the shape of OpenAI, Anthropic, Bedrock, MCP, or one function
                of Gemini; one with `strict` is rendered in the strict mode, if the format has one.
            strict: Whether to use the strict mode, in which the provider makes the model follow the schemas.
            recursion: What to do with a type that refers to itself, if the provider does not accept that: `refuse`, or `cut` it off.

        Raises:
            DefinitionError: The format has no strict mode, cannot express a tool, or the tools are too many for one request.
            TypeError: One is not a `Tool` or a definition, but a function or a name, for example.
        """
        self._profile(strict)  # a missing strict mode is reported once, and not for every tool
        rendered, errors = [], []
        for tool in tools:
            try:
                rendered.append(self._render(tool, strict, recursion))
            except DefinitionError as error:
                errors.append(error)
        if errors:
            raise errors[0] if len(errors) == 1 else _combine_errors(errors)
        self._check_limits([schema for _, schema in rendered], strict)
        return self.join([definition for definition, _ in rendered])

    def describe_one(
        self, tool: Tool | Mapping[str, Any], *, strict: bool = False, recursion: OnRecursion = "refuse"
    ) -> Definition | TextDefinition:
        """Render one tool.

        Args:
            tool: The tool, or a definition as a dict, as `describe` takes it.
            strict: Whether to use the strict mode, in which the provider makes the model follow the schema.
            recursion: What to do with a type that refers to itself, if the provider does not accept that: `refuse`, or `cut` it off.

        Raises:
            DefinitionError: The format has no strict mode, or cannot express the tool; the message names every path and the fix.
            TypeError: It is neither a `Tool` nor a definition.
        """
        return self._render(tool, strict, recursion)[0]

    def _render(
        self, given: Tool | Mapping[str, Any], strict: bool, recursion: OnRecursion
    ) -> tuple[_Rendered, dict[str, Any]]:
        """Return the definition of the tool `given` and the schema in it, from the cache if possible.

        A new definition is kept in the tool's cache.

        Raises:
            ValueError: `recursion` has another value.
            TypeError: `given` is neither a tool nor a definition.
            DefinitionError: The format cannot express the tool.
        """
        if recursion not in ("refuse", "cut"):
            raise ValueError(f"recursion is 'refuse' or 'cut', not {recursion!r}")
        tool = tool_of(given)
        for format_, *how, kind, written, dropped in rendered_by_formats(tool):
            if format_ is self and how == [strict, recursion]:
                plain, schema = marshal.loads(written)
                return kind(plain, dropped), schema
        made, schema = self._render_new(tool, strict, recursion)
        plain = str(made) if isinstance(made, TextDefinition) else dict(made)
        with suppress(ValueError):  # not plain JSON, but of types that marshal does not know
            entry = (self, strict, recursion, type(made), marshal.dumps((plain, schema)), made.dropped)
            keep_rendered(tool, entry)
        return made, schema

    def _render_new(self, tool: Tool, strict: bool, recursion: OnRecursion) -> tuple[_Rendered, dict[str, Any]]:
        """Return a new definition of `tool` and the schema in it, without the cache.

        The strict mode is also used if the tool was made from a definition with `strict`.

        Raises:
            DefinitionError: The format cannot express the tool, or has no strict mode; the error lists all problems.
            TypeError: `strict` is not a bool.
        """
        from fcregistry.formats._rewrite import UnsupportedSchemaError, transform  # not needed to read calls

        strict = strict or (self.strict_profile is not None and tool.options.meta.get(STRICT) is True)
        profile, schema = self._profile(strict), tool.parameters
        name = self.alphabet.wire_name(tool.name) if self.alphabet else tool.name
        try:
            parameters, dropped = (schema, ()) if profile is None else transform(schema, profile, recursion)
            made = self.render(
                RenderInput(tool=tool, name=name, text=tool_description(tool), parameters=parameters, strict=strict)
            )
        except UnsupportedSchemaError as error:
            raise self._refusal(tool, strict, error.problems) from None
        except RecursionError:
            raise self._refusal(tool, strict, ("$: is nested too deeply",)) from None
        kept, lost = self._own_fields(tool, strict)
        if isinstance(made, TextDefinition):
            return TextDefinition(made, (*dropped, *made.dropped, *lost)), parameters
        return Definition({**made, **kept}, (*dropped, *lost)), parameters

    def _own_fields(self, tool: Tool, strict: bool) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
        """Return the fields of the definition that `tool` was made from: those to keep; the others as dropped.

        Fields whose values are not JSON are dropped, too. Fields that `tool_of` has read are not among them, except `strict`, which is dropped
        if it is true and the format has no strict mode.
        """
        fields: dict[str, Any] = tool.options.meta.get(FIELDS, {})
        kept = {name: value for name, value in fields.items() if name in self.fields}
        others = {name: value for name, value in fields.items() if name not in kept}
        if tool.options.meta.get(STRICT) is True and not strict:
            others["strict"] = True
        reason = f"the format {self.name!r} has no such field"
        lost = [(name, value, reason) for name, value in others.items()]
        lost += [(name, kind, "its value is not JSON") for name, kind in tool.options.meta.get(NOT_JSON, {}).items()]
        return kept, tuple(
            Dropped(path="definition", keyword=name, value=value, reason=why) for name, value, why in lost
        )

    def _refusal(self, tool: Tool, strict: bool, problems: tuple[str, ...]) -> DefinitionError:
        """Return a `DefinitionError` that says that this format cannot express `tool` because of `problems`."""
        mode = " with strict=True" if strict else ""
        return DefinitionError(f"the tool {tool.id} cannot be described in the format {self.name!r}{mode}:", problems)

    def _check_limits(self, schemas: list[dict[str, Any]], strict: bool) -> None:
        """Check the limits on all schemas of one request together, and return None.

        Raises:
            DefinitionError: The schemas exceed a limit; all that are exceeded are listed.
        """
        from fcregistry.formats._profile import excesses_together  # as above

        profile = self._profile(strict)
        problems = excesses_together(schemas, profile) if profile is not None else []
        if problems:
            headline = f"these tools cannot be described together in the format {self.name!r} with strict=True:"
            raise DefinitionError(headline, tuple(problems))

    def _profile(self, strict: bool) -> Profile | None:
        """Return the profile of the strict or of the usual mode, or None if all of JSON Schema is accepted.

        Raises:
            TypeError: `strict` is not a bool.
            DefinitionError: `strict` is true, and the format has no strict mode.
        """
        if not isinstance(strict, bool):
            raise TypeError(
                f"the strict mode of a format is True or False, not {strict!r:.80}"
                + ('; Registry(strict="error") makes a missing type an error' if strict in ("error", "warn") else "")
            )
        if not strict:
            return self.profile
        if self.strict_profile is None:
            raise DefinitionError(
                f"the format {self.name!r} has no strict mode; these have one: {', '.join(STRICT_FORMATS)}"
            )
        return self.strict_profile


def _combine_errors(errors: list[DefinitionError]) -> DefinitionError:
    """Return one error with a problem for each of `errors`: its first line and its own problems."""
    headlines = [str(error).split("\n", 1)[0].removesuffix(":") for error in errors]
    problems = [f"{headline}: {'; '.join(error.problems)}" for headline, error in zip(headlines, errors, strict=True)]
    return DefinitionError(f"{len(errors)} tools cannot be described:", tuple(problems))


# --- Tools from definitions: dicts in the shape of a provider, as programs write them or other libraries give them ---

STRICT: Final = "fcregistry.strict"
"""The key of `meta` for a definition with `strict`: formats with a strict mode describe its tool in it."""

FIELDS: Final = "fcregistry.fields"
"""The key of `meta` for the fields of a definition that are not part of every definition, such as `cache_control`: a dict."""

NOT_JSON: Final = "fcregistry.not_json"
"""The key of `meta` for the other fields of a definition, whose values are not JSON: a dict of the names of their types."""

_WRAPPERS: Final = ("function", "toolSpec")
"""The keys under which OpenAI's chat and Bedrock put a definition."""

_PARAMETERS: Final = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
"""The names that formats, and Google's SDK in Python, give to the schema of the arguments."""

_KINDS: Final = ("function", "custom")
"""The values of the field `type` of every definition of OpenAI and Anthropic."""


def tools_of(tools: Iterable[Tool | Mapping[str, Any]]) -> list[Tool]:
    """Return `tools`, each a tool or the definition of one, as a list of tools.

    Raises:
        TypeError: One of `tools` is neither a tool nor a definition.
        DefinitionError: The name or schema of a definition is not valid.
    """
    return [tool_of(each) for each in tools]


def tool_of(given: Tool | Mapping[str, Any]) -> Tool:
    """Return `given` if it is a tool, or a tool for the definition `given`.

    A tool for a definition can be described, but not called.

    Args:
        given: A tool; or a definition in the shape of OpenAI (both APIs), Anthropic, Bedrock, MCP, or one function of Gemini.

    Raises:
        TypeError: `given` is neither.
        DefinitionError: The name or schema of the definition is not valid.
    """
    from fcregistry._base.source import external_tool_problem  # not needed to read calls and report results
    from fcregistry._tools.tool import Tool

    if isinstance(given, Tool):
        return given
    body: Any = given
    if isinstance(given, Mapping):
        body = next((given[key] for key in _WRAPPERS if isinstance(given.get(key), Mapping)), given)
    if not isinstance(body, Mapping) or "name" not in body or not body.keys() & {*_PARAMETERS, "description"}:
        raise TypeError(
            external_tool_problem(given)
            or f"{given!r:.80} is not a Tool: Tool.from_function(…) makes one of a function, registry.get(…) returns one by its name, "
            "and a definition as a dict has a name and parameters"
        )
    place = next((key for key in _PARAMETERS if body.get(key) is not None), None)
    schema = None if place is None else body[place]
    if isinstance(schema, Mapping) and isinstance(schema.get("json"), Mapping):  # Bedrock's
        schema = schema["json"]
    fields, not_json = _other_fields(given, body, place)
    return Tool.from_function(
        _refuse_call,
        name=body["name"],
        description=body.get("description") or "",
        parameters={"type": "object", "properties": {}} if schema is None else schema,
        meta={STRICT: body.get("strict") is True, FIELDS: fields, NOT_JSON: not_json},
    )


def _other_fields(
    given: Mapping[str, Any], body: Mapping[str, Any], parameters: str | None
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the fields that not every definition has, without those that are None, as two dicts.

    The first has copies of the values that are JSON; the second has the names of the types of the others.

    Args:
        given: The definition.
        body: The part of it with the name, which may be `given` itself.
        parameters: The name of the schema of its arguments, if it has one.
    """
    read = {"name", "description", "strict", parameters}
    around = {} if body is given else {name: value for name, value in given.items() if value is not body}
    fields: dict[str, Any] = {}
    not_json: dict[str, str] = {}
    for name, value in {**around, **body}.items():
        if value is None or name in read or (name == "type" and isinstance(value, str) and value in _KINDS):
            continue
        try:
            fields[name] = _copied(value)
        except (TypeError, RecursionError):  # the second for a value that contains itself
            not_json[name] = type(value).__name__
    return fields, not_json


def _copied(value: Any) -> Any:
    """Return a copy of a JSON value.

    Raises:
        TypeError: The value is not JSON.
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {name: _copied(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copied(each) for each in value]
    raise TypeError


def _refuse_call(**arguments: Any) -> NoReturn:
    """Raise `TypeError`: the function of a tool that was made from a definition."""
    raise TypeError("a definition can be described to a model, and not called: it has no function")


# --- Wire names ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """The names that a provider accepts.

    Names of tools consist of up to 64 ASCII letters, digits, `_` and `-`.

    A name that is accepted stays as it is. In any other, each character that is not accepted at its place becomes `_xHH_`, its code in
    hexadecimal: `9lives` is `_x39_lives` for Gemini, and `get-weather` is `get_x2d_weather` in Python. No two names become one:

    - In a rewritten name `_x` begins nothing else, since an `x` after `_` is rewritten too; an accepted name with `_xHH_` in it is rewritten
      all the same.
    - A name that becomes too long is cut, and ends in `_xz` and a hash of the whole; an accepted name with such an end is rewritten too.

    Attributes:
        first: A regular expression of the characters that a name may begin with.
        rest: A regular expression of the characters that may follow.
        longest: The most characters of a name; None for any number.
        reserved: Words that cannot be names.
    """

    first: str
    rest: str
    longest: int | None = None
    reserved: frozenset[str] = frozenset()

    def fits(self, name: str) -> bool:
        """Return whether the provider accepts `name` as it is."""
        is_short = self.longest is None or len(name) <= self.longest
        return is_short and name not in self.reserved and bool(re.fullmatch(f"{self.first}{self.rest}*", name))

    def wire_name(self, name: str) -> str:
        """Return the wire name for the tool `name`: always the same, and different for different names."""
        if self.fits(name) and not _LIKE_REWRITTEN.search(name):
            return name
        rewritten = self._rewritten(name)
        if self.longest is None or len(rewritten) <= self.longest:
            return rewritten
        from hashlib import sha256  # rarely needed, and 2 ms

        tail = f"_xz{sha256(name.encode()).hexdigest()[:_HASH]}"
        return rewritten[: self.longest - len(tail)] + tail

    def _rewritten(self, name: str) -> str:
        """Return `name` with `_xHH_` for each character that is not accepted at its place, of any length.

        The first character of a reserved word is rewritten, and so is an `x` after `_`.
        """
        written = ""
        for character in name:
            fits = re.fullmatch(self.rest if written else self.first, character) is not None
            if not written and name in self.reserved:
                fits = False
            written += (
                character if fits and not (character == "x" and written.endswith("_")) else f"_x{ord(character):02x}_"
            )
        return written


_LIKE_REWRITTEN = re.compile(r"_x[0-9a-f]{2}_|_xz[0-9a-f]{10}\Z")
_HASH = 10


# --- Results ---


def call_id(result: ToolResult) -> str:
    """Return the id of the call of `result`, or an empty string if the call has no id."""
    return (result.call.id if result.call else None) or ""


def encode_content(
    result: ToolResult, text: Callable[[str], dict[str, Any]], media: Callable[[Content], dict[str, Any] | None]
) -> list[dict[str, Any]]:
    """Return the parts of `result` in a provider's shape.

    A part that the provider does not accept becomes a text with its media type and size: a model that does not know of an image cannot ask for it
    in another way.

    Args:
        result: A result. Of one that is a value or a failure, nothing is returned.
        text: Returns a text in the provider's shape. Empty texts are left out, because providers refuse them.
        media: Returns another part in the provider's shape, or None if the provider does not accept it.
    """
    from fcregistry._results.content import parts_for_model  # descriptions do without results
    from fcregistry._results.result import returned_content

    encoded = []
    for part in parts_for_model(returned_content(result)):
        shown = None if part.kind == "text" else media(part)
        if shown is None:
            words = str(part)
            shown = text(words) if words else None
        if shown is not None:
            encoded.append(shown)
    return encoded


def json_value_of(result: ToolResult, *, whole: bool = True) -> Any:
    """Return the JSON value that a tool returned as `result`; for content and failures, the text.

    Args:
        result: The result of the tool.
        whole: Whether the value is read from the whole text, and not from the part of it that a model reads.
    """
    from fcregistry._results.result import returned_content  # as above

    if not result.ok or returned_content(result) or (result.dropped and not whole):
        return result.content
    text = result.whole if whole and isinstance(result.whole, str) else result.content
    if isinstance(result.value, str):
        return text
    import json  # only for results that are JSON values

    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # the text was cut, or a hook has replaced it
        return text


def data_url(part: Content) -> str:
    """Return the bytes of `part` as a data URL (RFC 2397)."""
    return f"data:{part.media_type};base64,{base64_of(part)}"


def base64_of(part: Content) -> str:
    """Return the bytes of `part` in base64 (RFC 4648, 4)."""
    from fcregistry._results.content import base64_of as encode  # only for results with bytes

    return encode(part.data)
