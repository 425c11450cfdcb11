"""Is a tool more than a model takes in?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fcregistry._base.messages import json_path
from fcregistry.formats._format import told
from fcregistry.inspection._lint._core import Remark, Rule, Subject, place_of
from fcregistry.inspection._lint._schemas import compact, path_deeper_than, walk

BYTES_PER_TOKEN: Final = 4
"""Tokenizers differ; of English and JSON they make about one token of four bytes of UTF-8."""

MOST_TOKENS: Final = 2_000
"""Tokens of one tool: it is sent with every request, beside all others."""

MOST_CHOICES: Final = 250
"""Values of one `enum`. Beyond them OpenAI counts their letters too (OpenAI, "Structured Outputs", supported schemas)."""

MOST_LEVELS: Final = 6
"""Levels of values inside values, the arguments themselves being none."""


def token_estimate(value: Any) -> int:
    """Return about how many tokens a JSON value takes: its bytes as UTF-8 without spaces, divided by 4, rounded up."""
    return -(-len(compact(value).encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _huge(subject: Subject) -> Iterator[Remark]:
    tool = subject.tool
    tokens = token_estimate({"name": tool.name, "description": told(tool), "parameters": subject.schema})
    if tokens > MOST_TOKENS:
        yield Remark(f"describing it takes about {tokens} tokens of each request, more than {MOST_TOKENS}")


def _many_choices(subject: Subject) -> Iterator[Remark]:
    for inside in walk(subject.schema):
        choices = inside.schema.get("enum") if isinstance(inside.schema, dict) else None
        if isinstance(choices, list) and len(choices) > MOST_CHOICES:
            where = json_path(inside.path)
            message = f"the enum at {where} has {len(choices)} values, more than {MOST_CHOICES}"
            yield Remark(message, where, place_of(inside.path))


def _deep(subject: Subject) -> Iterator[Remark]:
    path = path_deeper_than(subject.schema, MOST_LEVELS)
    if path is not None:
        where = json_path(path)
        message = f"values lie more than {MOST_LEVELS} levels deep, as at {where}"
        yield Remark(message, where, place_of(path))


RULES: Final = (
    Rule(
        id="huge-schema",
        severity="warning",
        advice="make several tools of it, shorten descriptions, or take a name where a choice is long",
        check=_huge,
    ),
    Rule(
        id="large-enum",
        severity="warning",
        advice="take a string, and answer an unknown one with the nearest names; or offer a tool that searches them",
        check=_many_choices,
    ),
    Rule(
        id="deep-nesting",
        severity="warning",
        advice="take some of the inner values as parameters of their own",
        check=_deep,
    ),
)
