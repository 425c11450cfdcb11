"""The definition of a tool, made when the tool is first used: its signature, schemas, validators, options and origin."""

from __future__ import annotations

import marshal
import sys
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.source import callback_problem, place_text, underlying
from fcregistry._tools.declaration import Declaration
from fcregistry._tools.options import checks_of
from fcregistry.errors import DefinitionError, exception_message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry._schema.validator import Engine, Validator
    from fcregistry._tools.declaration import Owner
    from fcregistry._tools.details import Options, Origin
    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.signature import Signature

_SOURCE: Final = "fcregistry.source"
"""The key of `meta` that names what has the tool, for one whose function only passes calls on."""


class ToolDefinition:
    """The part of a tool that all its views share: signature, schemas, validators.

    Everything is made at first use. Schemas are stored packed, and callers get copies.
    """

    __slots__ = (
        "_digest",
        "_options",
        "_parameters",
        "_returns",
        "_signature",
        "_validators",
        "declaration",
        "strict",
    )

    def __init__(self, declaration: Declaration, strict: object) -> None:
        self.declaration = declaration
        self.strict = strict
        self._options: Options | None = None
        self._signature: Signature | None = None
        self._parameters: bytes = b""
        self._digest: str = ""
        self._returns: bytes | None = None
        self._validators: dict[str, Validator] | None = None

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.declaration, self.strict)

    @property
    def known_record(self) -> ToolRecord | None:
        """The record of the tool if the definition comes from the index; otherwise None."""
        return None

    @property
    def is_loaded(self) -> bool:
        """Whether the function is loaded, and not only described."""
        return True

    def loaded(self) -> ToolDefinition:
        """Return the definition of the function itself; a described definition imports its plugin for that."""
        return self

    @property
    def asks_for_context(self) -> bool:
        """Whether the function is given the context of its call."""
        return self.signature.context is not None

    @property
    def asks_for_deps(self) -> bool:
        """Whether it asks for an object of the application in that context."""
        context = self.signature.context
        return context is not None and context.deps is not None

    @property
    def options(self) -> Options:
        """The options that the tool was declared with."""
        if self._options is None:
            from fcregistry._tools.details import Options  # which listing tools does not need

            self._options = Options.of(self.declaration.options)
        return self._options

    @property
    def description(self) -> str:
        """The description for the model: the option, or the docstring up to its sections."""
        given = self.declaration.options.get("description")
        return self.signature.documentation.description if given is None else str(given)

    @property
    def summary(self) -> str:
        """The first paragraph of the description, as one line."""
        return first_paragraph(self.description)

    def origin(self, owner: Owner | None) -> Origin:
        """Return where the tool came from; `owner` is the plugin or source, or None for the application."""
        from fcregistry._tools.details import Origin  # as above

        source = underlying(self.declaration.function)
        code = getattr(source, "__code__", None)
        file, line = (code.co_filename, code.co_firstlineno) if code else (None, None)
        qualname = getattr(source, "__qualname__", type(source).__qualname__)
        meta = self.declaration.options.get("meta")  # not checked yet
        named = meta.get(_SOURCE) if isinstance(meta, dict) else None
        named = named if isinstance(named, str) else None
        return Origin.of(owner, self.declaration.module, qualname, file, line, named)

    @property
    def error(self) -> DefinitionError | None:
        """The error that says why the tool cannot be defined, or None if it can."""
        try:
            self.define()
        except DefinitionError as error:
            return error
        return None

    @property
    def signature(self) -> Signature:
        """The signature as JSON sees it.

        Raises:
            DefinitionError: The function or its external schema cannot be used; the message names all problems.
        """
        self.define()
        assert self._signature is not None
        return self._signature

    def define(self) -> None:
        """Read the signature and make the schema of the arguments, unless that is done.

        The plugin of a described tool is imported.

        Raises:
            DefinitionError: The function or its external schema cannot be used; the message names all problems.
        """
        if self._signature is not None:
            return
        try:
            self._define()
        except DefinitionError:
            raise
        except Exception as error:  # an author's annotations and defaults are external code, and may raise anything
            place = place_text(self.declaration.function, self.declaration.module)
            problem = f"{type(error).__name__}: {exception_message(error)}"
            raise DefinitionError(f"{place} cannot be a tool:", (problem,)) from error

    def _define(self) -> None:
        """Set the signature and the packed schema of the arguments, read from the function or `parameters`.

        Raises:
            DefinitionError: The function, its external schema, or a file or function among its options cannot be used.
            Exception: Whatever an author's annotation or default raises.
        """
        from fcregistry._tools.signature import Signature  # with all of `types`, which a listed tool does not need

        declared = self.declaration
        external = declared.options.get("parameters")
        if external is None:
            strict = is_strict(self.strict, f"{STRICT} of {declared.module}")
            signature = Signature.of(declared.function, declared.module, declared.locals, strict=strict)
            self._parameters = _pack(signature.parameters_schema())
        else:
            signature, schema = _read_external_schema(declared, external)
            self._parameters = _pack(schema)
        problems = [*_file_problems(declared.options, self._parameters), *_callback_problems(declared.options)]
        if isinstance(returns := declared.options.get("returns"), dict):
            try:
                self._returns = self._pack_returns(_read_result_schema(returns))
            except DefinitionError as error:
                problems += error.problems
        if problems:
            raise DefinitionError(f"{place_text(declared.function, declared.module)} cannot be a tool:", problems)
        self._signature = signature

    @property
    def parameters(self) -> dict[str, Any]:
        """The schema of the arguments. A copy."""
        self.define()
        schema: dict[str, Any] = marshal.loads(self._parameters)
        return schema

    @property
    def schema_digest(self) -> str:
        """The SHA-256 of the schema of the arguments, in hexadecimal, independent of the order of names."""
        if not self._digest:
            import json  # lists of tools do without it
            from hashlib import sha256  # loads OpenSSL, which most processes do not need

            canonical = json.dumps(self.parameters, sort_keys=True, separators=(",", ":"))
            self._digest = sha256(canonical.encode()).hexdigest()
        return self._digest

    @property
    def returns(self) -> dict[str, Any] | None:
        """The schema of the result: the option `returns`, or that of the annotation; None if there is none. A copy."""
        if self._returns is None:
            self.define()  # packs an external schema, if that is a dict
        if self._returns is None:
            make = self.declaration.options.get("returns")
            given = _computed_returns(make, self.declaration.name) if make else self.signature.returns_schema()
            self._returns = self._pack_returns(given)
        schema: dict[str, Any] | None = marshal.loads(self._returns)
        return schema

    def _pack_returns(self, schema: dict[str, Any] | None) -> bytes:
        """Return a schema of results, or None, as bytes; if the tool writes null for NaN, with null beside numbers."""
        return _pack(with_nulls(schema) if self.declaration.options.get("on_nan") == "null" else schema)

    def validator(self, engine: Engine) -> Validator:
        """Return the validator of the arguments that uses `engine`, made at first use."""
        validators = self._shared_validators()
        if engine not in validators:
            validators[engine] = _make_validator(self.parameters, engine)
        return validators[engine]

    def _shared_validators(self) -> dict[str, Validator]:
        """Return the dict of the validators made so far, by engine, which the definitions of one schema share."""
        if self._validators is None:  # made late: of thousands of tools that are described, few are called
            self._validators = {}
        return self._validators

    def result_validator(self, engine: Engine, *, nulls: bool = False) -> Validator | None:
        """Return a new validator of results that uses `engine`, or None if the tool has no schema for them.

        With `nulls`, each number may be null.
        """
        schema = with_nulls(self.returns) if nulls else self.returns
        return None if schema is None else _make_validator(schema, engine)

    def with_function(self, function: Callable[..., Any]) -> ToolDefinition:
        """Return a definition like this one for another function that takes the same arguments."""
        loaded = self.loaded()
        declared = loaded.declaration
        options = {
            name: value
            for name, value in declared.options.items()
            if name == "on_nan" or (name == "returns" and callable(value))
        }
        other = ToolDefinition(
            Declaration(function, declared.name, declared.group, declared.module, options), loaded.strict
        )
        other._signature = loaded.signature.without_context()
        other._parameters, other._returns = loaded._parameters, loaded._returns
        other._validators = loaded._shared_validators()
        return other


