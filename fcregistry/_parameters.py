"""What does a function say of its parameters and its result: by signature, annotations and docstring?"""

from __future__ import annotations

import builtins
import inspect
import sys
import warnings
from collections import Counter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from typing_extensions import is_typeddict

from fcregistry._base.annotations import Unresolved, annotations_of, signature_of
from fcregistry._base.docstrings import NOTHING_SAID, Documentation, type_named
from fcregistry._base.source import underlying
from fcregistry._functions import EMPTY, KEYWORD_ONLY, STAR, STAR_STAR, RawParameter, raw_parameters
from fcregistry._injection import ContextParameter, context_parameter
from fcregistry.errors import DefinitionWarning
from fcregistry.types._codec import Codec, UnsupportedType, show_type
from fcregistry.types._containers import ListCodec
from fcregistry.types._names import holds_text, resolved, type_parameters, unpacked
from fcregistry.types._records import RecordCodec
from fcregistry.types._scalars import ANY
from fcregistry.types._table import reader as type_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry.types._reader import TypeReader


class Parameter(NamedTuple):
    """One parameter of a tool: what a model sees of it, and how it is passed."""

    name: str
    kind: Any
    codec: Codec
    default: Any
    description: str
    required: bool


class ParameterReader:
    """Reads one function's annotations, gathering what is wrong with them.

    Args:
        function: The callable.
        source: The function behind it.
        names: Locals of the enclosing function that its string annotations name.
        documentation: What its docstring says.

    Attributes:
        problems: What has no JSON form.
        doubts: What has a type that says nothing.
        remarks: What else its author should know.
        context: The parameter that takes the context of a call, once the parameters are read.
    """

    def __init__(
        self, function: Callable[..., Any], source: Any, names: Mapping[str, Any], documentation: Documentation
    ) -> None:
        self.problems: list[str] = []
        self.doubts: list[str] = []
        self.remarks: list[str] = []
        if documentation.unread:
            unread = [f"the docstring's line {line!r} cannot be read, and is left out" for line in documentation.unread]
            self.remarks += unread
        self.context: ContextParameter | None = None
        self._source = source
        self._documented = dict(documentation.parameters)
        self._globals: dict[str, Any] | None = None
        self._scope = {**names, **type_parameters(source)}
        self._reader: TypeReader = type_reader(names, _owner(function))

    def parameters(self, raw: list[RawParameter]) -> list[Parameter]:
        """Return what is known of parameters; a TypedDict that `**kwargs` unpacks is a parameter for each of its keys."""
        read: list[Parameter] = []
        self.context = context_parameter(raw, self._resolved, self.problems)
        for each in raw:
            if self.context is not None and each.name == self.context.name:
                self._documented.pop(each.name, None)
                continue
            typed_dict = unpacked(self._tried(each.annotation)) if each.kind is STAR_STAR else None
            if typed_dict is None:
                read.append(self._parameter(each))
                continue
            read += self._unpacked(each, typed_dict)
            names = Counter(each.name for each in read)
            self.problems += [f"parameter {name!r} is there twice" for name, count in names.items() if count > 1]
        return read

    def _parameter(self, raw: RawParameter) -> Parameter:
        documented = self._documented.pop(raw.name, None) if self._documented else None
        if raw.annotation is not EMPTY:
            codec = self._codec(raw.annotation, raw.name)
        else:
            codec = self._undeclared(raw, documented.type if documented else None)
        if raw.kind is STAR:
            codec = ListCodec(codec, list)
        default = raw.default
        if default is EMPTY:
            pass
        elif type(default).__name__ == "FieldInfo" and type(default).__module__.startswith("pydantic"):
            self.problems.append(
                f"parameter {raw.name!r}: its default is a pydantic Field, which a call would hand to the function as it is; "
                "write Annotated[…, Field(…)], and the default itself after it"
            )
        required = default is EMPTY and raw.kind is not STAR and raw.kind is not STAR_STAR
        return Parameter(raw.name, raw.kind, codec, default, documented.description if documented else "", required)

    def _unpacked(self, raw: RawParameter, annotation: Any) -> list[Parameter]:
        record = self._codec(annotation, raw.name)
        if not isinstance(record, RecordCodec) or not is_typeddict(record.cls):
            if record is not ANY:  # then it is said already why there is none
                self.problems.append(
                    f"parameter {raw.name!r}: Unpack[…] takes a TypedDict, and {show_type(annotation)} is none"
                )
            return []
        rest = self._documented.pop(raw.name, None)
        read = []
        for field in record.fields:
            documented = self._documented.pop(field.key, None)
            text = documented.description if documented else field.description
            read.append(Parameter(field.key, KEYWORD_ONLY, field.codec, EMPTY, text, field.required))
        if record.others is not None:
            read.append(Parameter(raw.name, STAR_STAR, record.others, EMPTY, rest.description if rest else "", False))
        return read

    def remark_what_is_left(self) -> None:
        """Note what the docstring says of parameters there are not, once the parameters are read."""
        if self._documented:
            own = signature_of(self._source).parameters
            left = [name for name in self._documented if name not in own]  # a partial has given some already
            self.remarks += [f"the docstring describes {name!r}, which is no parameter" for name in left]

    def result(self) -> Codec | None:
        """Return the codec of the result, or None if it has none."""
        try:
            annotation = annotations_of(self._source).get("return", EMPTY)
            return None if annotation is EMPTY else self._reader.read(self._resolved(annotation))
        except Exception:  # noqa: BLE001  # an author's annotation may raise anything
            return None  # only parameters need a schema: a result without one is encoded by its own type

    def _codec(self, annotation: Any, name: str) -> Codec:
        try:
            return self._reader.read(self._resolved(annotation))
        except UnsupportedType as unsupported:
            self.problems += [f"parameter {name!r}: {problem}" for problem in unsupported.problems]
        except RecursionError:
            self.problems.append(
                f"parameter {name!r}: its annotation is nested too deeply; take a record that refers to itself"
            )
        except Exception as error:  # evaluating an author's annotation may raise anything; the author is told  # noqa: BLE001
            self.problems.append(
                f"parameter {name!r}: the annotation {annotation!r:.200} cannot be resolved ({type(error).__name__}: {error}); "
                "define or import that name in the module of the function"
            )
        return ANY

    def _tried(self, annotation: Any) -> Any:
        try:
            return self._resolved(annotation)
        except Exception:  # noqa: BLE001  # evaluating an author's annotation may raise anything: reading it will say what
            return annotation

    def _resolved(self, annotation: Any) -> Any:
        if type(annotation) is type:  # as most
            return annotation
        if isinstance(annotation, str):
            for names in (self._scope, self._names(), vars(builtins)):
                if annotation in names:
                    if isinstance(names[annotation], type):  # the name of a class: nothing to evaluate
                        return names[annotation]
                    break
        elif type(annotation) is Unresolved:
            raise annotation.error
        elif not holds_text(annotation):
            return annotation
        return resolved(annotation, self._names(), self._scope)

    def _names(self) -> dict[str, Any]:
        """Return what the module knows in which the function was written."""
        if self._globals is None:
            module = sys.modules.get(getattr(self._source, "__module__", None) or "", sys)
            self._globals = getattr(inspect.unwrap(self._source), "__globals__", None) or vars(module)
        return self._globals

    def _undeclared(self, parameter: RawParameter, documented: str | None) -> Codec:
        """Return the codec of the type that the docstring names; of any value, with a doubt, where it names none that can be had."""
        annotation = type_named(documented) if documented else None
        if annotation is None:
            said = f"its docstring's type {documented!r} is not known" if documented else "it has no annotation"
        else:
            try:
                return self._reader.read(annotation)
            except UnsupportedType as unsupported:
                said = f"its docstring's type {documented!r} has no JSON form ({unsupported})"
        if documented or parameter.kind not in (STAR, STAR_STAR):  # `*args, **kwargs` says it: anything
            self.doubts.append(f"parameter {parameter.name!r} accepts any JSON value: {said}; annotate it")
        return ANY


