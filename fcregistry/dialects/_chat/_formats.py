"""Which chat formats are known? A row for each, with the template or page that it follows."""

# DeepSeek's bar is no slip

from __future__ import annotations

from typing import Final

from fcregistry.dialects._chat._format import ChatFormat
from fcregistry.errors import DialectNotFoundError

_ROWS: Final = (
    ChatFormat(
        name="plain",
        source="none: readable lines, for models without a format of their own",
        system=("System: ", "\n\n"),
        user=("User: ", "\n\n"),
        assistant=("Assistant: ", "\n\n"),
        tool=("Tool: ", "\n\n"),
        prompt="Assistant:",
        stops=("\nUser:", "\nTool:"),
        words=("System:", "User:", "Assistant:", "Tool:"),
    ),
    ChatFormat(
        name="chatml",
        source="OpenAI, Chat Markup Language; SmolLM2-135M-Instruct, tokenizer_config.json",
        system=("<|im_start|>system\n", "<|im_end|>\n"),
        user=("<|im_start|>user\n", "<|im_end|>\n"),
        assistant=("<|im_start|>assistant\n", "<|im_end|>\n"),
        tool=("<|im_start|>tool\n", "<|im_end|>\n"),
        prompt="<|im_start|>assistant\n",
        stops=("<|im_end|>",),
    ),
    ChatFormat(
        name="llama2",
        source="Meta, Llama 2 model cards and prompt formats",
        system=("<<SYS>>\n", "\n<</SYS>>\n\n"),
        system_in_user=True,
        user=("<s>[INST] ", " [/INST]"),
        assistant=(" ", " </s>"),
        tool=("<s>[INST] ", " [/INST]"),
        prompt="",
        stops=("</s>",),
        trim=True,
    ),
    ChatFormat(
        name="llama3",
        source="Meta, Llama 3.1 model cards and prompt formats",
        begin="<|begin_of_text|>",
        system=("<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"),
        user=("<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"),
        assistant=("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
        tool=("<|start_header_id|>ipython<|end_header_id|>\n\n", "<|eot_id|>"),
        prompt="<|start_header_id|>assistant<|end_header_id|>\n\n",
        stops=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
        trim=True,
    ),
    ChatFormat(
        name="llama4",
        source="Meta, Llama 4 model cards and prompt formats",
        begin="<|begin_of_text|>",
        system=("<|header_start|>system<|header_end|>\n\n", "<|eot|>"),
        user=("<|header_start|>user<|header_end|>\n\n", "<|eot|>"),
        assistant=("<|header_start|>assistant<|header_end|>\n\n", "<|eot|>"),
        tool=("<|header_start|>ipython<|header_end|>\n\n", "<|eot|>"),
        prompt="<|header_start|>assistant<|header_end|>\n\n",
        stops=("<|eot|>", "<|eom|>", "<|end_of_text|>"),
        trim=True,
    ),
    ChatFormat(
        name="mistral",
        source="Mistral-7B-Instruct-v0.3, tokenizer_config.json",
        begin="<s>",
        system=("", "\n\n"),
        system_in_user=True,
        user=("[INST] ", "[/INST]"),
        assistant=(" ", "</s>"),
        tool=("[TOOL_RESULTS] ", "[/TOOL_RESULTS]"),
        prompt="",
        stops=("</s>",),
        words=("[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    ),
    ChatFormat(
        name="mistral-v7",
        source="Mistral-Small-3.1-24B-Instruct-2503, chat template",
        begin="<s>",
        system=("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
        user=("[INST]", "[/INST]"),
        assistant=("", "</s>"),
        tool=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        prompt="",
        stops=("</s>",),
        words=("[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    ),
    ChatFormat(
        name="gemma",
        source="Google, Gemma formatting and system instructions",
        begin="<bos>",
        system=("", "\n\n"),
        system_in_user=True,
        user=("<start_of_turn>user\n", "<end_of_turn>\n"),
        assistant=("<start_of_turn>model\n", "<end_of_turn>\n"),
        tool=("<start_of_turn>user\n", "<end_of_turn>\n"),
        prompt="<start_of_turn>model\n",
        stops=("<end_of_turn>", "<eos>"),
        trim=True,
    ),
    ChatFormat(
        name="phi3",
        source="Phi-3-mini-4k-instruct, model card, chat format",
        system=("<|system|>\n", "<|end|>\n"),
        user=("<|user|>\n", "<|end|>\n"),
        assistant=("<|assistant|>\n", "<|end|>\n"),
        tool=("<|user|>\n", "<|end|>\n"),
        prompt="<|assistant|>\n",
        stops=("<|end|>", "<|endoftext|>"),
    ),
    ChatFormat(
        name="phi4",
        source="phi-4, tokenizer_config.json",
        system=("<|im_start|>system<|im_sep|>", "<|im_end|>"),
        user=("<|im_start|>user<|im_sep|>", "<|im_end|>"),
        assistant=("<|im_start|>assistant<|im_sep|>", "<|im_end|>"),
        tool=("<|im_start|>user<|im_sep|>", "<|im_end|>"),
        prompt="<|im_start|>assistant<|im_sep|>",
        stops=("<|im_end|>", "<|endoftext|>"),
    ),
    ChatFormat(
        name="zephyr",
        source="zephyr-7b-beta, tokenizer_config.json",
        system=("<|system|>\n", "</s>\n"),
        user=("<|user|>\n", "</s>\n"),
        assistant=("<|assistant|>\n", "</s>\n"),
        tool=("<|user|>\n", "</s>\n"),
        prompt="<|assistant|>\n",
        stops=("</s>",),
    ),
    ChatFormat(
        name="vicuna",
        source="FastChat, Vicuna weights, prompt template of v1.1 and later",
        system=("", " "),
        user=("USER: ", " "),
        assistant=("ASSISTANT: ", "</s>"),
        tool=("USER: ", " "),
        prompt="ASSISTANT:",
        stops=("</s>", "USER:"),
        words=("USER:", "ASSISTANT:"),
    ),
    ChatFormat(
        name="alpaca",
        source="Stanford Alpaca, data release, prompts",
        system=("", "\n\n"),
        user=("### Instruction:\n", "\n\n"),
        assistant=("### Response:\n", "\n\n"),
        tool=("### Input:\n", "\n\n"),
        prompt="### Response:\n",
        stops=("### Instruction:", "</s>"),
        words=("### Instruction:", "### Response:", "### Input:"),
    ),
    ChatFormat(
        name="openchat",
        source="openchat-3.5-0106, model card, conversation templates",
        begin="<s>",
        system=("", "<|end_of_turn|>"),
        user=("GPT4 Correct User: ", "<|end_of_turn|>"),
        assistant=("GPT4 Correct Assistant: ", "<|end_of_turn|>"),
        tool=("GPT4 Correct User: ", "<|end_of_turn|>"),
        prompt="GPT4 Correct Assistant:",
        stops=("<|end_of_turn|>",),
        words=("GPT4 Correct User:", "GPT4 Correct Assistant:"),
    ),
    ChatFormat(
        name="deepseek",
        source="DeepSeek-V3, tokenizer_config.json",
        begin="<｜begin▁of▁sentence｜>",
        system=("", ""),
        user=("<｜User｜>", ""),
        assistant=("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
        tool=(
            "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>",
            "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
        ),
        prompt="<｜Assistant｜>",
        stops=("<｜end▁of▁sentence｜>",),
    ),
    ChatFormat(
        name="command-r",
        source="Cohere, c4ai-command-r-v01, tokenizer_config.json",
        begin="<BOS_TOKEN>",
        system=("<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
        user=("<|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
        assistant=("<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
        tool=("<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><results>\n", "\n</results><|END_OF_TURN_TOKEN|>"),
        prompt="<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        stops=("<|END_OF_TURN_TOKEN|>",),
        trim=True,
    ),
    ChatFormat(
        name="granite",
        source="IBM, granite-3.0-8b-instruct, tokenizer_config.json",
        system=("<|start_of_role|>system<|end_of_role|>", "<|end_of_text|>\n"),
        user=("<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"),
        assistant=("<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>\n"),
        tool=("<|start_of_role|>tool_response<|end_of_role|>", "<|end_of_text|>\n"),
        prompt="<|start_of_role|>assistant<|end_of_role|>",
        stops=("<|end_of_text|>",),
    ),
)

_FORMATS: Final = {row.name: row for row in _ROWS}


def chat_format(name: str) -> ChatFormat:
    """Return a chat format by name.

    Raises:
        DialectNotFoundError: There is none of that name.
    """
    if name in _FORMATS:
        return _FORMATS[name]
    from fcregistry._tools.names import nearest  # only on the way to an error

    close = nearest(str(name), _FORMATS)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    raise DialectNotFoundError(
        f"there is no chat format {name!r}; {meant}the chat formats are {', '.join(chat_format_names())}"
    )


def chat_format_names() -> tuple[str, ...]:
    """Return the names of all chat formats, sorted."""
    return tuple(sorted(_FORMATS))
