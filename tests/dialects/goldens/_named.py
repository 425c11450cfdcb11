"""Families that write a name, and an object after it."""

from . import Golden

PLAMO = "vLLM, Plamo3ToolParser"


def plamo_request(name: str, arguments: str, constraint: str = "<|plamo:constrain|>json<|plamo:msg|>") -> str:
    return (
        f"<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|>"
        f"<|plamo:begin_tool_arguments:plamo|>{constraint}{arguments}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
    )


def plamo_section(*requests: str) -> str:
    return f"<|plamo:begin_tool_requests:plamo|>{''.join(requests)}<|plamo:end_tool_requests:plamo|>"


GOLDENS = {
    "plamo3": [
        Golden(
            text="<|plamo:begin_think:plamo|>Two.<|plamo:end_think:plamo|>Let me look."
            + plamo_section(
                plamo_request("get_weather", '{"city": "Oslo"}'), plamo_request("get_weather", '{"city": "Bergen"}')
            )
            + "<|plamo:tag|>",
            source=PLAMO,
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.",
            reasoning="Two.",
        ),
        Golden(
            text="Two." + plamo_section(plamo_request("get_current_date", "{}")),
            source=PLAMO,
            calls=[("get_current_date", {})],
            content="Two.",
        ),
        Golden(
            text=plamo_section(plamo_request("read", '{"path":"README.md"}', "<|plamo:msg|>")),
            source="OpenClaw, the provider of PLaMo",
            calls=[("read", {"path": "README.md"})],
        ),
        Golden(
            text=plamo_section(
                plamo_request("echo", '{"text": "a } <|plamo:end_tool_arguments:plamo|> \\"quotes\\""}')
            ),
            source=PLAMO,
            calls=[("echo", {"text": 'a } <|plamo:end_tool_arguments:plamo|> "quotes"'})],
        ),
        Golden(text="Done.<|plamo:tag|>", source=PLAMO, content="Done."),
        Golden(
            text="<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|>"
            '<|plamo:begin_tool_arguments:plamo|>{"city": "',
            source=PLAMO,
            content='<|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>{"city": "',
        ),
    ],
    "deepseek-v3": [
        Golden(
            text='<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
            source="the chat template of DeepSeek-V3",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Bergen"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>\nDone.',
            source="the chat template of DeepSeek-V3",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>echo\n```json\n{"text": "a } ] and \\"quotes\\""}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
            source="the chat template of DeepSeek-V3",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "',
            source="the chat template of DeepSeek-V3",
            content='Let me look.\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "',
        ),
    ],
    "deepseek-r1": [
        Golden(
            text='<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
            source="the chat template of DeepSeek-R1-0528",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Bergen"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>\nDone.',
            source="the chat template of DeepSeek-R1-0528",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>echo\n```json\n{"text": "a } ] and \\"quotes\\""}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
            source="the chat template of DeepSeek-R1-0528",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "',
            source="the chat template of DeepSeek-R1-0528",
            content='Let me look.\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "',
        ),
        Golden(
            text='First I look.\n</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
            source="the chat template of DeepSeek-R1-0528",
            calls=[("get_weather", {"city": "Oslo"})],
            reasoning="First I look.",
        ),
    ],
    "deepseek-v3.1": [
        Golden(
            text='<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
            source="the model card of DeepSeek-V3.1",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Bergen"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>\nDone.',
            source="the model card of DeepSeek-V3.1",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>echo<｜tool▁sep｜>{"text": "a } ] and \\"quotes\\""}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
            source="the model card of DeepSeek-V3.1",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "',
            source="the model card of DeepSeek-V3.1",
            content='Let me look.\n<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "',
        ),
    ],
    "mistral": [
        Golden(
            text='[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}</s>',
            source="Mistral, mistral-common",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]get_weather[ARGS]{"city": "Bergen"}\nDone.',
            source="Mistral, mistral-common",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='[TOOL_CALLS]echo[ARGS]{"text": "a } ] and \\"quotes\\""}',
            source="Mistral, mistral-common",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n[TOOL_CALLS]get_weather[ARGS]{"ci',
            source="Mistral, mistral-common",
            content='Let me look.\n[TOOL_CALLS]get_weather[ARGS]{"ci',
        ),
        Golden(
            text='[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "VvvODy9mT"}]</s>',
            source="Mistral, mistral-common",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='[TOOL_CALLS]get_weather[CALL_ID]VvvODy9mT[ARGS]{"city": "Oslo"}',
            source="Mistral, mistral-common",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='[TOOL_CALLS]get_weather{"city": "Oslo"}',
            source="Mistral, mistral-common",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text="[THINK]Hm.[/THINK]It is cold.",
            source="Mistral, mistral-common",
            content="It is cold.",
            reasoning="Hm.",
        ),
    ],
    "kimi-k2": [
        Golden(
            text='<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
            source="Moonshot AI, Tool Use in Kimi K2",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_call_begin|>functions.get_weather:1<|tool_call_argument_begin|>{"city": "Bergen"}<|tool_call_end|><|tool_calls_section_end|>\nDone.',
            source="Moonshot AI, Tool Use in Kimi K2",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='<|tool_calls_section_begin|><|tool_call_begin|>functions.echo:0<|tool_call_argument_begin|>{"text": "a } ] and \\"quotes\\""}<|tool_call_end|><|tool_calls_section_end|>',
            source="Moonshot AI, Tool Use in Kimi K2",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Os',
            source="Moonshot AI, Tool Use in Kimi K2",
            content='Let me look.\n<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Os',
        ),
        Golden(
            text='<|tool_call_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_call_section_end|>',
            source="vLLM, KimiK2ToolParser",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
    ],
    "glm-4": [
        Golden(
            text='get_weather\n{"city": "Oslo"}<|observation|>',
            source="the chat template of GLM-4-9B-0414",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<|assistant|>get_weather\n{"city": "Oslo"}<|assistant|>get_weather\n{"city": "Bergen"}\nDone.',
            source="the chat template of GLM-4-9B-0414",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='echo\n{"text": "a } ] and \\"quotes\\""}',
            source="the chat template of GLM-4-9B-0414",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='get_weather\n{"city": "Os',
            source="the chat template of GLM-4-9B-0414",
            content='get_weather\n{"city": "Os',
        ),
        Golden(
            text="It is cold. And\n{this} is text.",
            source="the chat template of GLM-4-9B-0414",
            content="It is cold. And\n{this} is text.",
        ),
    ],
    "qwen-flower": [
        Golden(
            text='✿FUNCTION✿: get_weather\n✿ARGS✿: {"city": "Oslo"}\n✿RESULT✿',
            source="Qwen-Agent, QwenFnCallPrompt",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='✿FUNCTION✿: get_weather\n✿ARGS✿: {"city": "Oslo"}\n✿RESULT✿: Sunny.\n✿RETURN✿: It is sunny.',
            source="Qwen-Agent, QwenFnCallPrompt; a result that the model invents is left out",
            calls=[("get_weather", {"city": "Oslo"})],
            content="It is sunny.",
        ),
        Golden(
            text='Let me look.\n✿FUNCTION✿: get_weather\n✿ARGS✿: {"city": "Oslo"}\n✿FUNCTION✿: get_weather\n✿ARGS✿: {"city": "Bergen"}\n✿RETURN✿: Done.',
            source="Qwen-Agent, QwenFnCallPrompt",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='✿FUNCTION✿: echo\n✿ARGS✿: {"text": "a } ] and \\"quotes\\""}',
            source="Qwen-Agent, QwenFnCallPrompt",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n✿FUNCTION✿: get_weather\n✿ARGS✿: {"city": "Os',
            source="Qwen-Agent, QwenFnCallPrompt",
            content='Let me look.\n✿FUNCTION✿: get_weather\n✿ARGS✿: {"city": "Os',
        ),
    ],
    "llama3": [
        Golden(
            text='{"name": "get_weather", "parameters": {"city": "Oslo"}}<|eot_id|>',
            source="Llama documentation, Model Cards and Prompt formats",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='Let me look.\n<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}; {"name": "get_weather", "parameters": {"city": "Bergen"}}<|eom_id|>\nDone.',
            source="Llama documentation, Model Cards and Prompt formats",
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Bergen"})],
            content="Let me look.\n\nDone.",
        ),
        Golden(
            text='{"name": "echo", "parameters": {"text": "a } ] and \\"quotes\\""}}',
            source="Llama documentation, Model Cards and Prompt formats",
            calls=[("echo", {"text": 'a } ] and "quotes"'})],
        ),
        Golden(
            text='Let me look.\n{"name": "get_weather", "parameters": {"city": "Oslo',
            source="Llama documentation, Model Cards and Prompt formats",
            content='Let me look.\n{"name": "get_weather", "parameters": {"city": "Oslo',
        ),
        Golden(
            text='<function=get_weather>{"city": "Oslo"}</function><|eom_id|>',
            source="Llama documentation, Model Cards and Prompt formats",
            calls=[("get_weather", {"city": "Oslo"})],
        ),
        Golden(
            text='<|python_tag|>brave_search.call(query="x")',
            source="Llama documentation, Model Cards and Prompt formats",
            content='<|python_tag|>brave_search.call(query="x")',
        ),
    ],
}