def _make_validator(schema: dict[str, Any], engine: Engine) -> Validator:
    """Return a validator of `schema` that also checks the string formats of this library's types."""
    from fcregistry._schema.validator import Validator  # not needed before the first call
    from fcregistry.types import STRING_FORMATS

    return Validator(schema, STRING_FORMATS, engine)


def with_nulls(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a schema of results whose numbers that may have a fraction may also be null; None for None."""
    from fcregistry._schema.document import walk_schemas  # few tools write null for NaN

    schema = deepcopy(schema)
    for _, each in walk_schemas(schema):
        kinds = each.get("type", ())
        kinds = [kinds] if isinstance(kinds, str) else [*kinds]
        if "number" in kinds and "null" not in kinds:
            each["type"] = [*kinds, "null"]
    return schema


def first_paragraph(text: str) -> str:
    """Return the first paragraph of a description as one line."""
    return " ".join(text.split("\n\n", 1)[0].split())


def _pack(schema: dict[str, Any] | None) -> bytes:
    """Return a schema, or None, as bytes that `marshal.loads` unpacks in this process."""
    try:
        return marshal.dumps(schema)
    except ValueError:  # a default is of a class derived from str, for example
        import json  # as above

        return marshal.dumps(json.loads(json.dumps(schema)))


def _read_external_schema(declared: Declaration, given: Mapping[str, Any]) -> tuple[Signature, dict[str, Any]]:
    """Return a function's signature, read without types, and its external schema as models get it.

    Args:
        declared: The declaration of the function.
        given: The external schema.

    Raises:
        DefinitionError: The schema is not valid, or does not fit the function.
    """
    from fcregistry._schema.drafts import SchemaError
    from fcregistry._schema.external import ExternalSchema
    from fcregistry._tools.signature import Signature

    headline = f"{declared.module}.{declared.name} cannot be a tool:"
    signature = Signature.of(declared.function, declared.module, declared.locals, typed=False)
    try:
        external = ExternalSchema.read(given)
    except SchemaError as error:
        raise DefinitionError(headline, (f"parameters=…: {error}",)) from None
    if problems := signature.mismatches(external.arguments.names, external.arguments.may_have):
        raise DefinitionError(headline, tuple(problems))
    return signature, external.schema


def _read_result_schema(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an external schema of results as the tool publishes it.

    Raises:
        DefinitionError: It is not a JSON Schema that can be used.
    """
    from fcregistry._schema.drafts import SchemaError  # only for external schemas
    from fcregistry._schema.external import read_result_schema

    try:
        return read_result_schema(given)
    except SchemaError as error:
        raise DefinitionError("the results have no schema:", (f"returns=…: {error}",)) from None


def _computed_returns(make: Callable[[], Mapping[str, Any] | None], name: str) -> dict[str, Any] | None:
    """Return the schema of results that a function returns, or None if it raises an error or returns none that can be used.

    Results are not validated unless the caller asks for it, so such a schema, which another program may have
    written, does not make the tool unusable.

    Args:
        make: The option `returns`.
        name: The tool's name, for the log.
    """
    try:
        given = make()
        return None if given is None else _read_result_schema(given)
    except DefinitionError as error:
        problem = error.problems[0]
    except Exception as error:  # noqa: BLE001  # external code may raise anything
        problem = f"returns=… raised {type(error).__name__}: {exception_message(error)}"
    from logging import getLogger  # only on the way to a warning

    getLogger("fcregistry").warning("the results of %s have no schema: %s", name, problem)
    return None


def _file_problems(options: Mapping[str, Any], packed: bytes) -> tuple[str, ...]:
    """Return a phrase for each of `input_files` and `output_files` that is not a parameter, or not a path.

    A parameter may be a path if its schema accepts a string or a list of strings.

    Args:
        options: The options of the tool.
        packed: The packed schema of its arguments.
    """
    if not ("input_files" in options or "output_files" in options):
        return ()
    from fcregistry._tools.selectors import did_you_mean, nearest

    schema = marshal.loads(packed)
    properties, found = schema.get("properties", {}), []
    for option in ("input_files", "output_files"):
        for name in options.get(option, ()):
            if name not in properties:
                found.append(
                    f"{option} names {name!r}, which is not a parameter{did_you_mean(nearest(name, properties))}"
                )
            elif not _may_be_path(properties[name]):
                found.append(f"{option} names {name!r}, which must be a path or a list of paths")
    return tuple(found)


_CALLBACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "requires_approval": ("arguments",),
    "available": (),
    "reads": ("arguments",),
    "writes": ("arguments",),
}
"""Option that may be a function -> the arguments that the function is called with."""


