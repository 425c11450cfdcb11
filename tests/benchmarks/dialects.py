"""Times reading calls out of a model's text, whole and character by character, beside loops over the same text that find nothing."""

from __future__ import annotations

import json
from functools import partial

from _clock import compare, walk, walk_and_parse
from _tables import Row, Table, present, times

from fcregistry import Tool, dialects

ARGUMENTS = {
    "query": "the weather in the cities of the north, and how it was in the year before " * 3,
    "cities": ["Oslo", "Bergen", "Trondheim", "Tromsø", "Kirkenes", "Hammerfest", "Alta", "Bodø"],
    "days": list(range(24)),
    "options": {"unit": "celsius", "detail": {"wind": True, "rain": True, "snow": None}, "limit": 12.5},
}
WORDS = "The weather in the north was colder than in the year before, and it rained. "
SIZE = 1024
LONG = 1_000_000
HOSTILE = {
    "1 MB of `{`": "{" * LONG,
    "1 MB of marks that open calls": "<tool_call>" * (LONG // 11),
    "1 MB of calls that are begun": '<tool_call>{"name": ["' * (LONG // 22),
    "1 MB of escapes in a string": '<tool_call>{"name": "' + "\\\\" * (LONG // 2),
    "1 MB of comments that are not closed": "<tool_call>{/*" * (LONG // 14),
    "1 MB of white space": " " * LONG,
}
BARE = {
    "1 MB of `{x`, which is not JSON": "{x" * (LONG // 2),
    "1 MB of `[x`, which is not JSON": "[x" * (LONG // 2),
    "1 MB of `{}`, which is not a call": "{}" * (LONG // 2),
}
"""Texts that are hostile to a family without marks."""
FAMILIES = ("hermes", "mistral", "deepseek-v3", "qwen3-coder", "glm-4.5", "pythonic", "harmony", "json")


def search(query: str, cities: list[str], days: list[int], options: dict[str, object]) -> str:
    """Search."""
    return query


TOOLS = [Tool.from_function(search)]


def reply(dialect: dialects.Dialect) -> str:
    """Return a reply of 1 KB: words and one call."""
    call = dialect.render_calls([TOOLS[0].make_call(**ARGUMENTS)])
    return (WORDS * 20)[: max(SIZE - len(call), 0)] + "\n" + call


def streamed(dialect: dialects.Dialect, text: str) -> dialects.Parsed:
    """Read a text character by character."""
    stream = dialect.stream(TOOLS)
    for character in text:
        stream.feed(character)
    return stream.close()


def pieces_by_hand(text: str, call: str) -> object:
    """Keep each character of a text, and parse the JSON of its call."""
    pieces: list[str] = []

    def feed(piece: str) -> None:
        pieces.append(piece)

    for character in text:
        feed(character)
    return json.loads(call)


def family(name: str) -> list[Row]:
    """Time one family."""
    dialect = dialects.get(name)
    text = reply(dialect)
    assert len(dialect.parse(text, TOOLS).tool_calls) == 1
    assert streamed(dialect, text) == dialect.parse(text, TOOLS)
    parsed = json.dumps({"name": "search", "arguments": ARGUMENTS})
    whole = compare(partial(walk_and_parse, text, parsed), lambda: dialect.parse(text, TOOLS))
    pieces = compare(partial(pieces_by_hand, text, parsed), lambda: streamed(dialect, text))
    # 100 µs, and 2 ms in pieces: faster is not noticed. In pieces, each feed also makes sure that no other thread reads the same stream.
    return [
        times(f"`{name}`: a reply of 1 KB", *whole, "µs", most=8),
        times(f"`{name}`: the same, character by character", *pieces, "µs", most=55),
    ]


def hostile() -> list[Row]:
    """Time texts that are meant to take long."""
    return [
        times(what, *compare(partial(walk, text), partial(dialects.get(name).parse, text), rounds=3), "ms")
        for name, texts in (("hermes", HOSTILE), ("json", BARE))
        for what, text in texts.items()
    ]


def main() -> None:
    """Show what was measured."""
    rows = [row for name in FAMILIES if name in dialects.names() for row in family(name)]
    words = (
        "A model's reply contains some text and one call. The schema of the tool is known. The floor is a loop in Python "
        "over the characters of the reply, or a function that gets one at a time, and `json.loads` of the call."
    )
    long = (
        "Text that a model, or an attacker, could write to make the reader slow. The floor is a walk over all "
        "characters. If the text is read in one pass, the ratio stays small, whatever the text is."
    )
    present(
        Table(title="Calls in the text of models", words=words, rows=rows),
        Table(title="Hostile text", words=long, rows=hostile()),
    )


if __name__ == "__main__":
    main()
