"""The extension for fcregistry: the models `llama:smollm2` and `llama:/path/of/a.gguf`; fcregistry finds it by its entry point."""

from __future__ import annotations

from fcregistry import hookimpl
from fcregistry.errors import ModelNotFoundError

from fcregistry_llama._fetching import fetch_smollm2
from fcregistry_llama._files import checked, located
from fcregistry_llama._model import LlamaModel

__all__ = ["fc_resolve_model"]


@hookimpl
def fc_resolve_model(name: str) -> LlamaModel:
    """Return the model of a GGUF file, or SmolLM2.

    Args:
        name: The part of the model's name after `llama:`: `smollm2`, or the path of a GGUF file.

    Raises:
        ModelNotFoundError: There is no such file, or it is not a GGUF file.
    """
    if name == "smollm2":
        return LlamaModel(fetch_smollm2, name="llama:smollm2", calls_again=False)
    if not name.endswith(".gguf") and "/" not in name and "\\" not in name:
        raise ModelNotFoundError(
            f"there is no model 'llama:{name}'; name llama:smollm2, or any GGUF file, such as llama:/models/{name}.gguf"
        )
    return LlamaModel(checked(located(name)), name=f"llama:{name}")
