"""What is the Python value of what was written, for a function that may be called while the expression is read?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.expressions._encoding import Encoder, Unwritable
from fcregistry.expressions._placeholders import Items, Made, Member, Result
from fcregistry.types import Refusal

if TYPE_CHECKING:
    from enum import Enum

    from fcregistry.expressions._types import TypeNames


class Maker:
    """Makes the values that stand in the arguments of such a function: only there, instances of the types that are named.

    Args:
        types: The types that may be named.
    """

    __slots__ = ("_types",)

    def __init__(self, types: TypeNames) -> None:
        self._types = types

    def python(self, value: Any) -> Any:
        """Return the Python value of what was written, for a function that takes it.

        Raises:
            Unwritable: It has none yet.
        """
        if isinstance(value, Result):
            raise Unwritable(f"the result of {value.name} is not known yet; pass it to a tool", ())
        if isinstance(value, Member):
            return self._enum_member(value)
        if isinstance(value, Made):
            return self._instance(value)
        if isinstance(value, Items):
            return [self.python(each) for each in value]
        if type(value) in (list, tuple):
            return type(value)([self.python(each) for each in value])
        if type(value) is dict:
            return {self.python(key): self.python(each) for key, each in value.items()}
        return value

    def _enum_member(self, member: Member) -> Enum:
        cls = self._types.enum(member.type)
        assert cls is not None  # it was looked up when it was read
        return cls[member.name]

    def _instance(self, made: Made) -> Any:
        codec = self._types.codec(made.name)
        assert codec is not None  # it was looked up when it was read
        encoder = Encoder(self._types)
        json = encoder.json(made, codec, ())
        if encoder.references:
            raise Unwritable("the result of a tool is not known yet; pass it to a tool", (), made.node)
        if not codec.accepts(json):
            raise Unwritable(f"these are no values of a {made.name}", (), made.node)
        try:
            return codec.decode(json)
        except Refusal as refusal:
            raise Unwritable(refusal.reason, (), made.node) from None
