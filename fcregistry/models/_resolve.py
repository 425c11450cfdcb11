"""`resolve`, which makes a `Model` of a model's name, such as `openai:gpt-5`, or of a function."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from fcregistry._base import slots
from fcregistry.errors import ModelNotFoundError
from fcregistry.models._model import Model

if TYPE_CHECKING:
    from fcregistry.dialects import Dialect
    from fcregistry.models._connection import Provider

ModelLike: TypeAlias = "Model | str | Callable[..., Any]"
"""A model, its name, or a callable from messages to a message or a text."""

_BUILT_IN: Final = {
    "anthropic": ("fcregistry.models._anthropic", "AnthropicMessages"),
    "lmstudio": ("fcregistry.models._openai", "LMStudioChat"),
    "ollama": ("fcregistry.models._openai", "OllamaChat"),
    "openai": ("fcregistry.models._openai", "OpenAIChat"),
    "openai-responses": ("fcregistry.models._openai", "OpenAIResponses"),
    "vllm": ("fcregistry.models._openai", "VLLMChat"),
}
"""Prefix -> the module and the class of its models; the module is imported when such a model is asked for."""


def resolve(llm: ModelLike, *, dialect: str | Dialect | None = None) -> Model:
    """Return the model of a name or a function.

    Args:
        llm: A `Model`; a name, `provider:model`, of a provider that is built in (`openai`, `openai-responses`, `anthropic`, or the local servers
            `ollama`, `vllm` and `lmstudio`), or that an installed
            extension has, such as `llama:smollm2`; or a callable from messages to a message or text, as for `CallableModel`.
        dialect: How the texts of a callable hold calls, as for `TextModel`: the callable then takes a prompt and returns a text.

    Raises:
        ModelNotFoundError: There is no model of that name; the message lists the providers, or says what to install.
        DialectNotFoundError: There is no dialect of that name.
        MissingDependencyError: The package of the provider is not installed; the message says what to install.
        TypeError: `llm` is none of these, or a dialect is given and `llm` is not a function.
    """
    if dialect is not None and (isinstance(llm, (Model, str)) or not callable(llm)):
        raise TypeError(
            f"dialect=… is for a callable from a prompt to a text, not for {llm!r}, which has calls of its own"
        )
    if isinstance(llm, Model):
        return llm
    if isinstance(llm, str):
        return _model_named(llm)
    given: object = llm  # from a program without types
    if isinstance(given, type) and issubclass(given, Model):
        raise TypeError(f"llm is the class {given.__name__}; give an instance of it")
    if not callable(given):
        what = "llm is a Model, a name such as 'openai:gpt-5', or a callable from messages to a message or text"
        raise TypeError(f"{what}, not {given!r}")
    if dialect is None:
        from fcregistry.models._callable import CallableModel  # most programs need one of the two

        return CallableModel(llm)
    from fcregistry.models._text import TextModel  # with the dialects

    return TextModel(llm, dialect)


def _model_named(given: str) -> Model:
    """Return the model of the name `given`, `PREFIX:MODEL`, of a built-in provider or of an extension.

    Raises:
        ModelNotFoundError: There is no model of that name, or the extension does not return a `Model`.
    """
    prefix, _, name = (part.strip() for part in given.strip().partition(":"))
    if not name:
        raise ModelNotFoundError(_name_advice(given.strip().removesuffix(":")))
    if prefix in _BUILT_IN:
        module, class_name = _BUILT_IN[prefix]
        return cast("Model", getattr(import_module(module), class_name)(name))
    model = None if is_like_built_in(prefix) else slots.resolve_model(prefix, name)
    if model is None:
        raise ModelNotFoundError(f"there is no model {given!r}: {_prefixes(prefix)}")
    if not isinstance(model, Model):
        kind = f"the class {model.__qualname__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise ModelNotFoundError(
            f"the extension {prefix} gave {kind} for {given!r}, which is not an fcregistry.models.Model"
        )
    return model


def built_in_providers() -> list[Provider]:
    """Return what the models of each built-in provider need, without importing any SDK."""
    from fcregistry.models._connection import provider_of  # only for the list of providers

    return [
        provider_of(getattr(import_module(module), class_name)(prefix), prefix)
        for prefix, (module, class_name) in _BUILT_IN.items()
    ]


def is_like_built_in(prefix: str) -> bool:
    """Return whether `prefix` differs from a built-in one only in case, or in `-`, `_` and `.`.

    An extension does not get such a prefix: a user who writes it means the provider.
    """
    from fcregistry._tools.selectors import normalized  # not needed for a built-in provider

    return normalized(prefix) in _BUILT_IN


def model_prefixes() -> list[str]:
    """Return the prefixes of built-in providers and of installed extensions, without importing any."""
    return [*_BUILT_IN, *_extension_prefixes()]


def _extension_prefixes() -> list[str]:
    """Return the prefixes of installed extensions, without importing any."""
    return [each for each in slots.model_prefixes() if not is_like_built_in(each)]


def _name_advice(given: str) -> str:
    """Return the message of the error for `given`, a name that has only a prefix, or no prefix."""
    if given in model_prefixes():
        return f"{given!r} is a provider without a model: write {given}:MODEL"
    return f"there is no model {given!r}: write PROVIDER:MODEL, such as openai:{given or 'gpt-5'}; {_prefixes(given)}"


def _prefixes(given: str) -> str:
    """Return a clause of a message that lists the known prefixes.

    It also suggests up to three prefixes that are like `given`, if there are any.
    """
    from fcregistry._tools.selectors import did_you_mean, nearest  # only on the way to an error

    extensions = _extension_prefixes()
    installed = f", and the extensions that are installed: {', '.join(extensions)}" if extensions else ""
    near = did_you_mean(nearest(given.lower(), model_prefixes()))
    return f"the providers are {', '.join(_BUILT_IN)}{installed}{near}"
