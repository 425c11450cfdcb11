"""Counts the right calls of a model that runs on this machine: SmolLM2 on 60 questions, each with one tool, asked in three ways.

    python tests/benchmarks/local_model.py [ours] [schema] [text]

- `ours`: as `LlamaModel` asks, held to the tool's schema with every text, list and number bounded;
- `schema`: held to the tool's schema as it is;
- `text`: not held to anything; the first JSON object in what it writes is taken.

A call is valid if its tool's validator says so, and right if each required argument is among those that the question's author expects; texts
are compared by their letters and digits alone. The questions (local_model.jsonl) were written before anything was tuned. The prompt was chosen
by the even ones; the odd ones were held out. Of xllamacpp 2026.10.11549:

    ours     valid 60   right 46   right of the 30 held out 23
    schema   valid 56   right 41   right of the 30 held out 20
    text     valid  0   right  0   right of the 30 held out  0
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fcregistry_llama import LlamaModel, fetch_smollm2
from fcregistry_llama._asking import Settings, ask
from fcregistry_llama._prompts import arguments_instructions, conversation
from fcregistry_llama._servers import server

from fcregistry import Tool
from fcregistry.models import messages_of

QUESTIONS = Path(__file__).with_suffix(".jsonl")
SETTINGS = Settings(temperature=0.0, seed=0, max_tokens=300)


class Question(NamedTuple):
    """A question with its tool, and what is expected: parameter -> the values that are right."""

    text: str
    tool: Tool
    expected: dict[str, list[Any]]


def questions() -> Iterator[Question]:
    """Yield the questions in their order."""
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        read = json.loads(line)
        yield Question(read["question"], Tool.from_function(_never_run, **read["tool"]), read["expected"])


def _never_run(**arguments: Any) -> None:
    raise AssertionError("nothing is run here")


def ours(model: LlamaModel, question: Question) -> object:
    """Return the arguments of the call that the model makes."""
    (call,) = model.complete(question.text, [question.tool], tool_choice=question.tool.name).message.tool_calls
    return call.arguments


def schema(model: LlamaModel, question: Question) -> object:
    """Return what the model writes where it is held to the tool's schema as it is."""
    return read(said(model, arguments_instructions(question.tool), question.text, question.tool.parameters))


def text(model: LlamaModel, question: Question) -> object:
    """Return the arguments in the first JSON object that the model writes of its own."""
    tools = json.dumps(question.tool.definition("openai"))
    told = (
        f"You call functions. Those there are: {tools}\n"
        'Answer with a call alone: <tool_call>{"name": …, "arguments": {…}}</tool_call>'
    )
    written = said(model, told, question.text)
    found = next((value for place in range(len(written)) if (value := first(written[place:])) is not None), None)
    return found.get("arguments", found) if found else None


def said(model: LlamaModel, told: str, question: str, schema: Mapping[str, Any] | None = None) -> str:
    """Return what the model writes in answer to a question."""
    return ask(server(model._loading()), conversation(messages_of(question), told), SETTINGS, schema=schema).text


def first(written: str) -> dict[str, Any] | None:
    """Return the JSON object that a text begins with, or None."""
    if not written.startswith("{"):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(written)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def read(written: str) -> object:
    """Return the JSON value that a text is, or None."""
    try:
        return json.loads(written)
    except ValueError:
        return None


def is_right(question: Question, arguments: dict[str, Any]) -> bool:
    """Tell whether every argument that is expected is one of those that are right."""
    return all(
        name in arguments and compared(arguments[name]) in map(compared, values)
        for name, values in question.expected.items()
    )


def compared(value: Any) -> Any:
    """Return a value as it is compared: texts by their letters and digits, and true as something else than 1."""
    if isinstance(value, str):
        return "".join(letter for letter in value.lower() if letter.isalnum())
    if isinstance(value, bool):
        return f"is {value}"
    if isinstance(value, list):
        return [compared(each) for each in value]
    return {name: compared(each) for name, each in value.items()} if isinstance(value, dict) else value


WAYS: dict[str, Callable[[LlamaModel, Question], object]] = {"ours": ours, "schema": schema, "text": text}


def measured(way: str, model: LlamaModel) -> str:
    """Return the line of one way of asking."""
    begun = time.perf_counter()
    valid = right = held_out = 0
    for number, question in enumerate(questions()):
        arguments = WAYS[way](model, question)
        if isinstance(arguments, dict) and question.tool.validator().is_valid(arguments):
            valid += 1
            is_right_one = is_right(question, arguments)
            right += is_right_one
            held_out += is_right_one and number % 2
    seconds = (time.perf_counter() - begun) / (number + 1)
    return f"{way:<8} valid {valid:>2}   right {right:>2}   right of the 30 held out {held_out:>2}   {seconds:.1f} s a question"


if __name__ == "__main__":
    with LlamaModel(fetch_smollm2(), threads=1, context=4096, max_tokens=SETTINGS.max_tokens) as asked:
        for name in sys.argv[1:] or WAYS:
            print(measured(name, asked), flush=True)
