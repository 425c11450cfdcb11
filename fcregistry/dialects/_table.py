"""The table of dialects: by name, by the name of a model, or by a chat template.

Importing this module loads no dialect. A module of families is imported when one of its dialects is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import ChatTemplateError

if TYPE_CHECKING:
    from fcregistry.dialects._chat_formats import ChatFormat
    from fcregistry.dialects._chat_template import ChatTemplate
    from fcregistry.dialects._dialect import Dialect


def get(name: str) -> Dialect:
    """Return a dialect.

    Args:
        name: Its name, or `auto`.

    Raises:
        DialectNotFoundError: There is none of that name; the message lists the names.
    """
    if name == "auto":
        made: Dialect = import_module("fcregistry.dialects._auto").auto()  # it needs all others
        return made
    home = _HOMES.get(name)
    if home is None:
        from fcregistry.dialects._chat_formats import not_found  # only on the way to an error

        raise not_found("dialect", name, ("auto", *names()))
    rows: tuple[Dialect, ...] = import_module(f"fcregistry.dialects.{home}").ROWS
    return next(row for row in rows if row.name == name)


def names() -> tuple[str, ...]:
    """Return the names of all dialects, sorted, without `auto`."""
    return tuple(sorted(_HOMES))


def for_model(name: str) -> Dialect | None:
    """Return the dialect in which a model writes calls, or None for an unknown model.

    Args:
        name: The model's name as it is published, such as `Qwen/Qwen2.5-7B-Instruct`, `qwen2.5:7b` or `qwen2.5-7b-instruct-q4_k_m.gguf`.
    """
    import re  # not needed for `get`

    written = re.sub(r"[\s_]", "-", name.lower())
    return next(
        (get(dialect) for dialect, known in _MODEL_PATTERNS if re.search(rf"(?<![a-z])(?:{known})", written)), None
    )


def for_template(template: ChatTemplate | ChatFormat) -> Dialect | None:
    """Return the dialect in which a chat template writes a call.

    Return None if it writes none that can be read.

    Args:
        template: The template of a model. It is rendered twice: with a call, and without.
    """
    asked: list[dict[str, Any]] = [{"role": "user", "content": "Oslo?"}]
    function = {"name": "look_up", "arguments": '{"city": "Oslo"}'}
    call = {"id": "abcdefghi", "type": "function", "function": function}
    called: list[dict[str, Any]] = [*asked, {"role": "assistant", "content": "", "tool_calls": [call]}]
    tools = [{"type": "function", "function": _SAMPLE_TOOL}] if template.takes_tools else []
    try:
        before, after = (template.render(each, tools, generation_prompt=False) for each in (asked, called))
    except ChatTemplateError:
        return None  # it refuses such a conversation
    text = after[len(before) :] if after.startswith(before) else ""
    stream = get("auto").stream([_SAMPLE_TOOL])
    stream.whole(text)
    found = stream.dialect
    calls = found.parse(text, [_SAMPLE_TOOL]).tool_calls if found else ()
    return found if [(each.name, each.arguments) for each in calls] == [("look_up", {"city": "Oslo"})] else None


_SAMPLE_TOOL: Final = {
    "name": "look_up",
    "description": "Look up a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}

_MODEL_PATTERNS: Final = (
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

_HOMES: Final = {name: file for file, names in _FAMILIES.items() for name in names.split()}
