"""Encodes the values of an expression as JSON, by the codecs of the places where they are written.

No instance of a type is made for a tool's arguments. `python_value` makes instances only for the arguments of a function that is called
while the expression is read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.source import signature_of
from fcregistry.expressions._names import TypeNames, codecs_of_kind, entry_codecs
from fcregistry.expressions._nodes import RESULT_KEY, CallResult, Reference, SetItems, TypeCall, ValueProblem, is_known
from fcregistry.types import (
    ANY_CODEC,
    MISSING,
    AliasCodec,
    Codec,
    DictCodec,
    EncodingError,
    ListCodec,
    RecordCodec,
    Refusal,
    TupleCodec,
    encode_as,
    to_json_text,
)

if TYPE_CHECKING:
    Path = tuple[str | int, ...]

# --- Encoding the arguments of a call ---


class Encoder:
    """Encodes the arguments of one call.

    Args:
        types: The types that they may name.

    Attributes:
        references: The places that results of other calls fill, as they are found.
    """

    def __init__(self, types: TypeNames) -> None:
        self._types = types
        self.references: list[Reference] = []

    def json(self, value: Any, codec: Codec, path: Path) -> Any:
        """Return the JSON value of `value`, and add the places of results in it to `references`.

        Args:
            value: A value that was read, which may contain placeholders.
            codec: The codec of its place.
            path: The place.

        Raises:
            ValueProblem: It has no JSON form there.
        """
        if isinstance(value, CallResult):
            self.references.append(Reference(path=path, call=value.call, codec=codec))
            return {RESULT_KEY: value.call}
        if isinstance(value, TypeCall):
            return self._type_call(value, codec, path)
        if is_known(value) and (type(value) not in _CONTAINERS or _codec_handles(codec, value)):
            try:
                return encode_value(value, codec)
            except EncodingError as error:
                raise ValueProblem(str(error), path) from None
        if type(value) is dict:
            return self._object(value, codec, path)
        return self._array(value, codec, path)

    def _array(self, values: Any, codec: Codec, path: Path) -> list[Any]:
        """Return the JSON array of a list, a tuple or a set.

        The items of a set are sorted by their JSON text, and equal ones become one, unless `references` has any.

        Raises:
            ValueProblem: An item has no JSON form.
        """
        item_at = item_codecs(codec)
        array = [self.json(value, item_at(place), (*path, place)) for place, value in enumerate(values)]
        if type(values) not in (SetItems, set) or self.references:
            return array
        by_text = {to_json_text(each): each for each in array}  # as the codec of a set writes them
        return [by_text[text] for text in sorted(by_text)]

    def _object(self, values: dict[Any, Any], codec: Codec, path: Path) -> dict[str, Any]:
        """Return the JSON object of the dict `values`.

        Raises:
            ValueProblem: Two keys are the same text, a key cannot be one in JSON, or a value has no JSON form.
        """
        written: dict[str, Any] = {}
        mapping, entry_codec = entry_codecs(codec)
        for key, value in values.items():
            name = self._key(key, mapping, path)
            if name in written:
                raise ValueProblem(f"the name {name!r} occurs twice in one dict", path)
            written[name] = self.json(value, entry_codec(name), (*path, name))
        return written

    def _key(self, key: Any, mapping: DictCodec | None, path: Path) -> str:
        """Return the text of a dict's key; `mapping` is the codec of the dict, or None if it is not known.

        Raises:
            ValueProblem: It cannot be a key in JSON; the problem is at `path`.
        """
        if isinstance(key, TypeCall):
            key = self.json(key, ANY_CODEC, path)
        elif mapping is not None and mapping.key.handles(key):
            return str(mapping.key.encode(key))
        try:
            return key_in_json(key)
        except EncodingError:
            raise ValueProblem("the keys of a dict are texts or numbers", path) from None

    def _type_call(self, made: TypeCall, expected: Codec, path: Path) -> Any:
        """Return the JSON value of a call of a type, such as `Point(x=1, y=2)`.

        It is an object for a record, and for any other type the JSON value of the one argument.

        Args:
            made: The call.
            expected: The codec of its place.
            path: The place.

        Raises:
            ValueProblem: The call has wrong arguments, or a value has no JSON form.
        """
        codec = self._types.codec(made.name, expected)
        assert codec is not None  # it was looked up when it was read
        core = codec.core
        if isinstance(core, RecordCodec):
            return self._record(made, core, path)
        if len(made.args) != 1 or made.kwargs:
            raise ValueProblem(f"{made.name} takes one value, by position", path, made.node)
        return self.json(made.args[0], core.inner if isinstance(core, AliasCodec) else ANY_CODEC, path)

    def _record(self, made: TypeCall, record: RecordCodec, path: Path) -> dict[str, Any]:
        """Return the JSON object of `made`, a call of a record type, by the codecs of the record's fields.

        Constants are added. Missing fields stay missing and unknown ones are kept: validation judges both. No code of the record's class runs.

        Raises:
            ValueProblem: There are too many positional arguments, a field is given twice, or a value has no JSON form.
        """
        given = dict(zip(_positional_fields(record, made, path), made.args, strict=False))
        for name, value in made.kwargs.items():
            if name in given:
                raise ValueProblem(f"{made.name} is given {name!r} twice", path, made.node)
            given[name] = value
        fields = {each.name: each for each in record.fields if each.constant is MISSING}
        others = record.extra_codec or ANY_CODEC
        written: dict[str, Any] = {each.key: each.constant for each in record.fields if each.constant is not MISSING}
        for name, value in given.items():
            field = fields.get(name)
            key = name if field is None else field.key
            written[key] = self.json(value, others if field is None else field.codec, (*path, key))
        return written


_CONTAINERS: Final = frozenset({list, tuple, set, dict})
"""Types that are encoded item by item if the value is not of the expected type: one of its items may be."""


def _codec_handles(codec: Codec, value: Any) -> bool:
    """Return whether `codec` handles `value`; False if its code raises any exception."""
    try:
        return codec.handles(value)
    except Exception:  # noqa: BLE001  # external code: an extension's codec may raise anything
        return False


def item_codecs(codec: Codec) -> Callable[[int], Codec]:
    """Return a function from the position of an array's item to the item's codec."""
    for sequence in codecs_of_kind(codec, ListCodec):
        item: Codec = sequence.item
        return lambda place: item
    for row in codecs_of_kind(codec, TupleCodec):
        items = tuple(row.children())
        return lambda place: items[place] if place < len(items) else ANY_CODEC
    return lambda place: ANY_CODEC


def _positional_fields(record: RecordCodec, made: TypeCall, path: Path) -> list[str]:
    """Return the names of the fields that positional arguments may fill, in order.

    Return an empty list without positional arguments.

    Raises:
        ValueProblem: There are more positional arguments than such fields.
    """
    if not made.args:
        return []
    import inspect  # 11 ms, which only positional fields cost

    names = [each.name for each in record.fields if each.constant is MISSING]
    try:
        parameters = signature_of(record.cls).parameters.values()
    except (TypeError, ValueError):
        pass  # a class of an extension, without a signature
    else:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [each.name for each in parameters if each.kind in kinds and each.name in names]
    if len(made.args) > len(names):
        takes = f"takes {len(names)} values by position" if names else "takes its fields by name"
        example = ", ".join(f"{each.name}=…" for each in record.fields if each.constant is MISSING)
        raise ValueProblem(f"{made.name} {takes}, not {len(made.args)}; write {made.name}({example})", path, made.node)
    return names


def encode_value(value: Any, codec: Codec) -> Any:
    """Return the JSON value of a Python value.

    A value of the codec's type is encoded by the codec, any other value by its own type, for validation to judge.

    Raises:
        EncodingError: It has no JSON form, or it contains bytes where no bytes are expected.
    """
    if has_unexpected_bytes(value, codec):
        raise EncodingError("bytes can be written only for a parameter of the type bytes; write a text")
    return encode_as(value, codec)


def has_unexpected_bytes(value: Any, codec: Codec) -> bool:
    """Return whether a value contains bytes in a place that is not declared for them.

    Such a place would get their base64 text, and its function could not know that.
    """
    kind = type(value)
    if kind in (bytes, bytearray):
        return codec.core is ANY_CODEC or not _codec_handles(codec, value)
    if kind is dict:
        mapping, entry_codec = entry_codecs(codec)
        key_codec = ANY_CODEC if mapping is None else mapping.key
        return any(
            has_unexpected_bytes(key, key_codec) or has_unexpected_bytes(each, entry_codec(key))
            for key, each in value.items()
        )
    if kind in _CONTAINERS:
        item_at = item_codecs(codec)
        return any(has_unexpected_bytes(each, item_at(place)) for place, each in enumerate(value))
    return False


def key_in_json(key: Any) -> str:
    """Return the text that `key`, the key of a dict, becomes in JSON.

    Raises:
        EncodingError: It cannot be a key there.
    """
    return key if isinstance(key, str) else str(next(iter(encode_value({key: None}, ANY_CODEC))))


# --- Values for a function that is called while the expression is read ---


def python_value(value: Any, types: TypeNames) -> Any:
    """Return the Python value of `value`, for a function that is called at once.

    Args:
        value: A value that was read, which may contain placeholders.
        types: The types that may be named.

    Raises:
        ValueProblem: It contains the result of a call, which is not known yet.
    """
    if isinstance(value, CallResult):
        raise ValueProblem(f"the result of {value.name} is not known yet; pass it to a tool")
    if isinstance(value, TypeCall):
        return _instance(value, types)
    if isinstance(value, SetItems):
        return [python_value(each, types) for each in value]
    if type(value) in (list, tuple):
        return type(value)([python_value(each, types) for each in value])
    if type(value) is dict:
        return {python_value(key, types): python_value(each, types) for key, each in value.items()}
    return value


def _instance(made: TypeCall, types: TypeNames) -> Any:
    """Return the Python instance that `made`, a call of a type, makes.

    Raises:
        ValueProblem: The type refuses its arguments, or an argument is the result of a call, which is not known yet.
    """
    codec = types.codec(made.name)
    assert codec is not None  # it was looked up when it was read
    encoder = Encoder(types)
    json = encoder.json(made, codec, ())
    if encoder.references:
        raise ValueProblem("the result of a tool is not known yet; pass it to a tool", node=made.node)
    if not codec.accepts(json):
        raise ValueProblem(f"these values do not make a {made.name}", node=made.node)
    try:
        return codec.decode(json)
    except Refusal as refusal:
        raise ValueProblem(refusal.reason, node=made.node) from None


# --- Large sets and dicts ---

MOST_HASHED: Final = 1_000
"""The most items that are not texts: numbers can be chosen so that Python compares each of them with each."""


def has_too_many_items(nodes: Sequence[ast.expr | None]) -> bool:
    """Return whether there are so many keys or items that hashing them could take long.

    Texts do not count: only numbers can be chosen so that it does.
    """
    return len(nodes) > MOST_HASHED and not all(
        isinstance(each, ast.Constant) and isinstance(each.value, str) for each in nodes
    )
