"""Names for types: NewTypes, aliases, type variables, `Self`, qualifiers, and names in texts.

Sources: PEP 484, 591, 655, 673, 695, 696, 705 and 728. A name that `typing` has only on newer Pythons is in typing-extensions too, on some
Pythons as a different object: both are known here.
"""

from __future__ import annotations

import sys
import typing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Union, get_args

import typing_extensions

from fcregistry._base.json import JSON_KINDS
from fcregistry.types._codec import Codec, Named, UnsupportedType, Wrapper, origin_of, show_type, walk_codecs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry.types._codec import Reader


def _in_either_typing(name: str) -> tuple[Any, ...]:
    """Return the objects called `name` in typing and typing-extensions: one, two if they differ, or none."""
    found = [getattr(module, name) for module in (typing, typing_extensions) if hasattr(module, name)]
    return tuple({id(each): each for each in found}.values())


READ_ONLY: Final = _in_either_typing("ReadOnly")
REQUIRED: Final = _in_either_typing("Required")
NOT_REQUIRED: Final = _in_either_typing("NotRequired")
_QUALIFIERS: Final = (*READ_ONLY, *REQUIRED, *NOT_REQUIRED, *_in_either_typing("Final"), *_in_either_typing("ClassVar"))
_SELF: Final = _in_either_typing("Self")
_NEW_TYPES: Final = _in_either_typing("NewType")
_ALIASES: Final = _in_either_typing("TypeAliasType")
_VARIABLES: Final = _in_either_typing("TypeVar")
_UNPACK: Final = _in_either_typing("Unpack")
_LITERALS: Final = _in_either_typing("Literal")


