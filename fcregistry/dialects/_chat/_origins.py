"""Where does a model keep its chat template, and what does it say of its tokens? In tokenizer_config.json, or in a GGUF file.

Source: Hugging Face Transformers, "Chat templates"; GGUF specification, "Tokenizer".
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

from fcregistry.dialects._chat._gguf import GGUFError, read_metadata
from fcregistry.errors import ChatTemplateError

_MOST_BYTES: Final = 64 * 2**20
_CONFIG: Final = "tokenizer_config.json"
_TEMPLATE: Final = "chat_template.jinja"
_TOKENS: Final = ("unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_CONTROL: Final = 3
"""The type of a GGUF file's tokens that stand for no text."""

_GGUF: Final = "tokenizer.ggml."
_GGUF_TEMPLATE: Final = "tokenizer.chat_template"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What is known of a model's chat template.

    Attributes:
        template: The template.
        tool_template: The one to use where there are tools, if the model has two.
        bos: The token that begins a text.
        eos: The token that ends one.
        stops: Other tokens that end an answer.
        special: All special tokens, as far as they are known.
        variables: What else the template may name.
    """

    template: str
    tool_template: str | None = None
    bos: str = ""
    eos: str = ""
    stops: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)


def origin_of_config(config: Mapping[str, Any] | str | os.PathLike[str]) -> Origin:
    """Return what a tokenizer_config.json says: the object, the file, or the folder that it is in.

    Raises:
        ChatTemplateError: It has no template, or cannot be read.
        OSError: There is no such file.
    """
    held = config if isinstance(config, Mapping) else _read_config(Path(config))
    templates = _templates(held.get("chat_template"))
    default = templates.get("default") or templates.get("tool_use")
    if default is None:
        raise ChatTemplateError(
            f"{_CONFIG} has no chat_template; the name of a chat format may do: chat_format('chatml')"
        )
    tokens = {name: _token(held.get(name)) for name in ("bos_token", "eos_token", *_TOKENS)}
    more = [_token(one) for one in _listed(held.get("additional_special_tokens"))]
    added = held.get("added_tokens_decoder")
    special = [_token(one) for one in (added.values() if isinstance(added, Mapping) else ()) if _is_special(one)]
    return Origin(
        template=default,
        tool_template=templates.get("tool_use"),
        bos=tokens["bos_token"],
        eos=tokens["eos_token"],
        special=tuple(filter(None, {*tokens.values(), *more, *special})),
        variables={name: tokens[name] for name in _TOKENS if tokens[name]} | {"additional_special_tokens": more},
    )


def origin_of_gguf(path: str | os.PathLike[str]) -> Origin:
    """Return what a GGUF file says.

    Raises:
        ChatTemplateError: It has no template, or cannot be read.
        OSError: There is no such file.
    """
    names = ("tokens", "token_type", "bos_token_id", "eos_token_id", "eot_token_id", "eom_token_id")
    try:
        found = read_metadata(path, {_GGUF + name for name in names}, _GGUF_TEMPLATE)
    except GGUFError as error:
        raise ChatTemplateError(f"{Path(path).name} cannot be read: {error}") from error
    default, tool_use = (found.get(name) for name in (_GGUF_TEMPLATE, f"{_GGUF_TEMPLATE}.tool_use"))
    template = default if isinstance(default, str) else tool_use
    if not isinstance(template, str):
        raise ChatTemplateError(
            f"{Path(path).name} has no chat template; the name of a chat format may do: chat_format('chatml')"
        )
    tokens = _listed(found.get(f"{_GGUF}tokens"))
    bos, eos, *ends = (_token_at(tokens, found.get(_GGUF + name)) for name in names[2:])
    kinds = _listed(found.get(f"{_GGUF}token_type"))
    return Origin(
        template=template,
        tool_template=tool_use if isinstance(tool_use, str) else None,
        bos=bos,
        eos=eos,
        stops=tuple(filter(None, ends)),
        special=tuple(token for token, kind in zip(tokens, kinds, strict=False) if kind == _CONTROL and token),
    )


def _read_config(path: Path) -> dict[str, Any]:
    """Return the object of the file; a template in a file of its own comes first."""
    folder, file = (path, path / _CONFIG) if path.is_dir() else (path.parent, path)
    text = _read(file)
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ChatTemplateError(f"{file.name} is no JSON: {error}") from error
    if not isinstance(held, dict):
        raise ChatTemplateError(f"{file.name} holds no JSON object")
    alone = folder / _TEMPLATE
    return held | {"chat_template": _read(alone)} if alone.is_file() else held


def _read(path: Path) -> str:
    found = path.stat()
    if not S_ISREG(found.st_mode):  # a model's folder may hold links to what never ends
        raise ChatTemplateError(f"{path.name} is no regular file")
    if found.st_size > _MOST_BYTES:
        raise ChatTemplateError(f"{path.name} is longer than {_MOST_BYTES} bytes")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ChatTemplateError(f"{path.name} is no text in UTF-8: {error}") from error


def _templates(value: Any) -> dict[str, str]:
    """Return name -> template: of one, or of a list of named ones."""
    if isinstance(value, str):
        return {"default": value}
    named = [one for one in _listed(value) if isinstance(one, Mapping)]
    return {
        one["name"]: one["template"]
        for one in named
        if isinstance(one.get("name"), str) and isinstance(one.get("template"), str)
    }


def _token(value: Any) -> str:
    """Return the text of a token: that itself, or what describes it."""
    held = value.get("content") if isinstance(value, Mapping) else value
    return held if isinstance(held, str) else ""


def _is_special(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("special") is True


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _token_at(tokens: list[Any], index: Any) -> str:
    known = isinstance(index, int) and 0 <= index < len(tokens) and isinstance(tokens[index], str)
    return tokens[index] if known else ""
