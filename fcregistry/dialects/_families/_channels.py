"""Which families write messages into channels, and calls as messages to a tool?"""

from __future__ import annotations

from typing import Final

from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt, typescript
from fcregistry.dialects._sections import Calls, Words
from fcregistry.dialects._syntaxes._channels import ENDS, read_header, read_message, read_start, write_messages

_NEXT: Final = ("<|start|>", "<|channel|>")


def _result(name: str, content: str, id: str | None) -> str:
    return f"functions.{name} returned:\n{content}"


HARMONY: Final = Dialect(
    name="harmony",
    models="gpt-oss",
    source='OpenAI, "OpenAI Harmony Response Format"',
    sections=(
        Calls(
            opens=("<|channel|>commentary to=", "<|channel|>analysis to=", "<|channel|>final to="), read=read_message
        ),
        Words(opens=("<|channel|>analysis<|message|>",), closes=ENDS, before=_NEXT, kind="reasoning"),
        Words(
            opens=("<|channel|>final<|message|>", "<|channel|>commentary<|message|>"),
            closes=ENDS,
            before=_NEXT,
            kind="content",
        ),
        Calls(opens=("<|channel|>final <|constrain|>", "<|channel|>commentary <|constrain|>"), read=read_header),
        Calls(opens=("<|start|>",), read=read_start),
    ),
    write=write_messages,
    prompt=Prompt(
        before="# Tools\n\n## functions\n\nnamespace functions {\n\n",
        each=typescript,
        between="\n\n",
        after="\n\n} // namespace functions\n\nCalls to these tools go to the commentary channel.",
        result=_result,
        marks=("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", *ENDS),
    ),
    thinks=None,
    stops=ENDS,
    limits="A name is letters, digits, `_`, `-` and `.`. A message to a tool that is no JSON object, such as Python code for the built-in "
    "`python`, is content.",
)

ROWS: Final = (HARMONY,)
