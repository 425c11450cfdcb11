"""The transformation of a schema to what a provider accepts, and what that leaves out.

There is one transformation for all providers: their profiles hold the differences. What a profile lacks is taken out, added to the description as far
as words can express it, and recorded. What cannot be expressed at all is a problem, and all problems of a schema are raised together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry._base.messages import json_path
from fcregistry._schema.document import References
from fcregistry._schema.joining import merge
from fcregistry.formats._node import Dropped, add_keywords_text, without_duplicates
from fcregistry.formats._profile import excesses
from fcregistry.formats._rewrite import JOINING, Rewriter, UnsupportedSchemaError, composed_schemas

if TYPE_CHECKING:
    from fcregistry.formats._profile import Profile


OnRecursion: TypeAlias = Literal["refuse", "cut"]
"""What to do with a schema that refers to itself, if the provider does not accept that."""


def transform(
    schema: dict[str, Any], profile: Profile, recursion: OnRecursion
) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    """Return a schema of parameters as a provider accepts it, and what that leaves out.

    Args:
        schema: The JSON Schema of the parameters, of any draft.
        profile: The schemas that the provider accepts.
        recursion: Whether to refuse a schema that refers to itself, or to cut it off, if the provider does not accept that.

    Raises:
        UnsupportedSchemaError: No schema that the provider accepts expresses it.
    """
    plain, dropped = with_plain_top(schema, profile)
    problems = _name_problems(plain, profile)
    if profile.keywords is None:
        if problems:
            raise UnsupportedSchemaError(*problems)
        return plain, dropped
    rewriter = Rewriter(plain, profile, cuts=recursion == "cut")
    written = rewriter.rewrite()
    problems += rewriter.problems
    if not problems:
        problems = excesses(written, profile)
    if problems:
        raise UnsupportedSchemaError(*dict.fromkeys(problems))
    return written, (*dropped, *rewriter.dropped)


def _name_problems(schema: dict[str, Any], profile: Profile) -> list[str]:
    if profile.names is None:
        return []
    wrong = [name for name in schema.get("properties", ()) if not re.fullmatch(profile.names, name)]
    return [
        f"{json_path(('properties', name))}: {profile.taker} takes names of {profile.names_rule}; rename it"
        for name in wrong
    ]


# --- The top of the schema ---


def with_plain_top(schema: dict[str, Any], profile: Profile) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    """Return a schema with a top that a provider accepts, and what that leaves out.

    Schemas made from signatures have a plain top; external ones may combine several. Joined schemas become one; alternatives become one object
    with the properties of all, which requires what all require.

    Args:
        schema: The schema of the parameters.
        profile: The schemas that the provider accepts.
    """
    refused = profile.top_without
    if not refused & schema.keys():
        return schema, ()
    references = References(schema)
    plain, is_all = _merge_composition(schema, references)
    lost: dict[str, Any] = {} if is_all else {keyword: schema[keyword] for keyword in JOINING if keyword in schema}
    for keyword in [each for each in plain if each in refused]:
        lost[keyword] = plain.pop(keyword)
        if keyword in _CHOICES:
            _add_branches(
                plain, [_merge_composition(each, references)[0] for each in lost[keyword] if isinstance(each, dict)]
            )
    if description := add_keywords_text(plain.get("description"), lost):
        plain["description"] = description
    reason = f"{profile.taker} takes a plain object at the top"
    return plain, tuple(
        Dropped(path="$", keyword=keyword, value=value, reason=reason) for keyword, value in lost.items()
    )


def _merge_composition(schema: dict[str, Any], references: References) -> tuple[dict[str, Any], bool]:
    """Return a schema merged with those that it refers to and joins, and whether that is exact."""
    first, *others = composed_schemas(schema, references, [])
    whole = {"type": "object", "properties": {}, **first}
    together = merge(whole, others)
    return (
        (_merge_loosely(whole, [each for each in others if isinstance(each, dict)]), False)
        if together is None
        else (together, True)
    )


def _merge_loosely(schema: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one schema that accepts what several accept together, and possibly more."""
    result = {**schema, "properties": dict(schema["properties"]), "required": list(schema.get("required", ()))}
    for other in others:
        for name, each in other.get("properties", {}).items():
            result["properties"].setdefault(name, each)
        result["required"] += [name for name in other.get("required", ()) if name not in result["required"]]
    result.pop("additionalProperties", None)
    return result


def _add_branches(schema: dict[str, Any], branches: list[dict[str, Any]]) -> None:
    """Add the properties of all alternatives to an object, and require what all of them require."""
    properties = dict(schema["properties"])
    if schema.get("additionalProperties", True) is not False:
        names = dict.fromkeys(name for branch in branches for name in branch["properties"] if name not in properties)
        for name in names:
            schemas = without_duplicates(
                branch["properties"][name] for branch in branches if name in branch["properties"]
            )
            properties[name] = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    schema["properties"] = properties
    required = [set(branch.get("required", ())) for branch in branches]
    wanted = [*schema.get("required", ()), *sorted(set.intersection(*required) if required else ())]
    if wanted:
        schema["required"] = list(dict.fromkeys(wanted))
    if branches and all(branch.get("additionalProperties") is False for branch in branches):
        schema["additionalProperties"] = False


_CHOICES: Final = ("anyOf", "oneOf")
