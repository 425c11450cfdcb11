"""Families that write calls as one array."""

from . import Golden

GOLDENS = {
    "granite": [
        Golden(
            text='<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
            source="the chat template of granite-3.3",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "get_weather", "arguments": {"city": "Bergen"}}]',
            source="the chat template of granite-3.3",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.",
        ),
        Golden(
            text='<|tool_call|>[{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}]',
            source="the chat template of granite-3.3",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"',
            source="the chat template of granite-3.3",
            content='Let me look.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"',
        ),
        Golden(
            text='<tool_call>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
            source="the chat template of granite-3.3",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='<function_call> {"name": "get_weather", "arguments": {"city": "Oslo"}}',
            source="the chat template of granite-3.3",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='<function_call> {"name": "get_weather", "arguments": {"city": "Oslo"}} <function_call> {"name": "get_weather", "arguments": {"city": "Bergen"}}<|endoftext|>',
            source="the chat template of granite-20b-functioncalling",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
        ),
    ],
    "phi4": [
        Golden(
            text='<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]<|/tool_call|>',
            source="the model card of Phi-4-mini-instruct",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "get_weather", "arguments": {"city": "Bergen"}}]<|/tool_call|>\nDone.',
            source="the model card of Phi-4-mini-instruct",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<|tool_call|>[{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}]<|/tool_call|>',
            source="the model card of Phi-4-mini-instruct",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"',
            source="the model card of Phi-4-mini-instruct",
            content='Let me look.\n<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"',
        ),
        Golden(
            text='functools[{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
            source="the model card of Phi-4-mini-instruct",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
    ],
    "jamba": [
        Golden(
            text='<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</tool_calls>',
            source="the model card of AI21-Jamba-1.5",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "get_weather", "arguments": {"city": "Bergen"}}]</tool_calls>\nDone.',
            source="the model card of AI21-Jamba-1.5",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<tool_calls>[{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}]</tool_calls>',
            source="the model card of AI21-Jamba-1.5",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"',
            source="the model card of AI21-Jamba-1.5",
            content='Let me look.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"',
        ),
    ],
    "hunyuan": [
        Golden(
            text='<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</tool_calls>',
            source="the model card of Hunyuan-A13B-Instruct",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "get_weather", "arguments": {"city": "Bergen"}}]</tool_calls>\nDone.',
            source="the model card of Hunyuan-A13B-Instruct",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<tool_calls>[{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}]</tool_calls>',
            source="the model card of Hunyuan-A13B-Instruct",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"',
            source="the model card of Hunyuan-A13B-Instruct",
            content='Let me look.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"',
        ),
        Golden(
            text="<think>\nHm.\n</think>\n<answer>\nIt is cold.\n</answer>",
            source="the model card of Hunyuan-A13B-Instruct",
            content="It is cold.",
            reasoning="Hm.",
        ),
        Golden(
            text="<think>\nHm.\n</think>\n<answer>\n助手：It is cold.\n</answer>",
            source="the chat template of Hunyuan-A13B-Instruct in vLLM",
            content="It is cold.",
            reasoning="Hm.",
        ),
        Golden(
            text='<answer>\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</tool_calls>\n</answer>',
            source="vLLM, HunyuanA13BToolParser",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
    ],
    "nemotron": [
        Golden(
            text='<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</TOOLCALL>',
            source="the chat template of NVIDIA-Nemotron-Nano-9B-v2",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "get_weather", "arguments": {"city": "Bergen"}}]</TOOLCALL>\nDone.',
            source="the chat template of NVIDIA-Nemotron-Nano-9B-v2",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<TOOLCALL>[{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}]</TOOLCALL>',
            source="the chat template of NVIDIA-Nemotron-Nano-9B-v2",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Oslo"',
            source="the chat template of NVIDIA-Nemotron-Nano-9B-v2",
            content='Let me look.\n<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Oslo"',
        ),
    ],
    "apertus": [
        Golden(
            text='<|tools_prefix|>[{"get_weather": {"city": "Oslo"}}]<|tools_suffix|>',
            source="swiss-ai, Apertus Chat Format Specification",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<|tools_prefix|>[{"get_weather": {"city": "Oslo"}}, {"get_weather": {"city": "Bergen"}}]<|tools_suffix|>\nDone.',
            source="swiss-ai, Apertus Chat Format Specification",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<|tools_prefix|>[{"echo": {"text": "a } ] and \\"quotes\\""}}]<|tools_suffix|>',
            source="swiss-ai, Apertus Chat Format Specification",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<|tools_prefix|>[{"get_weather": {"ci',
            source="swiss-ai, Apertus Chat Format Specification",
            content='Let me look.\n<|tools_prefix|>[{"get_weather": {"ci',
        ),
        Golden(
            text="<|inner_prefix|>Hm.<|inner_suffix|>It is cold.<|assistant_end|>",
            source="swiss-ai, Apertus Chat Format Specification",
            content="It is cold.",
            reasoning="Hm.",
        ),
    ],
    "command-r": [
        Golden(
            text='<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Oslo"}}\n]<|END_ACTION|>',
            source="the chat template of c4ai-command-r7b",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='<|START_RESPONSE|>Let me look.<|END_RESPONSE|>\n<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Oslo"}},\n    {"tool_call_id": "1", "tool_name": "get_weather", "parameters": {"city": "Bergen"}}\n]<|END_ACTION|>\n<|START_TEXT|>Done.<|END_TEXT|>',
            source="the chat template of c4ai-command-r7b",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "echo", "parameters": {"text": "a } ] and \\"quotes\\""}}\n]<|END_ACTION|>',
            source="the chat template of c4ai-command-r7b",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<|START_ACTION|>[\n    {"tool_call_id": "',
            source="the chat template of c4ai-command-r7b",
            content='Let me look.\n<|START_ACTION|>[\n    {"tool_call_id": "',
        ),
        Golden(
            text='<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Oslo"}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>',
            source="the chat template of c4ai-command-r7b",
            calls=[("get_weather", {"city": "Oslo"})],
            reasoning="Hm.",
        ),
        Golden(
            text='Plan: I look.\nAction: ```json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": {"city": "Oslo"}\n    }\n]\n```',
            source="the chat template of c4ai-command-r7b",
            calls=[("get_weather", {"city": "Oslo"})],
            content="Plan: I look.",
        ),
        Golden(
            text='I will look.\nAction:\n```json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": {"city": "Oslo"}\n    }\n]```\n',
            source="the chat template of Command R in vLLM",
            calls=[("get_weather", {"city": "Oslo"})],
            content="I will look.",
        ),
    ],
}
