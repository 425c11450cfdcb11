"""Families that write calls as JSON objects."""

from . import Golden

GOLDENS = {
    "hermes": [
        Golden(
            text='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
            source="NousResearch Hermes-Function-Calling",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text="<think>\nTwo cities.\n</think>\n\nLet me look.\n"
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n'
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bergen"}}\n</tool_call><|im_end|>',
            source="the chat template of Qwen 3",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.",
            reasoning="Two cities.",
        ),
        Golden(
            text='<tool_call>\n{"name": "echo", "arguments": {"text": "a } and </tool_call> in \\"quotes\\""}}\n</tool_call>',
            source="NousResearch Hermes-Function-Calling",
            calls=[("echo", {"text": 'a } and </tool_call> in "quotes"'})],
        ),
        Golden(
            text='I call.\n<tool_call>\n{"name": "get_weather", "arguments": {"ci',
            source="NousResearch Hermes-Function-Calling",
            content='I call.\n<tool_call>\n{"name": "get_weather", "arguments": {"ci',
        ),
    ],
}
