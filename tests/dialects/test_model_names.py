"""The dialects of models, by the names of the models."""

from __future__ import annotations

import pytest

from fcregistry import dialects

KNOWN = {
    "Qwen/Qwen2.5-7B-Instruct": "hermes",
    "qwen2.5:7b": "hermes",
    "Qwen_Qwen3-4B-Q4_K_M.gguf": "hermes",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen3-coder",
    "Qwen/Qwen2-7B-Instruct": "qwen-flower",
    "NousResearch/Hermes-3-Llama-3.1-8B": "hermes",
    "meta-llama/Llama-3.1-8B-Instruct": "llama3",
    "llama3.2:1b": "llama3",
    "Llama-4-Scout-17B-16E-Instruct": "pythonic",
    "nvidia/Llama-3.1-Nemotron-Nano-8B-v1": "nemotron",
    "nvidia/Nemotron-3-Nano-30B-A3B": "qwen3-coder",
    "deepseek-ai/DeepSeek-V3.2": "deepseek-v3.2",
    "deepseek-ai/DeepSeek-V3.1-Terminus": "deepseek-v3.1",
    "DeepSeek-V3-0324": "deepseek-v3",
    "DeepSeek-R1-Distill-Llama-8B": "deepseek-r1",
    "mistralai/Ministral-3-8B-Instruct": "mistral",
    "openai/gpt-oss-20b": "harmony",
    "zai-org/GLM-4.6": "glm-4.5",
    "THUDM/GLM-4-9B-0414": "glm-4",
    "ibm-granite/granite-4.0-micro": "granite4",
    "ibm-granite/granite-3.3-8b-instruct": "granite",
    "LiquidAI/LFM2-1.2B": "lfm2",
    "google/gemma-4-E4B-it": "gemma4",
    "CohereLabs/command-a-03-2025": "command-r",
    "microsoft/Phi-4-mini-instruct": "phi4",
    "moonshotai/Kimi-K3": "kimi-k3",
    "MiniMaxAI/MiniMax-M3": "minimax-m3",
    "openbmb/MiniCPM5-8B": "minicpm5",
    "openbmb/MiniCPM4.1-8B": "minicpm",
    "ai-sage/GigaChat3-10B-A1.8B": "gigachat3",
    "IFMLab/K2-Horizon-3.7B": "k2-horizon",
    "tencent/Hy3-preview": "hy-v3",
    "muse-glimmer": "muse",
    "arcee-ai/Trinity-Mini": "hermes",
    "pfnet/plamo-3-nict-8b-base": "plamo3",
    "upstage/Solar-Open2-250B": "solar-open2",
    "upstage/solar-10.7b-instruct": None,
    "thinkingmachines/Inkling-NVFP4": "inkling",
    "dots.llm2.inst": "dots",
    "meetkai/functionary-small-v3.2": "functionary",
    "meetkai/functionary-small-v3.1": "llama3",
    "inclusionAI/Ling-3.0-flash": "glm-4.5",
    "ServiceNow-AI/Apriel-1.5-15b-Thinker": "jamba",
    "HuggingFaceTB/SmolLM2-135M-Instruct": None,
    "microsoft/phi-4": None,
    "gpt-5": None,
    "": None,
}


@pytest.mark.parametrize(("name", "dialect"), KNOWN.items())
def test_for_model_returns_the_dialect_of_a_model(name: str, dialect: str | None) -> None:
    found = dialects.for_model(name)
    assert (found and found.name) == dialect


def test_every_family_has_names_of_models_but_those_of_any_model() -> None:
    each = {name: dialects.get(name) for name in dialects.names()}
    known = {name for name, of in each.items() if of in map(dialects.for_model, of.models.split(","))}
    assert known == set(each) - {"json", "langchain-xml", "react", "react-json"}
