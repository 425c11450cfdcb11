"""Models on this machine for fcregistry: any GGUF file, by llama.cpp; and SmolLM2-135M, which is fetched where it is asked for."""

from fcregistry_llama._fetching import fetch_smollm2
from fcregistry_llama._model import LlamaModel

__all__ = ["LlamaModel", "fetch_smollm2"]
