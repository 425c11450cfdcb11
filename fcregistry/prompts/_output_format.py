"""`OutputFormat`: the request for an answer of a Python type, and the reader of that answer.

Fields that the model must not write are removed from the type's schema and from the examples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypedDict, TypeVar, overload

from fcregistry._base.call import Problem
from fcregistry._base.json import with_plain_floats
from fcregistry._base.wording import json_path
from fcregistry._base.yaml import pyyaml, write_yaml
from fcregistry._schema.document import References
from fcregistry._schema.validator import Validator
from fcregistry.errors import DefinitionError, exception_message
from fcregistry.execution import allowed_repairs
from fcregistry.prompts._extract import (
    ITEMS_AS_ARRAY,
    MISSING_QUOTES,
    REPAIRS_OF_ANSWERS,
    FoundValue,
    ParsedAnswer,
    Rejected,
    checked_text,
    choose_value,
    json_values,
    yaml_values,
)
from fcregistry.prompts._template import ANSWER, EXAMPLES, LIST, fill_template
from fcregistry.types import (
    STRING_FORMATS,
    Codec,
    Refusal,
    UnsupportedType,
    codec_of,
    codec_schema,
    show_type,
    to_json_text,
    walk_codecs,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Unpack

    from fcregistry.prompts._extract import ArgumentsField, Found


T = TypeVar("T")
Syntax: TypeAlias = Literal["json", "yaml"]

_READ_AS_TEXT: Final = "the answer was text without quotes: taken as the text that it is"
_READERS: Final = {"json": json_values, "yaml": yaml_values}
# Thoughts come first. Many chat templates write their opening mark, not the model. Thoughts that do not end leave no answer.
_THOUGHTS: Final = re.compile(r"(?!\s*[{\[`])(?:.*?</think>|\s*<think>.*)", re.DOTALL)


class OutputOptions(TypedDict, total=False):
    """The options that `OutputFormat` describes."""

    exclude: Sequence[str]
    syntax: Syntax
    template: str | None
    arguments_field: ArgumentsField
    repairs: bool | Collection[str]


class OutputFormat(Generic[T]):
    """An answer of a Python type: the instructions for a model, and the reader of its answer. Immutable.

    Args:
        type: Any type that a tool's signature can have: a data class, a `TypedDict`, a model of pydantic, a list or a union of these.
        exclude: Fields that the model neither sees nor may write: a name, or `outer.inner`. They need a default.
        examples: Values of the type to show.
        syntax: The syntax that the model is to write: `json` or `yaml`. The latter needs the extra `fcregistry[yaml]`.
        template: The text of the instructions, with the placeholders `$schema` and, if there are examples, `$examples`.
        arguments_field: The field that holds a call's arguments, if the type is a tool call and names it something other than `arguments`:
            `kwargs`, say. A list in it is arguments by position. `("args", "kwargs")` names the field of arguments by position, and that of
            arguments by name. `ToolPrompt.parse` reads the calls by it.
        repairs: Which mistakes in an answer are repaired: True for all that have one meaning, False for none, or the names of some.

    Raises:
        DefinitionError: The type has no JSON form, a field cannot be left out, there is no such `arguments_field`, an example is not of the
            type, or the template is wrong.
        ValueError: `repairs` names one that does not exist.
    """

    @overload
    def __init__(
        self: OutputFormat[T], type: type[T], *, examples: Sequence[T] = (), **options: Unpack[OutputOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: OutputFormat[Any], type: Any, *, examples: Sequence[Any] = (), **options: Unpack[OutputOptions]
    ) -> None: ...
    def __init__(
        self,
        type: Any,
        *,
        exclude: Sequence[str] = (),
        examples: Sequence[Any] = (),
        syntax: Syntax = "json",
        template: str | None = None,
        arguments_field: ArgumentsField = None,
        repairs: bool | Collection[str] = True,
    ) -> None:
        if syntax not in _READERS:
            raise DefinitionError(f"the syntax of an answer is 'json' or 'yaml', not {syntax!r}")
        if syntax == "yaml":
            pyyaml()  # raises now if it is missing, and not at the first answer
        self._annotation, self._syntax = type, syntax
        if (problem := _reason_not_a_type(type)) is not None:
            raise self._refusal([problem])
        self._exclude = (exclude,) if isinstance(exclude, str) else tuple(exclude)
        self._arguments_field = arguments_field
        self._repairs = allowed_repairs(repairs, REPAIRS_OF_ANSWERS)
        self._codec, self._schema = self._read_type()
        self._exact = any(each.exact for each in walk_codecs([self._codec]))
        self._validator = Validator(self._schema, STRING_FORMATS)
        fillings = {"schema": self._text_of(self._schema)}
        if shown := self._examples(examples):
            blocks = (f"```{syntax}\n{self._text_of(value)}\n```" for value in shown)
            fillings["examples"] = "\n\n".join(blocks)
        own = [ANSWER[syntax], *([LIST] if self._codec.kinds == {"array"} else []), *([EXAMPLES] if shown else [])]
        self._template = "\n\n".join(own) if template is None else template
        self._instructions = fill_template(self._template, fillings)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of what the model may write. A copy."""
        return deepcopy(self._schema)

    @property
    def template(self) -> str:
        """The text of the instructions with placeholders: a start for writing another template."""
        return self._template

    @property
    def arguments_field(self) -> ArgumentsField:
        """The field that holds a call's arguments, or the two fields; None if it is `arguments`."""
        return self._arguments_field

    def instructions(self) -> str:
        """Return the instructions for the model: the same text each time."""
        return self._instructions

    def read(self, text: str) -> ParsedAnswer[T]:
        """Read an answer. What is wrong with it is in the reading, worded for the model.

        Prose and code blocks around the answer are skipped, and so are thoughts before it that end with `</think>`. JSON with a slip that leaves
        one meaning is corrected, and `repairs` says so: a choice or a date, say, may lack its quotes. JSON that is cut off is refused, and
        nothing is guessed.

        Args:
            text: What the model wrote.

        Raises:
            TypeError: It is not text.
        """
        thoughts = _THOUGHTS.match(checked_text(text))
        answer = text[thoughts.end() :] if thoughts else text
        found = _READERS[self._syntax](answer, self._exact, self._repairs) or self._unquoted_string(answer.strip())
        takes_items = self._codec.kinds == {"array"} and ITEMS_AS_ARRAY in self._repairs
        chosen = choose_value(
            found, self._problems, answer=answer.strip(), syntax=self._syntax, takes_items=takes_items
        )
        if isinstance(chosen, Rejected):
            return ParsedAnswer(problems=(Problem("$", chosen.reason),))
        repairs = tuple(sorted(chosen.repairs))
        if problems := self._problems(chosen.value):
            return ParsedAnswer(problems=problems, repairs=repairs)
        try:
            return ParsedAnswer(value=self._codec.decode(chosen.value), repairs=repairs)
        except Refusal as refusal:
            problem = Problem(json_path(refusal.path), refusal.reason)
        except Exception as error:  # noqa: BLE001  # external code: an extension's codec may raise anything
            problem = Problem("$", f"cannot be decoded: {error.__class__.__name__}: {exception_message(error)}")
        return ParsedAnswer(problems=(problem,), repairs=repairs)

    def parse(self, text: str) -> T:
        """Return the value of an answer; see `read`.

        Args:
            text: What the model wrote.

        Raises:
            OutputError: It does not have the form that was asked for; the text of the error can be sent back to the model.
        """
        return self.read(text).unwrap()

    def _unquoted_string(self, text: str) -> list[Found]:
        """Return a list with `text` as a string, a `FoundValue`, if that is valid; an empty list otherwise.

        The list is empty, too, if `text` is empty, the type also takes objects or arrays, or this repair is not made.
        """
        kinds = self._codec.kinds if MISSING_QUOTES in self._repairs else frozenset()
        is_text = "string" in kinds and kinds.isdisjoint(("object", "array"))
        return [FoundValue(text, (_READ_AS_TEXT,))] if text and is_text and not self._problems(text) else []

    def _problems(self, value: Any) -> tuple[Problem, ...]:
        """Return the problems of the JSON value `value` with the schema, sorted by path; empty if it is valid."""
        return self._validator.problems(with_plain_floats(value) if self._exact else value)

    def _read_type(self) -> tuple[Codec, dict[str, Any]]:
        """Return the codec of the type, and the schema of what the model may write.

        Raises:
            DefinitionError: The type has no JSON form, a field cannot be left out, or there is no such `arguments_field`.
        """
        problems: list[str] = []
        try:
            codec = codec_of(self._annotation)
            schema = schema_without(codec_schema(codec), self._exclude, problems)
            records = list(_outermost_records(schema, References(schema)))
            given = self._arguments_field or ()
            named = (given,) if isinstance(given, str) else given
            missing = [field for field in named if not any(field in record["properties"] for record in records)]
            problems += [_no_field(records, field, "arguments_field") for field in missing]
        except UnsupportedType as error:
            raise self._refusal(error.problems) from None
        if problems:
            raise self._refusal(problems)
        return codec, schema

    def _examples(self, examples: Sequence[Any]) -> list[Any]:
        """Return `examples` as JSON values without the fields that the model must not write.

        Raises:
            DefinitionError: An example is not of the type, has no JSON form, or does not fit the schema; lists all such.
        """
        problems: list[str] = []
        written = []
        for place, value in enumerate(examples):
            try:
                if not self._codec.handles(value):
                    shown = show_type(value.__class__)
                    problems.append(f"examples[{place}] is of the Python type {shown}, or holds what does not fit")
                    continue
                whole, left = codec_schema(self._codec), self._schema
                encoded = self._codec.encode(value)
                written.append(_prune(encoded, (whole, References(whole)), (left, References(left))))
                problems += [f"examples[{place}]: {problem}" for problem in self._problems(written[-1])]
            except Exception as error:  # noqa: BLE001  # external code: encoding a value reads its properties, which may raise anything
                problems.append(f"examples[{place}] has no JSON form: {exception_message(error)}")
        if problems:
            raise self._refusal(problems)
        return written

    def _text_of(self, value: Any) -> str:
        """Return the JSON value `value` as text in the syntax of the answer."""
        return to_json_text(value) if self._syntax == "json" else write_yaml(value).rstrip("\n")

    def _refusal(self, problems: Sequence[str]) -> DefinitionError:
        """Return a `DefinitionError`: the type cannot be an output format because of `problems`."""
        return DefinitionError(f"{show_type(self._annotation)} cannot be an output format:", tuple(problems))

    def __repr__(self) -> str:
        return f"<OutputFormat {show_type(self._annotation)}>"


