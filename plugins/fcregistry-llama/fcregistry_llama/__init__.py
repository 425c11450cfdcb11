"""Local models for fcregistry: any GGUF file, run by llama.cpp, and SmolLM2-135M on request."""

from fcregistry_llama._fetching import fetch_smollm2
from fcregistry_llama._model import LlamaModel

__all__ = ["LlamaModel", "fetch_smollm2"]
