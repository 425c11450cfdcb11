"""Records: a tool or plugin as JSON, the same in the index, in manifests, in locks and on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NotRequired, TypedDict, cast

from fcregistry._tools.options import group_problem, name_problem, option_problems


class ToolRecord(TypedDict):
    """One tool as JSON. Its distribution and version are known from its plugin.

    Attributes:
        name: The name it was registered under.
        group: The group it was registered in.
        summary: The first paragraph of the description, as one line.
        description: The description for the model.
        parameters: The JSON Schema of its arguments; empty if it cannot be defined.
        returns: The JSON Schema of its result, or None.
        options: The options that differ from their defaults, as JSON; a function as `{"computed": name}`.
        context: Whether it asks for the context of its call.
        deps: The type of the object that its context asks for, which the application provides; None if it asks for none.
        module: The module that declared it.
        qualname: The function's qualified name.
        file: The function's source file, where there is one.
        line: Its line there.
        digest: See `digest_of`.
        problems: The reasons it cannot be defined. Missing if it can be defined.
    """

    name: str
    group: str
    summary: str
    description: str
    parameters: dict[str, Any]
    returns: dict[str, Any] | None
    options: dict[str, Any]
    context: bool
    deps: str | None
    module: str
    qualname: str
    file: str | None
    line: int | None
    digest: str
    problems: NotRequired[list[str]]


class PluginRecord(TypedDict):
    """The facts that the import of a plugin has shown, as JSON; its tools are not among them.

    Attributes:
        dynamic: Whether its tools depend on the environment, so that they must be listed anew each time.
        seconds: How long its import took.
        printed: Whether it wrote to standard output when it was imported.
        changes: Phrases that say what its import changed in the process that other code relies on.
        failure: The type and message, in one line, of the error that the import raised; None if it loads.
        detail: More about the failure, such as a traceback; may be empty.
        advice: How to fix it; empty if it loads.
        before: The names of the tools that it shipped when it last loaded; empty if it loads.
        unregistered: The decorated methods, as `Class.method`, of whose class no object was registered.
    """

    dynamic: bool
    seconds: float
    printed: bool
    changes: list[str]
    failure: str | None
    detail: str
    advice: str
    before: list[str]
    unregistered: list[str]


def plugin_record(
    *, dynamic: bool = False, seconds: float = 0.0, failure: str | None = None, detail: str = "", advice: str = ""
) -> PluginRecord:
    """Return the record of a plugin that, as far as is known, neither prints nor changes anything."""
    return PluginRecord(
        dynamic=dynamic,
        seconds=seconds,
        printed=False,
        changes=[],
        failure=failure,
        detail=detail,
        advice=advice,
        before=[],
        unregistered=[],
    )


REGISTER_OBJECT: Final = (
    "register an object of the class when the module of the entry point is imported: registry.register_object(…)"
)
"""The advice for methods that `unregistered_text` names."""


def unregistered_text(record: PluginRecord) -> str:
    """Return a sentence about the decorated methods of a plugin of whose class no object was registered."""
    names = record["unregistered"]
    return f"no object is registered that has {', '.join(names)}, decorated with @fc_register"


COMPUTED: Final = "computed"
"""The key for an option that is a function or object: `{"computed": "module.qualname"}`."""


def option_json(name: str, value: Any) -> Any:
    """Return the value of the option `name` as JSON; a function or a cache is shown by its name."""
    from fcregistry.types import to_json

    if name == "cache" and not isinstance(value, bool):  # the contents of a cache do not belong in a record
        return _computed_json(value)
    if not callable(value):
        try:
            return to_json(value)
        except (TypeError, ValueError):  # for example a cache of the author's own
            pass
    return _computed_json(value)


def _computed_json(value: Any) -> dict[str, str]:
    """Return `{"computed": "module.qualname"}` of a callable, or of the class of any other value."""
    named = value if callable(value) else type(value)
    return {COMPUTED: f"{getattr(named, '__module__', '?')}.{getattr(named, '__qualname__', type(named).__qualname__)}"}


# --- Digests ---


def digest_of(record: ToolRecord) -> str:
    """Return the SHA-256 of what the model sees of a tool and what decides about its calls.

    The digest is in hexadecimal. It covers the tool's group, name, description, schemas and annotations (title, aliases, hints, whether it requires
    approval). Its origin and the order of names in a schema make no difference.
    """
    from hashlib import sha256  # loads OpenSSL, which most processes do not need

    digested: dict[str, Any] = {name: record[name] for name in _DIGESTED}
    digested["options"] = {name: record["options"][name] for name in _DIGESTED_OPTIONS if name in record["options"]}
    return sha256(canonical_json(digested).encode("utf-8", "backslashreplace")).hexdigest()


def canonical_json(value: Mapping[str, Any]) -> str:
    """Return the canonical text of a JSON object: names sorted, no space."""
    return _CANONICAL.encode(value)


_CANONICAL: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)

_DIGESTED: Final = ("group", "name", "description", "parameters", "returns")

_DIGESTED_OPTIONS: Final = (
    "title",
    "aliases",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "assume_hints",
    "requires_approval",
    "always_ask",
)
"""The options that the model sees, or that decide about the tool's calls."""


