"""How is a difference said?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fcregistry._base.messages import KINDS, json_path, show
from fcregistry.inspection._diff._differences import Difference, Path, said
from fcregistry.inspection._diff._documents import enforced, json_text

_UNSAID: Final = frozenset({"$comment", "$defs", "$schema", "definitions"})
_MOST_VALUES: Final = 10


def segment(name: str) -> str:
    """Return a name as a segment of a path: `.name`, or `['odd name']`."""
    return json_path((name,))[1:]


def shown_path(path: Path) -> str:
    """Return a path: `$.address.zip`, `$.items[*]` for every item, `$.*` for every other name."""
    return f"${''.join(path)}"


def listed(values: Sequence[Any]) -> str:
    """Return JSON values in words, the first ones of many."""
    texts = [show(value) for value in values[:_MOST_VALUES]]
    more = len(values) - len(texts)
    if more:
        return f"{', '.join(texts)} and {more} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def kind_of(schema: Any) -> str:
    """Return in a few words which values a schema takes."""
    if not isinstance(schema, dict) or not schema:
        return "nothing" if schema is False else "any value"
    if isinstance(schema.get("title"), str):
        return show(schema["title"])
    if isinstance(schema.get("$ref"), str):
        return show(schema["$ref"].rpartition("/")[2])
    if "const" in schema or isinstance(schema.get("enum"), list):
        return listed([schema["const"]] if "const" in schema else schema["enum"])
    if tag := tag_of(schema):
        return f"an object with {tag[0]} {show(tag[1])}"
    return types_in_words(schema.get("type"))


def types_in_words(said_type: Any) -> str:
    """Return what `type` says in words."""
    names = said_type if isinstance(said_type, list) else [said_type]
    return " or ".join(KINDS.get(name, "any value") if isinstance(name, str) else "any value" for name in names)


def tag_of(schema: dict[str, Any]) -> tuple[str, Any] | None:
    """Return the property that tells an object from its alternatives by its one value, and that value."""
    properties = schema.get("properties")
    for name, each in properties.items() if isinstance(properties, dict) else ():
        if isinstance(each, dict) and "const" in each:
            return name, each["const"]
        if isinstance(each, dict) and isinstance(each.get("enum"), list) and len(each["enum"]) == 1:
            return name, each["enum"][0]
    return None


def changed(name: str, old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return how what stands under a name differs between two objects."""
    if name not in old:
        return f"{name} {show(new[name])} is new"
    if name not in new:
        return f"{name} {show(old[name])} is gone"
    return f"{name} was {show(old[name])}, is {show(new[name])}"


def spoken_differences(old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield the differences in what a schema says and does not ask for: descriptions, titles, defaults, examples, others' keywords."""
    asked = enforced(old).keys() | enforced(new).keys() | _UNSAID
    for name in [*new, *(each for each in old if each not in new)]:
        if name not in asked and (name not in old or name not in new or json_text(old[name]) != json_text(new[name])):
            yield said(path, changed(name, old, new), "default" if name == "default" else "said")
