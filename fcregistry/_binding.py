"""How does a JSON object become a call of a function, and a call a JSON object?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry._functions import POSITIONAL, POSITIONAL_ONLY, STAR, STAR_STAR
from fcregistry._injection import ContextParameter
from fcregistry.errors import said_by
from fcregistry.types._codec import Refusal
from fcregistry.types._scalars import EncodingError, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fcregistry._parameters import Parameter


class Binding:
    """The way from JSON arguments to those of a function, and back.

    Args:
        parameters: The function's parameters, in order.
        context: The parameter that takes the context of a call, if there is one.
        foreign: Whether the schema was written by others, and may say less than the function needs.

    Attributes:
        by_keyword: Whether every argument is passed by its name.
        hands_through: Whether the Python values are the JSON values.
    """

    def __init__(
        self, parameters: Sequence[Parameter], context: ContextParameter | None = None, *, foreign: bool = False
    ) -> None:
        self._context = context
        self._foreign = foreign
        self._by_name = {each.name: each for each in parameters if each.kind is not STAR_STAR}
        self._extra = next((each for each in parameters if each.kind is STAR_STAR), None)
        self._positional = [each for each in parameters if each.kind in (POSITIONAL_ONLY, POSITIONAL)]
        self._star = next((each for each in parameters if each.kind is STAR), None)
        self._order: list[Parameter | ContextParameter] = list(self._positional)
        if context is not None and context.kind in (POSITIONAL_ONLY, POSITIONAL):
            self._order.insert(context.place, context)
        # By keyword wherever that says the same: only positional-only parameters and `*args` need positions.
        self.by_keyword = self._star is None and all(each.kind is not POSITIONAL_ONLY for each in self._order)
        self._decoders = {each.name: each.codec.decode for each in parameters if not each.codec.plain}
        self.hands_through = not self._decoders and self._extra is None and not foreign

    def decode(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the Python values of valid arguments.

        Raises:
            Refusal: A value that the schema accepts and its type does not.
        """
        if self._foreign:
            self._check_takes(arguments)
        if self.hands_through:
            return dict(arguments)
        decoded = {}
        extra = self._extra
        for name, value in arguments.items():
            decoder = self._decoders.get(name)
            if decoder is None and extra is not None and name not in self._by_name:
                decoder = extra.codec.decode
            try:
                decoded[name] = value if decoder is None else decoder(value)
            except Refusal as refusal:
                raise refusal.at(name) from None
            except RecursionError:
                raise
            except Exception as error:  # foreign code: an extension's codec may raise anything
                raise Refusal(f"cannot be decoded: {type(error).__name__}: {said_by(error)}", (name,)) from error
        return decoded

    def _check_takes(self, arguments: Mapping[str, Any]) -> None:
        for name, value in arguments.items():
            parameter = self._by_name.get(name, self._extra)
            if parameter is None:
                raise Refusal("is not a known name", (name,))
            if parameter.kind is STAR and not isinstance(value, list):
                raise Refusal("must be an array", (name,))
        for each in self._by_name.values():
            if each.required and each.name not in arguments:
                raise Refusal("is required", (each.name,))

    def bind(self, decoded: dict[str, Any], context: Any = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and keyword arguments of the call; `decoded` is left as it is.

        Omitted defaults are filled in where a later positional argument has a value: `inspect.BoundArguments` would move that one
        to the left. A key named like a positional-only or `*` parameter is that parameter, and never reaches `**kwargs`.
        """
        taker = self._context
        if self.by_keyword:
            return (), decoded if taker is None else {**decoded, taker.name: context}
        left = dict(decoded)
        star = left.pop(self._star.name, ()) if self._star is not None else ()
        given = [each for each in self._order if each.kind is POSITIONAL_ONLY or star]
        last = max(
            (place for place, each in enumerate(given) if each is taker or each.name in left or star), default=-1
        )
        positional: list[Any] = []
        for each in given[: last + 1]:
            if isinstance(each, ContextParameter):
                positional.append(context)
            else:
                positional.append(left.pop(each.name) if each.name in left else each.default)
        if taker is not None and taker not in given:
            left[taker.name] = context
        return (*positional, *star), left

    def encode_argument(self, name: str, value: Any) -> Any:
        """Return the JSON value of one argument given from Python, by its parameter's type where it is of it.

        Raises:
            EncodingError: It has no JSON form at all.
        """
        parameter = self._by_name.get(name, self._extra)
        if parameter is None or not parameter.codec.handles(value):
            return to_json(value)  # wrong, and for validation to say so
        try:
            return parameter.codec.encode(value)
        except EncodingError:
            raise
        except Exception as error:  # foreign code: encoding a value reads its properties, which may raise anything
            raise EncodingError(f"{type(error).__name__}: {said_by(error)}") from error

    def encode(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON arguments of a Python call: what a model would have written.

        Raises:
            TypeError: A value that is not of its parameter's type, or a call that the function does not take.
        """
        arguments: dict[str, Any] = {}
        for each, value in zip(self._positional, args, strict=False):
            arguments[each.name] = _encode(each, value)
        rest = args[len(self._positional) :]
        if rest and self._star is None:
            raise TypeError(f"takes {len(self._positional)} positional arguments, not {len(args)}")
        if self._star is not None and rest:
            arguments[self._star.name] = [_encode_item(self._star, value) for value in rest]
        for name, value in kwargs.items():
            target = self._by_name.get(name, self._extra)
            if target is None or name in arguments or target.kind in (POSITIONAL_ONLY, STAR):
                raise TypeError(
                    f"takes no keyword argument {name!r}" if name not in arguments else f"got {name!r} twice"
                )
            arguments[name] = _encode(target, value)
        missing = [each.name for each in self._by_name.values() if each.required and each.name not in arguments]
        if missing:
            raise TypeError(f"needs a value for {', '.join(map(repr, missing))}")
        return arguments


def _encode(parameter: Parameter, value: Any) -> Any:
    if not parameter.codec.handles(value):
        raise TypeError(f"{parameter.name!r} does not take {value!r}")
    return parameter.codec.encode(value)


def _encode_item(star: Parameter, value: Any) -> Any:
    encoded: list[Any] = _encode(star, [value])
    return encoded[0]
