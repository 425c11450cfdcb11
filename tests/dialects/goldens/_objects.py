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
            text='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bergen"}}\n</tool_call>\nDone.',
            source="NousResearch Hermes-Function-Calling",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<tool_call>\n{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}\n</tool_call>',
            source="NousResearch Hermes-Function-Calling",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo',
            source="NousResearch Hermes-Function-Calling",
            content='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo',
        ),
        Golden(
            text='<think>\nTwo cities.\n</think>\n\nLet me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call><|im_end|>',
            source="NousResearch Hermes-Function-Calling",
            calls=[("get_weather", {"city": "Oslo"})],
            content="Let me look.",
            reasoning="Two cities.",
        ),
        Golden(
            text="Two cities.\n</think>\n\nLet me look.",
            source="NousResearch Hermes-Function-Calling",
            content="Let me look.",
            reasoning="Two cities.",
        ),
        Golden(
            text='<tool_call>\n{"name": "echo", "arguments": {"text": "</tool_call> <tool_call>"}}\n</tool_call>',
            source="NousResearch Hermes-Function-Calling",
            calls=[("echo", {"text": "</tool_call> <tool_call>"})],
        ),
        Golden(
            text="<tool_call>\n{'name': 'get_weather', 'arguments': {'city': 'Oslo',}}\n</tool_call>",
            source="NousResearch Hermes-Function-Calling",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n{"name": "get_weather", "arguments": {"city": "Bergen"}}\n</tool_call>',
            source="NousResearch Hermes-Function-Calling",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
        ),
        Golden(
            text="<tool_call>\nnot JSON\n</tool_call>",
            source="NousResearch Hermes-Function-Calling",
            content="<tool_call>\nnot JSON\n</tool_call>",
        ),
    ],
    "granite4": [
        Golden(
            text='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
            source="the chat template of granite-4.0",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bergen"}}\n</tool_call>\nDone.',
            source="the chat template of granite-4.0",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<tool_call>\n{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}\n</tool_call>',
            source="the chat template of granite-4.0",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo',
            source="the chat template of granite-4.0",
            content='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo',
        ),
    ],
    "ernie-4.5": [
        Golden(
            text='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
            source="the chat template of ERNIE-4.5-21B-A3B-Thinking",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bergen"}}\n</tool_call>\nDone.',
            source="the chat template of ERNIE-4.5-21B-A3B-Thinking",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<tool_call>\n{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}\n</tool_call>',
            source="the chat template of ERNIE-4.5-21B-A3B-Thinking",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo',
            source="the chat template of ERNIE-4.5-21B-A3B-Thinking",
            content='Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo',
        ),
        Golden(
            text="Two cities are meant.\n</think>\n\n<response>\nIt is cold.\n</response>\n",
            source="the chat template of ERNIE-4.5-21B-A3B-Thinking",
            content="It is cold.",
            reasoning="Two cities are meant.",
        ),
    ],
    "longcat": [
        Golden(
            text='<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</longcat_tool_call>',
            source="the chat template of LongCat-Flash-Chat",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</longcat_tool_call>\n<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</longcat_tool_call>\nDone.',
            source="the chat template of LongCat-Flash-Chat",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<longcat_tool_call>{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}</longcat_tool_call>',
            source="the chat template of LongCat-Flash-Chat",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Oslo',
            source="the chat template of LongCat-Flash-Chat",
            content='Let me look.\n<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Oslo',
        ),
        Golden(
            text="<longcat_think>\nHm.\n</longcat_think>\nIt is cold.</longcat_s>",
            source="the chat template of LongCat-Flash-Chat",
            content="It is cold.",
            reasoning="Hm.",
        ),
        Golden(
            text="Let me look.\n<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Oslo</longcat_arg_value>\n</longcat_tool_call>",
            source='mlx-lm, "longcat" tool parser',
            calls=[("get_weather", {"city": "Oslo"})],
            content="Let me look.",
        ),
        Golden(
            text="<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Os",
            source='mlx-lm, "longcat" tool parser',
            content="<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Os",
        ),
    ],
    "internlm2": [
        Golden(
            text='Let me look.\n<|function|>get_weather\n<|args|>{"city": "Oslo"}',
            source="LazyLLM, the format of calls for InternLM",
            calls=[("get_weather", {"city": "Oslo"})],
            content="Let me look.",
        ),
        Golden(
            text='<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Oslo"}}\n<|action_end|>',
            source="InternLM, Chat Format",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Oslo"}}\n<|action_end|>\n<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Bergen"}}\n<|action_end|>\nDone.',
            source="InternLM, Chat Format",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<|action_start|><|plugin|>\n{"name": "echo", "parameters": {"text": "a } ] and \\"quotes\\""}}\n<|action_end|>',
            source="InternLM, Chat Format",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Oslo',
            source="InternLM, Chat Format",
            content='Let me look.\n<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Oslo',
        ),
        Golden(
            text='<|action_start|> <|plugin|>\n{"name": "get_weather", "parameters": {"city": "Oslo"}}<|action_end|>\n<|im_end|>',
            source="InternLM, Chat Format",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='<|action_start|><|function|>{"name": "get_weather", "parameters": {"city": "Oslo"}}<|action_end|>',
            source="InternLM, Chat Format",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text="<|action_start|><|interpreter|>\nprint(1)<|action_end|>",
            source="InternLM, Chat Format",
            content="<|action_start|><|interpreter|>\nprint(1)<|action_end|>",
        ),
    ],
    "json": [
        Golden(
            text='{"name": "get_weather", "arguments": {"city": "Oslo"}}',
            source="RFC 8259",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "get_weather", "arguments": {"city": "Bergen"}}]\nDone.',
            source="RFC 8259",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}',
            source="RFC 8259",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n{"name": "get_weather", "arguments": {"city": "Oslo"',
            source="RFC 8259",
            content='Let me look.\n{"name": "get_weather", "arguments": {"city": "Oslo"',
        ),
        Golden(
            text='```json\n{\n  "name": "get_weather",\n  "arguments": {\n    "city": "Oslo"\n  }\n}\n```',
            source="RFC 8259",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='```\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```\nand\n```json\n{"name": "get_weather", "arguments": {"city": "Bergen"}}\n```',
            source="RFC 8259",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="and",
        ),
        Golden(
            text='The city is {"name": "Oslo"}, and [1, 2] are numbers.',
            source="RFC 8259",
            content='The city is {"name": "Oslo"}, and [1, 2] are numbers.',
        ),
        Golden(
            text="```python\nprint({'a': 1})\n```",
            source="RFC 8259",
            content="```python\nprint({'a': 1})\n```",
        ),
        Golden(
            text='{"name": "echo", "arguments": {"text": "```bash\\nls\\n```"}}',
            source="RFC 8259",
            calls=[("echo", {"text": "```bash\nls\n```"})],
        ),
    ],
    "xlam": [
        Golden(
            text='[{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
            source="the model card of xLAM-2",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "get_weather", "arguments": {"city": "Bergen"}}]\nDone.',
            source="the model card of xLAM-2",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='[{"name": "echo", "arguments": {"text": "a } ] and \\"quotes\\""}}]',
            source="the model card of xLAM-2",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n[{"name": "get_weather", "arguments": {"city": "Oslo"',
            source="the model card of xLAM-2",
            content='Let me look.\n[{"name": "get_weather", "arguments": {"city": "Oslo"',
        ),
        Golden(
            text='[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
            source="the model card of xLAM-2",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='```json\n[{"name": "get_weather", "arguments": {"city": "Oslo"}}]\n```',
            source="the model card of xLAM-2",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
    ],
}