def _callback_problems(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a phrase for each function in `options` that does not take the arguments of its calls."""
    given = [(name, each) for name in _CALLBACKS if callable(options.get(name)) for each in checks_of(options[name])]
    found = [(name, callback_problem(function, *_CALLBACKS[name])) for name, function in given]
    return tuple(f"{name}=… {problem}" for name, problem in found if problem)


def _may_be_path(schema: Any) -> bool:
    """Return whether `schema` may accept a string, or a list of strings; True for a schema with `$ref`."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return True
    types = schema.get("type", ("string",))
    if "anyOf" in schema:
        return any(map(_may_be_path, schema["anyOf"]))
    if "array" in types and isinstance(schema.get("items"), dict):
        return "array" not in (schema["items"].get("type") or ()) and _may_be_path(schema["items"])
    return "string" in types or "array" in types


STRICT: Final = "FCREGISTRY_STRICT"
"""The attribute that a module or package sets to True or `"error"`: in its tools, a parameter without a type is then an error."""


_POLICIES: Final = {True: True, "error": True, False: False, "warn": False}
"""Value of `strict` or `FCREGISTRY_STRICT` -> whether a parameter without a type is an error."""


def is_strict(value: object, shown: str) -> bool:
    """Return whether a policy makes a parameter without a type an error.

    Args:
        value: The policy: True or `"error"`, False or `"warn"`.
        shown: Where the policy is set, for the message.

    Raises:
        DefinitionError: The value is not a policy.
    """
    if not isinstance(value, (bool, str)) or value not in _POLICIES:
        raise DefinitionError(f'{shown} is True or "error", False or "warn", not {value!r:.80}')
    return _POLICIES[value]


def wanted_strictness(module: str) -> object:
    """Return the value of `FCREGISTRY_STRICT` that applies to `module`; see `module_flag`."""
    return module_flag(module, STRICT)


def module_flag(module: str, flag: str) -> object:
    """Return the attribute `flag` of `module`, or of the nearest package above it in which it is true.

    Return False if it is true in none of them. Modules that are not imported are skipped.
    """
    while module:
        if value := getattr(sys.modules.get(module), flag, False):
            return value
        module = module.rpartition(".")[0]
    return False