def read_names(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of the type that a name, such as a NewType, means; None for other annotations."""
    kind = type(annotation)
    origin = origin_of(annotation)
    if kind in _NEW_TYPES:
        return reader.read(annotation.__supertype__)
    if origin in _QUALIFIERS:
        return reader.read(get_args(annotation)[0])
    if kind in _ALIASES or type(origin) in _ALIASES:
        return _read_alias(annotation, reader)
    if kind in _VARIABLES:
        return reader.read(_variable_substitute(annotation))
    if annotation in _SELF:
        if reader.owner is None:
            raise UnsupportedType("Self means no class here; write the class itself")
        return reader.read(reader.owner)
    return None


def _read_alias(annotation: Any, reader: Reader) -> Codec:
    """Return the codec of the type that an alias names; an `AliasCodec` if that type refers to the alias.

    It comes from the reader's cache if the alias was read before or is being read.

    Raises:
        UnsupportedType: The alias cannot be evaluated, or its type has no JSON form.
    """
    known = reader.known(annotation)
    if known is not None:
        if isinstance(known, AliasCodec):
            known.referred = True
        return known
    alias = origin_of(annotation) or annotation
    value = substitute(_alias_value(alias, reader), arguments_of(annotation, alias))
    codec = AliasCodec(show_type(annotation), alias.__module__)
    reader.learn(annotation, codec)
    inner = reader.read_in(value, annotation)
    if not codec.referred:
        reader.forget(annotation)
        return inner
    codec.fill(inner)
    reader.check_later(codec.check)  # when the types that it refers to are read too
    return codec


def _alias_value(alias: Any, reader: Reader) -> Any:
    """Return the type that `alias` names, with types in place of its texts.

    Raises:
        UnsupportedType: It cannot be evaluated.
        RecursionError: Evaluating it raised this.
    """
    try:
        value = alias.__value__  # a `type` statement evaluates it now
        if not holds_text(value):
            return value
        module = sys.modules.get(alias.__module__)
        return resolve_texts(value, {alias.__name__: alias, **(vars(module) if module else {})}, reader.scope)
    except RecursionError:
        raise
    except Exception as error:  # evaluating an author's annotations may raise anything
        raise UnsupportedType(
            f"the alias {alias.__name__} cannot be resolved: {type(error).__name__}: {error}"
        ) from error


def _variable_substitute(variable: Any) -> Any:
    """Return the type that is read in place of a type variable without an argument.

    It is the variable's default, or its bound, or the union of its constraints with bytes last, or else Any.
    """
    has_default = getattr(variable, "has_default", None)
    if has_default is not None and has_default():
        return variable.__default__
    if variable.__bound__ is not None:
        return variable.__bound__
    if variable.__constraints__:  # as a union, without bytes first: every text of an `AnyStr` is a str
        return Union[tuple(sorted(variable.__constraints__, key=lambda each: each is bytes))]  # noqa: UP007  # of any number of types
    return Any


class AliasCodec(Named, Wrapper):
    """A name for a type that refers to itself, such as `type Json = … | list[Json]`.

    Args:
        shown: The name as its author writes it.
        module: The module that defines it.
    """

    kinds: frozenset[str] = JSON_KINDS
    hashable = False

    def __init__(self, shown: str, module: str) -> None:
        self._shown = shown
        self._module = module
        self.inner: Codec = self  # until `fill` sets it, since the type may refer to this alias
        self.referred = False

    def fill(self, inner: Codec) -> None:
        """Set the codec of the type that this alias names."""
        self.inner = inner
        self.kinds = inner.kinds

    def check(self) -> None:
        """Check that a type such as a list is between this alias and itself.

        Raises:
            UnsupportedType: There is none.
        """
        if any(each is self for each in walk_codecs([self.inner], same=True)):
            raise UnsupportedType(f"{self.title} refers to itself directly; put a list or a record between")

    @property
    def title(self) -> str:
        return self._shown

    @property
    def full_name(self) -> str:
        return f"{self._module}.{self._shown}"

    @property
    def core(self) -> Codec:
        return self if self.inner is self else self.inner.core


# --- Annotations with texts, and type variables ---


def holds_text(annotation: Any) -> bool:
    """Return whether an annotation is a text, or has one inside that names a type, as in `list["Node"]`."""
    if type(annotation) is type:  # the most common case
        return False
    if isinstance(annotation, (str, typing.ForwardRef)):
        return True
    arguments = getattr(annotation, "__args__", None)
    if not arguments or not isinstance(arguments, tuple):
        return False
    return any(map(holds_text, arguments)) and origin_of(annotation) not in _LITERALS


def resolve_texts(annotation: Any, names: dict[str, Any], scope: Mapping[str, Any]) -> Any:
    """Return an annotation with types in place of its texts.

    Args:
        annotation: A text, or a type with texts inside.
        names: The names of the module in which it is written.
        scope: Further names where it is written, such as the locals of a function.
    """
    holder = SimpleNamespace(__annotations__={"it": annotation})
    return typing.get_type_hints(holder, names, dict(scope), include_extras=True)["it"]


def type_parameters(source: Any) -> dict[str, Any]:
    """Return the type variables that a class or function declares in brackets (PEP 695), by name.

    Texts may use these names.
    """
    return {each.__name__: each for each in getattr(source, "__type_params__", ())}


def substitute(annotation: Any, arguments: Mapping[Any, Any]) -> Any:
    """Return `annotation` with the types of `arguments` in place of its type variables.

    Args:
        annotation: A type.
        arguments: Type variable -> type. A variable that is not among them stays.
    """
    if type(annotation) in _VARIABLES:
        return arguments.get(annotation, annotation)
    variables = getattr(annotation, "__parameters__", None)
    if not variables or not isinstance(variables, tuple) or isinstance(annotation, type):
        return annotation
    return annotation[tuple(arguments.get(each, each) for each in variables)]


def arguments_of(annotation: Any, origin: Any) -> dict[Any, Any]:
    """Return the arguments of a generic's type variables, and of those of its base classes.

    Args:
        annotation: A type such as `Page[int]`, or a class that derives from one.
        origin: The class or alias itself.
    """
    variables = getattr(origin, "__type_params__", None) or getattr(origin, "__parameters__", None)
    arguments = dict(zip(variables, get_args(annotation), strict=False)) if variables else {}
    for base in getattr(origin, "__orig_bases__", ()):
        above = origin_of(base)
        if above is not None and isinstance(above, type):
            inherited = arguments_of(base, above)
            arguments = {**{each: substitute(given, arguments) for each, given in inherited.items()}, **arguments}
    return arguments


def unpacked_typed_dict(annotation: Any) -> Any | None:
    """Return the TypedDict inside `Unpack[…]` (PEP 692), or None for other annotations."""
    return get_args(annotation)[0] if origin_of(annotation) in _UNPACK else None
