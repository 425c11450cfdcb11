"""What is known of a tool without its function? The same in the index, in manifests, in locks and on the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict, cast

from fcregistry._tools.options import group_problem, name_problem, option_problems

COMPUTED: Final = "computed"
"""What stands in a record for an option that is a function: `{"computed": "module.qualname"}`."""

_DIGESTED: Final = ("group", "name", "description", "parameters", "returns")

_DIGESTED_OPTIONS: Final = (
    "title",
    "aliases",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "requires_approval",
)
"""The options that a model is told, or that decide about its calls."""

_UNWRITTEN: Final = ("cache", "examples", "meta", "reads", "requires_approval", "writes")
"""The options that may be a function, or hold an object, so that their value has no JSON."""

_FIELDS: Final[dict[str, tuple[type, ...]]] = {
    "name": (str,),
    "group": (str,),
    "description": (str,),
    "summary": (str,),
    "parameters": (dict,),
    "returns": (dict, type(None)),
    "options": (dict,),
    "context": (bool,),
    "deps": (str, type(None)),
    "module": (str,),
    "qualname": (str,),
    "file": (str, type(None)),
    "line": (int, type(None)),
    "digest": (str,),
}
"""What a record has to have, and of which types."""

_LONGEST: Final = 300


class ToolRecord(TypedDict):
    """One tool as JSON; its plugin knows which distribution and version ships it.

    Attributes:
        name: The name it was registered under.
        group: The group it was registered in.
        summary: The first paragraph of the description, as one line.
        description: What a model is told of it.
        parameters: The JSON Schema of its arguments; empty if it cannot be defined.
        returns: The JSON Schema of its result, or None.
        options: What it was declared with, as JSON, where that is not the default; a function as `{"computed": name}`.
        context: Whether it asks for the context of its call.
        deps: The type that its context asks for, which only an application has; None if it asks for none.
        module: The module that declared it.
        qualname: The function's qualified name.
        file: The function's source file, where there is one.
        line: Its line there.
        digest: See `digest_of`.
        problems: Why it cannot be defined; only there if it cannot.
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
    """One plugin as JSON: what it ships, or why it does not load.

    Attributes:
        entry_point: The name of the entry point.
        value: What that names: `module` or `module:object`.
        tools: What it ships, sorted by group and name.
        dynamic: Whether its tools depend on the environment, so that they have to be asked for each time.
        seconds: How long its import took.
        printed: Whether it wrote to standard output when it was imported.
        changes: What it changed in the process when it was imported, that others rely on, a phrase each.
        failure: Why it does not load: the error's type and message in one line; None if it does.
        detail: More of that, such as a traceback; empty where there is no more.
        advice: What to do about it; empty if it loads.
    """

    entry_point: str
    value: str
    tools: list[ToolRecord]
    dynamic: bool
    seconds: float
    printed: bool
    changes: list[str]
    failure: str | None
    detail: str
    advice: str


def digest_of(record: ToolRecord) -> str:
    """Return the SHA-256, in hexadecimal, of what a model is told of a tool and what decides about its calls.

    That is its group, name, description, schemas and annotations (title, aliases, hints, whether it requires approval); where it
    came from is not in it, nor the order of names in a schema.
    """
    from hashlib import sha256  # OpenSSL, which most processes need not load

    told: dict[str, Any] = {name: record[name] for name in _DIGESTED}
    told["options"] = {name: record["options"][name] for name in _DIGESTED_OPTIONS if name in record["options"]}
    return sha256(canonical(told).encode("utf-8", "backslashreplace")).hexdigest()


def canonical(value: Mapping[str, Any]) -> str:
    """Return the one text of a JSON object: names sorted, no space."""
    return _CANONICAL.encode(value)


_CANONICAL: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def option_json(name: str, value: Any) -> Any:
    """Return an option's value as JSON; a function, or an object such as a cache, by its name."""
    from fcregistry.types import to_json

    if name == "cache" and not isinstance(value, bool):  # what is in it now is nobody's business
        return _by_name(value)
    if not callable(value):
        try:
            return to_json(value)
        except (TypeError, ValueError):  # a cache of the author's own, say
            pass
    return _by_name(value)


def _by_name(value: Any) -> dict[str, str]:
    named = value if callable(value) else type(value)
    return {COMPUTED: f"{getattr(named, '__module__', '?')}.{getattr(named, '__qualname__', type(named).__qualname__)}"}


def read_record(value: Any) -> ToolRecord:
    """Return the tool record that a stranger wrote, such as the author of a manifest; what no record has is left out.

    Args:
        value: Any JSON value.

    Raises:
        ValueError: It is none, or it could not have been made from a tool that was declared. The message says why, in words that follow
            "what it says of the tool".
    """
    from fcregistry._schema.document import (
        check_tool_schemas,  # which words all that is wrong: most records are never read
    )

    if type(value) is not dict:
        raise ValueError("is no object")
    for field, types in _FIELDS.items():
        if type(value.get(field, _MISSING)) not in types:  # exactly: True is no line
            raise ValueError(f"has no {field}")
    if not _are_texts(value.get("problems", [])):
        raise ValueError("has no problems in words")
    record = cast(ToolRecord, {name: value[name] for name in value if name in _FIELDS or name == "problems"})
    if problems := _problems(record):
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


_MISSING: Final = object()


def _problems(record: ToolRecord) -> list[str]:
    """Return what `fc_register` would not have taken."""
    written = {
        name: value for name, value in record["options"].items() if not (name in _UNWRITTEN and _is_computed(value))
    }
    problems = [each for each in (name_problem(record["name"]), group_problem(record["group"])) if each is not None]
    if not isinstance(written.get("cache", True), bool):
        problems.append("option 'cache' takes True or a cache, which is told by its name")
    return [*problems, *option_problems(written)]


def _is_computed(value: Any) -> bool:
    return type(value) is dict and list(value) == [COMPUTED] and type(value[COMPUTED]) is str


def _are_texts(value: Any) -> bool:
    return type(value) is list and all(type(each) is str for each in value)
