"""Which way of writing calls do agents ask for that think in lines: a thought, an action, an observation?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry import formats
from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt
from fcregistry.dialects._sections import Calls, Words
from fcregistry.dialects._syntaxes._react import (
    INPUT,
    LABELS,
    read_action,
    read_nothing,
    read_the_rest,
    write_actions,
)

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool


def _told(tool: Tool) -> str:
    return str(formats.get("text").describe_one(tool))


REACT: Final = Dialect(
    name="react",
    models="any model that is told to",
    source='Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models"; the prompts of LangChain and LlamaIndex',
    sections=(
        Calls(opens=("Action:",), read=read_action, at="line"),
        Words(opens=("Thought:",), before=tuple(f"\n{label}" for label in LABELS), kind="reasoning", at="line"),
        Calls(opens=("Final Answer", "Answer:"), read=read_nothing, at="line"),
        Calls(opens=("Observation:",), read=read_the_rest, at="line"),
    ),
    write=write_actions,
    prompt=Prompt(
        before="You can use these tools:\n\n",
        each=_told,
        after="\n\nUse this format:\n\nThought: what you think is to be done\nAction: the name of one tool\n"
        f"{INPUT} its arguments, a JSON object on one line\nObservation: what the tool answers\n"
        "... (this may repeat)\nThought: I know the answer\nFinal Answer: your answer\n\nStop behind the input of an action: "
        "the observation is given to you.",
        result=lambda name, content, call_id: f"Observation: {content}",
        marks=(*LABELS, INPUT),
    ),
    limits="A name is letters, digits, `_`, `-` and `.`. Text that is no JSON object is one line, or stands in a code fence, and the line must "
    "have ended: stop at `Observation:`, not at the line end before it. An observation that the model invents is cut off, with all behind it.",
)

ROWS: Final = (REACT,)