# --- Removing fields from a schema and from a value ---


def schema_without(schema: dict[str, Any], paths: Sequence[str], problems: list[str]) -> dict[str, Any]:
    """Return a copy of `schema` without the fields `paths`.

    If the same record is in several places of the schema, the field is removed from all of them.

    Args:
        schema: The schema of a record, or of a list or a union of records.
        paths: The fields: a name, or `outer.inner`.
        problems: Receives the fields that cannot be removed, with the reason.
    """
    left = deepcopy(schema)
    references = References(left)
    for path in paths:
        *outer, name = path.split(".")
        records = list(_outermost_records(left, references))
        for segment in outer:
            inner = [record["properties"][segment] for record in records if segment in record["properties"]]
            records = [record for each in inner for record in _outermost_records(each, references)]
        holders = [record for record in records if name in record["properties"]]
        if not holders:
            problems.append(_no_field(records, path, "exclude"))
        for record in holders:
            if name in record.get("required", ()):
                problems.append(f"exclude: the field {path!r} has no default, so that no value can be made without it")
            del record["properties"][name]
    return left


def _no_field(records: Sequence[dict[str, Any]], name: str, option: str) -> str:
    """Return the message that no schema of `records` has a field `name`; it lists the fields they have.

    `option` is the option of `OutputFormat` that names the field.
    """
    known = sorted({field for record in records for field in record["properties"]})
    there = f"the fields there are {', '.join(known)}" if known else "there are no fields"
    return f"{option}: there is no field {name!r}; {there}"


