"""Dialects by name, by the name of a model, or by a chat template; `auto` is among them.

Importing this module loads no dialect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry.dialects._table import HOMES, MODEL_PATTERNS, names, row_of
from fcregistry.errors import ChatTemplateError

if TYPE_CHECKING:
    from fcregistry.dialects._chat_formats import ChatFormat
    from fcregistry.dialects._chat_template import ChatTemplate
    from fcregistry.dialects._dialect import Dialect


def get(name: str) -> Dialect:
    """Return the dialect `name`.

    Args:
        name: The name of a dialect, or `auto`.

    Raises:
        DialectNotFoundError: There is no dialect of that name; the message lists the names.
    """
    if name == "auto":
        from fcregistry.dialects._auto import auto  # it loads all others

        return auto()
    if name not in HOMES:
        from fcregistry.dialects._chat_formats import not_found  # only on the way to an error

        raise not_found("dialect", name, ("auto", *names()))
    return row_of(name)


def for_model(name: str) -> Dialect | None:
    """Return the dialect in which a model writes calls, or None for an unknown model.

    Args:
        name: The model's name as it is published, such as `Qwen/Qwen2.5-7B-Instruct`, `qwen2.5:7b` or `qwen2.5-7b-instruct-q4_k_m.gguf`.
    """
    import re  # not needed for `get`

    written = re.sub(r"[\s_]", "-", name.lower())
    return next(
        (get(dialect) for dialect, known in MODEL_PATTERNS if re.search(rf"(?<![a-z])(?:{known})", written)), None
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
