"""The table of dialects: which module has which, and the names of the models that write each.

Importing this module loads no dialect. A module of families is imported when one of its dialects is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fcregistry.dialects._dialect import Dialect


def row_of(name: str) -> Dialect:
    """Return the dialect *name* of the table.

    Raises:
        KeyError: The table has no dialect of that name.
    """
    rows: tuple[Dialect, ...] = import_module(f"fcregistry.dialects.{HOMES[name]}").ROWS
    return next(row for row in rows if row.name == name)


def names() -> tuple[str, ...]:
    """Return the names of all dialects, sorted, without `auto`."""
    return tuple(sorted(HOMES))


MODEL_PATTERNS: Final = (
    # Models that others were distilled from, or trained on, come first: DeepSeek-R1-Distill-Llama, Hermes-3-Llama.
    ("deepseek-v3.2", r"deepseek-?v(?:3\.2|4)"),
    ("deepseek-v3.1", r"deepseek-?v3\.1"),
    ("deepseek-v3", r"deepseek-?v3(?!\.)"),
    ("deepseek-r1", r"deepseek-?r1"),
    ("hermes", r"hermes"),
    ("xlam", r"xlam"),
    ("pythonic", r"toolace"),
    ("qwen3-coder", r"nemotron-?3"),
    ("nemotron", r"nemotron"),
    ("qwen3-coder", r"qwen-?3-?coder|qwen-?3\.5|step-?3\.5"),
    ("hermes", r"qwen-?2\.5|qwen-?3|qwq|trinity-(?:nano|mini|large)"),
    ("qwen-flower", r"qwen-?2(?!\.)"),
    ("glm-4.5", r"glm-?4\.[567]|ling-?3|spark-?2\.5|poolside"),
    ("glm-4", r"glm-?4(?!\.)"),
    ("granite4", r"granite-?4"),
    ("granite", r"granite"),
    ("functiongemma", r"functiongemma"),
    ("gemma4", r"gemma-?4"),
    ("apertus", r"apertus"),
    ("claude-xml", r"claude"),
    ("command-r", r"command-?[ra](?![a-z])"),
    ("ernie-4.5", r"ernie-?4\.5"),
    ("harmony", r"gpt-?oss"),
    ("hunyuan", r"hunyuan-?a13b"),
    ("inkling", r"inkling(?![a-z])"),
    ("internlm2", r"internlm-?[23]"),
    ("jamba", r"jamba|apriel"),
    ("kimi-k2", r"kimi-?k2"),
    ("kimi-k3", r"kimi-?k3"),
    ("k2-horizon", r"k2-?horizon"),
    ("muse", r"muse(?![a-z])"),
    ("plamo3", r"plamo-?3"),
    ("solar-open2", r"solar-?(?:open-?2|pro-?4)"),
    ("hy-v3", r"hy-?3|hy-?v3|hunyuan-?3"),
    ("dots", r"dots\.?-?llm"),
    ("gigachat3.5", r"gigachat-?3\.5"),
    ("gigachat3", r"gigachat-?3"),
    ("llama3", r"functionary[\w-]*3\.1"),
    ("functionary", r"functionary[\w-]*v-?3|functionary-?3"),
    ("lfm2", r"lfm-?2"),
    ("longcat", r"longcat"),
    ("mimo", r"mimo-?v2"),
    ("minicpm", r"minicpm-?[34]"),
    ("minicpm5", r"minicpm-?5"),
    ("minimax-m2", r"minimax-?m2"),
    ("minimax-m3", r"minimax-?m3"),
    ("olmo3", r"olmo-?3"),
    ("phi4", r"phi-?4-?mini"),
    ("seed-oss", r"seed-?oss"),
    ("step3", r"step-?3(?!\.)"),
    ("pythonic", r"llama-?4"),
    ("llama3", r"llama-?3"),
    ("mistral", r"mistral|ministral|magistral|devstral"),
)
"""Dialects, and patterns of their models' names; the first pattern that matches counts."""

_FAMILIES: Final = {
    "_families_json": (
        "apertus command-r deepseek-r1 deepseek-v3 deepseek-v3.1 ernie-4.5 functionary gigachat3 glm-4 granite granite4 hermes hunyuan "
        "inkling internlm2 jamba json kimi-k2 llama3 longcat mistral nemotron phi4 plamo3 qwen-flower xlam"
    ),
    "_families_tags": (
        "claude-xml deepseek-v3.2 dots gigachat3.5 glm-4.5 hy-v3 k2-horizon kimi-k3 mimo minicpm5 minimax-m2 minimax-m3 muse qwen3-coder "
        "seed-oss solar-open2 step3"
    ),
    "_families_text": ("functiongemma gemma4 harmony langchain-xml lfm2 minicpm olmo3 pythonic react react-json"),
}
"""Module -> the names of its dialects."""

HOMES: Final = {name: file for file, names in _FAMILIES.items() for name in names.split()}
"""Name of a dialect -> its module."""