def _prune(value: Any, whole: tuple[Any, References], left: tuple[Any, References]) -> Any:
    """Return `value` without the fields that were removed from its schema, at all levels.

    `value` itself is not changed.

    Args:
        value: A JSON value, or a part of one.
        whole: Its schema, and the references of the whole schema.
        left: The same without the removed fields.
    """
    (schema, root), (rest, rest_root) = whole, left
    if reference := schema.get("$ref"):
        return _prune(value, (root.target(reference), root), (rest_root.target(reference), rest_root))
    for keyword in ("anyOf", "oneOf"):
        for one, other in zip(schema.get(keyword, ()), rest.get(keyword, ()), strict=True):
            value = _prune(value, (one, root), (other, rest_root))
    if isinstance(value, list):
        return [_prune(item, (one, root), (other, rest_root)) for item, one, other in _items(value, schema, rest)]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    known, kept = schema["properties"], rest["properties"]
    return {
        name: _prune(item, (known[name], root), (kept[name], rest_root)) if name in kept else item
        for name, item in value.items()
        if name in kept or name not in known
    }


def _items(value: list[Any], schema: dict[str, Any], rest: dict[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield a tuple for each item of the array `value`: the item, and its schema before and after removal.

    The schema of an item that has none is empty.

    Args:
        value: The array.
        schema: Its schema before fields were removed.
        rest: Its schema after fields were removed.
    """
    first, first_left = schema.get("prefixItems", ()), rest.get("prefixItems", ())
    others = (schema.get("items"), rest.get("items"))
    for place, item in enumerate(value):
        one, other = (first[place], first_left[place]) if place < len(first) else others
        yield item, one if isinstance(one, dict) else {}, other if isinstance(other, dict) else {}


def _outermost_records(schema: Any, references: References) -> Iterator[dict[str, Any]]:
    """Yield the schemas of the outermost records in `schema`: objects with `properties`, each once.

    They may be in lists, unions and references, but not in other records. `references` are those of the whole schema.
    """
    seen: list[int] = []
    stack = [schema]
    while stack:
        each = stack.pop()
        if not isinstance(each, dict) or id(each) in seen:
            continue
        seen.append(id(each))
        if "properties" in each:
            yield each
            continue
        if reference := each.get("$ref"):
            stack.append(references.target(reference))
        inner = [each.get("items"), *each.get("prefixItems", ()), *each.get("anyOf", ()), *each.get("oneOf", ())]
        stack += inner[::-1]


def _reason_not_a_type(given: object) -> str | None:
    """Return what to pass in place of `given`, if that is a schema or an instance; None if it may be a type."""
    if isinstance(given, Mapping):
        return "it is a mapping; pass a Python type, such as a TypedDict or a dataclass, and not a JSON Schema"
    if is_dataclass(given) and not isinstance(given, type):
        return f"it is an instance; pass the class, {type(given).__name__}"
    return None
