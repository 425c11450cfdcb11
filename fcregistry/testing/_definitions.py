"""Is a tool's definition sound? The rules that look at schema, docstring and names, and call nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from fcregistry import formats
from fcregistry._base.annotations import signature_of
from fcregistry._base.messages import json_path, show
from fcregistry._base.source import underlying
from fcregistry._schema.drafts import SchemaError
from fcregistry._schema.foreign import schema_problem
from fcregistry._tools.tool import Tool
from fcregistry.formats._format import wire_names
from fcregistry.testing._case import Case
from fcregistry.testing._failures import REPORT, Failure, Verdict


def can_be_defined(case: Case) -> Verdict:
    """Have its schema made of its annotations."""
    error = case.tool.definition_error
    if error is None:
        return Verdict()
    problems = error.problems or (str(error),)
    advice = "mend it there; until then, the tool is not offered"
    return Verdict(
        failures=tuple(Failure(expected="a schema for its parameters", got=each, advice=advice) for each in problems)
    )


def has_a_valid_schema(case: Case) -> Verdict:
    """Check the schemas of arguments and result against the meta-schema of JSON Schema."""
    return Verdict(failures=tuple(_schema_failures(case.tool)))


def _schema_failures(tool: Tool) -> Iterator[Failure]:
    if problem := schema_problem(tool.parameters):
        yield Failure(
            expected="a valid JSON Schema of an object for its arguments", got=problem, advice=f"correct it; {REPORT}"
        )
    results = tool.result_validator("jsonschema")
    if results is None:
        return
    try:
        results.compile()
    except SchemaError as error:
        yield Failure(expected="a valid JSON Schema for its result", got=str(error), advice=f"correct it; {REPORT}")


def has_a_stable_schema(case: Case) -> Verdict:
    """Build the tool anew, twice: its schemas are the same, byte for byte."""
    declaration, strict = case.tool._definition.declaration, case.tool._definition.strict
    built = [Tool(declaration, strict=strict) for _ in range(2)]
    pairs = {
        "arguments": tuple(tool.parameters for tool in built),
        "result": tuple(tool.returns for tool in built),
    }
    failures = [
        Failure(
            expected=f"one schema of its {which}, however often it is made",
            got=_difference(first, second),
            advice="a default, a description or a type is made anew each time and comes out otherwise; make it constant, and sort sets",
        )
        for which, (first, second) in pairs.items()
        if json.dumps(first) != json.dumps(second)
    ]
    return Verdict(failures=tuple(failures))


def _difference(first: Any, second: Any, path: tuple[str | int, ...] = ()) -> str:
    """Return where two JSON values that differ do so first, and how."""
    if isinstance(first, dict) and isinstance(second, dict) and list(first) == list(second):
        inner = next(name for name in first if json.dumps(first[name]) != json.dumps(second[name]))
        return _difference(first[inner], second[inner], (*path, inner))
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        place = next(place for place, each in enumerate(first) if json.dumps(each) != json.dumps(second[place]))
        return _difference(first[place], second[place], (*path, place))
    return f"at {json_path(path)}: {show(first)}, and then {show(second)}"


def documents_its_parameters(case: Case) -> Verdict:
    """Compare the parameters that are described with those that there are."""
    tool = case.tool
    documented = tool.signature.documentation.parameters
    own = [*signature_of(underlying(tool.function)).parameters]  # of a partial, also those that it has given
    own += [each.name for each in tool.signature.parameters if each.name not in own]  # those of an unpacked TypedDict
    unread = [
        f"the docstring's line {line!r} cannot be read; write `name: What it is.`"
        for line in tool.signature.documentation.unread
    ]
    advice = "; ".join(unread) or "describe it under Args: in the docstring, or with Annotated[…, 'text']"
    failures = [
        Failure(
            expected="the docstring describes parameters that there are",
            got=f"it describes {name!r}, and there is none",
            advice=f"correct the name, or take the line out; there are: {', '.join(own) or 'none'}",
        )
        for name in documented
        if name.lstrip("*") not in own
    ]
    failures += [
        Failure(expected="every parameter is described, for the model reads it", got=f"{name!r} is not", advice=advice)
        for name in _undescribed(tool)
    ]
    return Verdict(failures=tuple(failures))


def _undescribed(tool: Tool) -> Iterator[str]:
    properties = tool.parameters.get("properties", {})
    stars = {each.name for each in tool.signature.parameters if each.kind.name.startswith("VAR_")}
    for name, schema in properties.items():
        if name not in stars and isinstance(schema, dict) and not schema.get("description"):
            yield name


def names_fit_every_provider(case: Case) -> Verdict:
    """Look at the names of tool and parameters as each provider takes them."""
    failures: dict[str, Failure] = {}  # by what is expected and got: a provider may have several formats
    for wanted in map(formats.get, formats.names()):
        for failure in (*_tool_name_failures(case.tool.name, wanted), *_parameter_name_failures(case.tool, wanted)):
            failures.setdefault(f"{failure.expected}: {failure.got}", failure)
    return Verdict(failures=tuple(failures.values()))


def _parameter_name_failures(tool: Tool, wanted: formats.Format) -> Iterator[Failure]:
    for profile in filter(None, (wanted.profile, wanted.strict_profile)):
        for name in tool.parameters.get("properties", {}):
            if profile.names is not None and re.fullmatch(profile.names, name) is None:
                yield Failure(
                    expected=f"parameters whose names {profile.taker} takes: {profile.names_rule}",
                    got=repr(name),
                    advice="rename the parameter",
                )


def _tool_name_failures(name: str, wanted: formats.Format) -> Iterator[Failure]:
    """Yield the failure of a name that is not one for a provider, or that a call could not be led back from."""
    if wanted.alphabet is None:
        return
    wire = wanted.alphabet.wire_name(name)
    if not wanted.alphabet.fits(wire) or wire_names([name], [wanted.alphabet]).get(wire, name) != name:
        yield Failure(
            expected=f"a name that the format {wanted.name} takes, and that leads back to the tool",
            got=repr(wire),
            advice="give the tool another name",
        )