# --- Differences ---

ABSENT: Final = object()
"""The value of a name that an object lacks, see `value_differences`."""

NOTICEABLE: Final = ("description", "parameters", "returns", "options", "deps", "problems")
"""The fields of a tool that a caller can notice; the place of its function is not one."""


def value_differences(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the path, the old and the new value of each difference between two JSON values: between objects, at any depth.

    Arrays are compared as a whole; outside them, 1 and 1.0 differ. The value of a name that an object lacks is `ABSENT`.

    Args:
        old: The old value.
        new: The new value.
        path: The path of the values.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys((*old, *new)):
            yield from value_differences(old.get(name, ABSENT), new.get(name, ABSENT), f"{path}.{name}")
    elif type(old) is not type(new) or old != new:
        yield path, old, new


def changed_part(old: ToolRecord, new: ToolRecord) -> str:
    """Return the path of the first difference between two records of a tool.

    Names that only the new record has are left out: they are not known to be harmless, and a model may read the result.
    """
    for field in NOTICEABLE:
        for path, before, _ in value_differences(old.get(field), new.get(field), field):
            return path if before is not ABSENT else path.rpartition(".")[0]
    return "options"


# --- External records ---


def read_record(value: Any) -> ToolRecord:
    """Return an external tool record, such as one of a manifest, checked and without unknown fields.

    Args:
        value: Any JSON value.

    Raises:
        ValueError: The value is not the record of a tool that can be declared. The message continues the words "its description of the tool".
    """
    from fcregistry._schema.document import check_tool_schemas  # not needed by the many processes that read no record
    from fcregistry.types import RecordCodec, codec_of  # as above

    if type(value) is not dict:
        raise ValueError("is not an object")
    read: dict[str, Any] = {}
    for field in cast("RecordCodec", codec_of(ToolRecord)).fields:
        if field.key in value and field.codec.accepts(value[field.key]):
            read[field.key] = value[field.key]
        elif field.required or field.key in value:
            raise ValueError(f"has no {field.key}")
    record = cast(ToolRecord, read)
    if problems := _declaration_problems(record):
        text = "; ".join(problems)
        raise ValueError(f"cannot be used: {text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}")
    try:
        digest = digest_of(record)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if digest != record["digest"]:
        raise ValueError("was changed by hand: the digest is another")
    check_tool_schemas(record["parameters"], record["returns"], is_defined="problems" not in record)
    return record


def _declaration_problems(record: ToolRecord) -> list[str]:
    """Return the reasons `fc_register` would refuse the name, group and options of `record`; may be empty.

    Options that a record has only by name (`{"computed": …}`) are not checked.
    """
    written = {
        name: value for name, value in record["options"].items() if not (name in _MAYBE_COMPUTED and is_computed(value))
    }
    problems = [each for each in (name_problem(record["name"]), group_problem(record["group"])) if each is not None]
    if not isinstance(written.get("cache", True), bool):
        problems.append("option 'cache' takes True or a cache, which a record shows by its name")
    return [*problems, *option_problems(written)]


def is_computed(value: Any) -> bool:
    """Return whether the value of an option in a record is the name of a function or object."""
    return type(value) is dict and list(value) == [COMPUTED] and type(value[COMPUTED]) is str


_MAYBE_COMPUTED: Final = (
    "always_ask",
    "available",
    "cache",
    "examples",
    "meta",
    "reads",
    "requires_approval",
    "writes",
)
"""The options that may be, or may contain, functions and other objects without a JSON form."""

_LONGEST: Final = 300
"""The most characters of the problems that an error shows."""