def _owner(function: Any) -> type | None:
    """Return the class that `Self` stands for in a bound method, or None."""
    instance = getattr(function, "__self__", None)
    if instance is None or isinstance(instance, ModuleType):  # that of a function of C is its module
        return None
    return instance if isinstance(instance, type) else type(instance)


def result_codec(function: Callable[..., Any], names: Mapping[str, Any]) -> Codec | None:
    """Return the codec of a function's result, or None if it has none; `names` are the locals that its string annotations name."""
    return ParameterReader(function, underlying(function), names, NOTHING_SAID).result()


def untyped(
    function: Callable[..., Any], module: str, names: Mapping[str, Any]
) -> tuple[tuple[Parameter, ...], ContextParameter | None, list[str]]:
    """Return parameters that take what they are given, the one that takes the context, and what cannot be: of a tool that brings its own schema.

    Raises:
        DefinitionError: Python does not know them.
    """
    raw = raw_parameters(function, module)
    reader = ParameterReader(function, underlying(function), names, NOTHING_SAID)
    context = context_parameter(raw, reader._resolved, reader.problems)
    parameters = tuple(
        Parameter(
            each.name, each.kind, ANY, each.default, "", each.default is EMPTY and each.kind not in (STAR, STAR_STAR)
        )
        for each in raw
        if context is None or each.name != context.name
    )
    return parameters, context, reader.problems


def warn(message: str, source: Any) -> None:
    """Warn of what a function's author could say and does not, at the function."""
    code = getattr(source, "__code__", None)
    if code is None:
        warnings.warn(message, DefinitionWarning, stacklevel=2)
    else:  # shown at the function, not where it happens to be used first
        warnings.warn_explicit(message, DefinitionWarning, code.co_filename, code.co_firstlineno)
