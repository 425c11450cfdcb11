"""The extension for fcregistry, with the models `llama:smollm2` and `llama:/path/of/a.gguf`."""

from __future__ import annotations

from typing import Final, TypedDict
from urllib.parse import parse_qsl

from fcregistry import hookimpl
from fcregistry.errors import ModelNotFoundError

from fcregistry_llama._fetching import fetch_smollm2
from fcregistry_llama._files import check_file, expand_home
from fcregistry_llama._model import LlamaModel

__all__ = ["fc_resolve_model"]

_SMOLLM2_TOKENS: Final = 128
"""The most tokens of an answer of SmolLM2, unless the name says otherwise: after them, it only repeats itself."""


@hookimpl
def fc_resolve_model(name: str) -> LlamaModel:
    """Return the model of a GGUF file, or SmolLM2.

    Args:
        name: The part of the model's name after `llama:`: `smollm2`, or the path of a GGUF file. Settings may follow, as in
            `smollm2?threads=1&max_tokens=64`.

    Raises:
        ModelNotFoundError: There is no such file, it is not a GGUF file, or a setting is wrong.
    """
    model, _, query = name.partition("?")
    settings = _settings(name, query)
    if model == "smollm2":
        settings.setdefault("max_tokens", _SMOLLM2_TOKENS)
        return LlamaModel(fetch_smollm2, name=f"llama:{name}", **settings)
    if not model.endswith(".gguf") and "/" not in model and "\\" not in model:
        raise ModelNotFoundError(
            f"there is no model 'llama:{model}'; name llama:smollm2, or any GGUF file, such as llama:/models/{model}.gguf"
        )
    return LlamaModel(check_file(expand_home(model)), name=f"llama:{name}", **settings)


class _Settings(TypedDict, total=False):
    """The settings that may follow a model's name."""

    threads: int
    max_tokens: int
    context: int


def _settings(name: str, query: str) -> _Settings:
    """Return the settings in `query`, the part of `name` after `?`.

    Raise `ModelNotFoundError` if a setting is not valid.
    """
    settings = _Settings()
    for setting, value in parse_qsl(query, keep_blank_values=True):
        is_number = value.isascii() and value.isdecimal() and 0 < int(value) < 2**31
        if setting not in _Settings.__annotations__ or not is_number:
            valid = ", ".join(_Settings.__annotations__)
            raise ModelNotFoundError(
                f"the model 'llama:{name}' has a wrong setting: {setting}={value}; the settings are {valid},"
                " each a whole number from 1, as in llama:smollm2?threads=1&max_tokens=64"
            )
        settings[setting] = int(value)  # type: ignore[literal-required]  # one of them
    return settings
