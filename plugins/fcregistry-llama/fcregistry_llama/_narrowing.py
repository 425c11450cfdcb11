"""Narrows the parameters of a tool to what the user says, for very small models.

A text is a run of the user's words, a number is one of the user's numbers, and optional parameters are left out unless the user mentions them.
The value of one parameter is not offered to the next one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import MissingDependencyError
from fcregistry.models import best_tools

if TYPE_CHECKING:
    from fcregistry import Tool

_MOST_WORDS: Final = 100
"""The most words of a text that values are copied from; from a longer text, nothing is copied."""

_LONGEST_RUN: Final = 16
"""The most words of a copied value."""

_SHORT: Final = 3
"""The most words of a text whose first word is offered as a value; in longer ones, it says what to do."""

_MOST_LISTED: Final = 20
"""The most numbers of a text of which every run is offered as a list."""

_LARGEST: Final = 10_000
"""The largest number that is offered if the text has none."""

_FORMATS: Final = {
    "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "uri": re.compile(r"https?://[^\s'\"<>]+[\w/]"),
    "date": re.compile(r"\b\d{4}-\d\d-\d\d\b"),
}
"""Format -> texts in it."""

_DATED: Final = re.compile(r"\d+([-/.:])\d+(\1\d+)+|\d+:\d+")
_NUMBER: Final = re.compile(
    r"(?<![\w.^])([-+]?)(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(\.\d+)?(\s?%|\s+percent)?", re.IGNORECASE
)
_BRACKETS: Final = re.compile(r"[\[({][^\[\](){}]*[\])}]")
_NO: Final = re.compile(r"\b(no|not|never|without|off)\b|n['\u2019]t\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+")
_NUMBER_WORDS: Final = {
    word: number
    for number, words in enumerate(
        (
            *("zero", "one once", "two twice", "three thrice", "four", "five", "six", "seven", "eight", "nine", "ten"),
            *("eleven", "twelve dozen", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
            *("nineteen", "twenty"),
        )
    )
    for word in words.split()
}
_LINKS: Final = frozenset(
    ["about", "and", "as", "at", "by", "for", "from", "in", "into", "is", "of", "on", "or", "that", "to", "with"]
)
"""Words that do not start or end a value, and that are between two values more often than within one."""

BETWEEN_VALUES: Final = _LINKS - {"and", "of", "or"}
"""Words that a value does not contain if another parameter follows."""

_BETWEEN_ITEMS: Final = _LINKS - {"of"} | {","}

_NOT_LAST: Final = _LINKS | {"a", "an", "the"}

_OWNER: Final = re.compile("['\u2019]s$")
_EDGES: Final = " \t\n.,;:!?()[]{}<>'\"`\u201c\u201d\u2018\u2019"
"""Characters that are removed from both ends of a copied value."""

_FREE: Final = frozenset({"type", "title", "description", "default", "examples"})
"""The keywords of a schema of any text."""

_NUMERIC: Final = ("integer", "number")


_FEW: Final = 3
"""The most tools that a search leaves to choose from."""

_OPERATIONS: Final = tuple(
    (re.compile(rf"(?<=\d)(?:{signs})(?=\d)", re.IGNORECASE), name)
    for signs, name in (
        (r"\s*[\u00d7*\u00b7x]\s*|\s+times\s+|\s+multiplied by\s+", "multiply"),
        (r"\s*\u00f7\s*|\s+/\s+|\s+divided by\s+", "divide"),
        (r"\s+[-\u2212]\s+|\s+minus\s+", "subtract"),
        (r"\s*[+]\s*|\s+plus\s+", "add"),
        (r"\s*(?:\^|[*]{2})\s*", "power"),
    )
)
"""Pattern of the signs and words between two numbers -> the name of the operation."""

_DIGITS: Final = re.compile(r"\d[\d.,]*")


class Narrowing:
    """The user's text, from which the values of one call are taken.

    Args:
        text: What the user says.
    """

    def __init__(self, text: str) -> None:
        self._text = self._left = text
        self._stems = _stems(text)
        self._all = self._numbers = _numbers(text)

    def names_to_ask(self, parameters: Mapping[str, Any]) -> list[str]:
        """Return the names of the parameters to ask for, the simplest types first.

        They are the required parameters, and those that the text mentions.

        Args:
            parameters: The schema of the tool's parameters.
        """
        properties = parameters.get("properties", {})
        names = [name for name in properties if self._is_asked(name, properties[name], parameters)]
        return sorted(names, key=lambda name: self._rank(properties[name]))

    def narrow(self, schema: Any, *, name: str = "", breaks: frozenset[str] = frozenset()) -> Any:
        """Return a schema whose values are taken from the text, as far as that is possible.

        Args:
            schema: The schema of a parameter.
            name: The name of the parameter.
            breaks: Words that a value does not contain.
        """
        if not isinstance(schema, Mapping):
            return schema
        kind = schema.get("type")
        if values := self._mentioned_values(schema):
            return {"enum": values}
        if kind in _NUMERIC and self._all:
            return {"enum": self._fitting_numbers(schema)} if self._fitting_numbers(schema) else schema
        if kind in _NUMERIC and not {"maximum", "exclusiveMaximum"} & schema.keys():
            return {**schema, "maximum": max(_LARGEST, schema.get("minimum", 0))}
        if kind == "boolean" and not self._stems.isdisjoint(_stems(name)) and not _NO.search(self._text):
            return {"enum": [True]}
        if kind == "string" and (found := _FORMATS.get(schema.get("format", ""))):
            return {"enum": found.findall(self._text)} if found.search(self._text) else schema
        if (
            kind == "string"
            and _FREE.issuperset(schema)
            and (runs := _runs(self._left, breaks) or _runs(self._text, breaks))
        ):
            return {"type": "string", "pattern": runs}
        narrow = dict(schema)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                narrow[keyword] = [self.narrow(each) for each in schema[keyword]]
        if isinstance(items := schema.get("items"), Mapping):
            if items.get("type") in _NUMERIC and (lists := self._lists(schema, items)):
                return {"enum": lists}
            narrow["items"] = self.narrow(items, breaks=_BETWEEN_ITEMS)
            if "maxItems" not in schema and (values := self._mentioned_values(items)):
                narrow["maxItems"] = max(len(values), schema.get("minItems", 0))
            if items.get("type") == "string":
                narrow.setdefault("minItems", 1)
        if isinstance(properties := schema.get("properties"), Mapping):
            names = [each for each in properties if self._is_asked(each, properties[each], schema)]
            narrow["properties"] = {each: self.narrow(properties[each], name=each) for each in names}
            narrow["required"] = [*dict.fromkeys((*schema.get("required", ()), *names))]
        return narrow

    def take(self, value: Any) -> None:
        """Record the value of a parameter: other parameters are less likely to have it, too."""
        if isinstance(value, str):
            self._left = self._left.replace(value, "\0", 1)
        elif isinstance(value, list):
            for each in value:
                self.take(each)
            self._left = next(
                (
                    self._left.replace(each, "\0", 1)
                    for each in _BRACKETS.findall(self._left)
                    if [forms[-1] for forms in _numbers(each)] == value
                ),
                self._left,
            )
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            place = next((place for place, forms in enumerate(self._numbers) if value in forms), None)
            if place is not None:
                self._numbers = [*self._numbers[:place], *self._numbers[place + 1 :]]

    def _is_asked(self, name: str, schema: Any, parent: Mapping[str, Any]) -> bool:
        """Return whether the parameter `name` of `parent` is required, or mentioned in the text."""
        if name in parent.get("required", ()):
            return True
        if not isinstance(schema, Mapping):
            return False
        items = schema.get("items")
        if self._mentioned_values(items if isinstance(items, Mapping) else schema):
            return True
        if schema.get("type") in _NUMERIC:
            needed = [parent["properties"].get(each, {}).get("type") for each in parent.get("required", ())]
            if len(self._all) <= sum(each in (*_NUMERIC, "array") for each in needed):
                return False
        return not self._stems.isdisjoint(_stems(name) - {"numbe", "name", "type", "get"})

    def _rank(self, schema: Any) -> int:
        """Return the rank of a parameter with `schema`: the lower, the simpler are its values."""
        if not isinstance(schema, Mapping):
            return 3
        if "enum" in schema or "const" in schema or self._mentioned_values(schema) or schema.get("type") == "boolean":
            return 0
        return 1 if schema.get("type") in _NUMERIC else 2

    def _mentioned_values(self, schema: Mapping[str, Any]) -> list[str]:
        """Return the values that the text mentions, of the `enum` of `schema`, or quoted in its description."""
        values: Iterable[Any] = schema.get("enum", ())
        if schema.get("type") == "string" and _FREE.issuperset(schema):
            values = re.findall(r"(?<!\w)['\"`]([^'\"`]{2,30})['\"`]", str(schema.get("description", "")))
        mentioned = list(dict.fromkeys(each for each in values if isinstance(each, str) and each))
        exact = [each for each in mentioned if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", self._text, re.IGNORECASE)]
        return exact or [each for each in mentioned if _stems(each) and _stems(each) <= self._stems]

    def _lists(self, schema: Mapping[str, Any], items: Mapping[str, Any]) -> list[list[float]]:
        """Return the lists of numbers in the text that fit `schema` and `items`.

        The numbers are in brackets, or one after the other.
        """
        numbers = [forms[-1] for forms in self._numbers or self._all]
        lists = [[forms[-1] for forms in _numbers(each)] for each in _BRACKETS.findall(self._left)]
        lists = [each for each in lists if len(each) > 1]
        if not lists and len(numbers) <= _MOST_LISTED:
            places = range(len(numbers) + 1)
            lists = [numbers[start:end] for start in places for end in places if end - start > 1] or [numbers]
        least, most = schema.get("minItems", 1), schema.get("maxItems", math.inf)
        return [
            each
            for each in lists
            if least <= len(each) <= most and (items["type"] == "number" or all(isinstance(n, int) for n in each))
        ]

    def _fitting_numbers(self, schema: Mapping[str, Any]) -> list[float]:
        """Return the numbers in the text that fit `schema`: those that are not taken yet, or else all of them."""
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        kinds = int if schema["type"] == "integer" else (int, float)
        for forms in (self._numbers, self._all):
            if fitting := [each for each in sum(forms, ()) if low <= each <= high and isinstance(each, kinds)]:
                return [*dict.fromkeys(fitting)]
        return []


def nearest(tools: Sequence[Tool], text: str) -> list[Tool]:
    """Return the tools that suit `text` best.

    They share the most words with `text`. Of more than a few tools, only the few are compared that a search finds; if it finds none, all suit.
    The tools of operations between numbers come first, and those for the other words follow: `10 - 12` may also be a range.
    """
    if len(tools) > _FEW:
        operations = " ".join(name for pattern, name in _OPERATIONS if pattern.search(text))
        suiting: dict[str, Tool] = {}
        with suppress(MissingDependencyError):  # this Python cannot search
            for words in filter(None, (operations, _DIGITS.sub(" ", text))):
                found = best_tools(tools, words, _FEW)
                suiting |= {tool.name: tool for tool in _most_similar(found, words)} if found else {}
            return [*suiting.values()][:_FEW] or [*tools]
    return _most_similar(tools, text)


def _most_similar(tools: Sequence[Tool], text: str) -> list[Tool]:
    """Return those of `tools` that share the most words with `text`; rare words count more."""
    described = [
        (_stems(f"{tool.name} {tool.description}"), _stems(" ".join(tool.parameters.get("properties", ()))))
        for tool in tools
    ]
    scores = [0.0] * len(tools)
    for stem in sorted(_stems(text)):
        counts = [(stem in about) + 0.5 * (stem in names) for about, names in described]
        if matching := sum(map(bool, counts)):
            weight = math.log(1 + len(tools) / matching)
            scores = [score + count * weight for score, count in zip(scores, counts, strict=True)]
    return [tool for tool, score in zip(tools, scores, strict=True) if score == max(scores)]


def _stems(text: str) -> set[str]:
    """Return the first letters of the words in `text`, the same for `detailed` and `detail_level`."""
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).replace("_", " ").lower()
    return {word[:5] for word in re.findall(r"\w{3,}", split)} - {"the", "and", "for"}


def _numbers(text: str) -> list[tuple[float, ...]]:
    """Return the numbers in `text`, in digits or words, each in all its forms: 5 % is 5 or 0.05."""
    found: dict[int, tuple[float, ...]] = {}
    text = _DATED.sub(lambda match: "_" * len(match.group()), text)
    for match in _NUMBER.finditer(text):
        sign, whole, fraction, percent = match.groups()
        digits = f"{sign}{whole.replace(',', '')}{fraction or ''}"
        number = float(digits) if fraction else int(digits)
        found[match.start()] = (number, round(number / 100, 10)) if percent else (number,)
    for match in _WORD.finditer(text.lower()):
        if match.group() in _NUMBER_WORDS:
            found[match.start()] = (_NUMBER_WORDS[match.group()],)
    return [found[place] for place in sorted(found)]


def _runs(text: str, breaks: frozenset[str]) -> str:
    """Return a pattern of every run of words in `text`.

    It is an empty text if there is no run, or there are too many words.

    A run does not contain any of the words `breaks`.
    """
    if len(text.split()) > _MOST_WORDS:
        return ""
    sentences = (part.split() for part in re.split(r"\0|(?<=\w{3}[.!?])\s", text))
    starts = dict.fromkeys(start for words in sentences for start in _starts(words, breaks))
    return f"^({'|'.join(starts)})$" if starts else ""


def _starts(words: Sequence[str], breaks: frozenset[str]) -> Iterator[str]:
    """Yield, for each of `words`, those of a sentence, the pattern of the runs that start with it."""
    for first in range(1 if len(words) > _SHORT else 0, len(words)):
        if words[first].lower() in _LINKS:
            continue
        pattern = ""
        for place in reversed(range(first, min(len(words), first + _LONGEST_RUN))):
            core = words[place].rstrip(_EDGES)
            rest = words[place][len(core) :]
            if (short := _OWNER.sub("", core)) != core:
                core, rest = short, f"{core[len(short) :]}{rest}"
            body = core.lstrip(_EDGES) if place == first else f" {core}"
            if not body.strip() or core.lower() in breaks:
                pattern = ""
                continue
            if "," in breaks and rest:
                pattern = ""
            if core.lower() in _NOT_LAST:
                pattern = pattern and f"{_escape(body)}{_escape(rest)}{pattern}"
            else:
                pattern = _escape(body) + (f"({_escape(rest)}{pattern})?" if pattern else "")
        if pattern:
            yield pattern


def _escape(text: str) -> str:
    """Return `text` as a regular expression that decoders read as literal text."""
    return re.sub(r"([\\^$.|?*+()\[\]{}/-])", r"\\\1", text)
