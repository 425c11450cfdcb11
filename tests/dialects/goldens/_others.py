"""Families that write calls as lines, as messages into channels, and with names in braces."""

from . import Golden

_YAO = "the prompts of LangChain and LlamaIndex"
_HARMONY = "OpenAI, OpenAI Harmony Response Format"
_GEMMA_4 = "Google AI for Developers, Function calling with Gemma 4"
_FUNCTION_GEMMA = "Google AI for Developers, FunctionGemma formatting and best practices"
_SEARCH = {
    "name": "search",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["query"],
    },
}

GOLDENS = {
    "react": [
        Golden(
            text='Thought: I need to use a tool.\nAction: add\nAction Input: {"a": 1, "b": 1}\n',
            source=_YAO,
            calls=[("add", {"a": 1, "b": 1})],
            reasoning="I need to use a tool.",
        ),
        Golden(
            text='Two sums.\nThought: First one,\nthen the other.\nAction: add\nAction Input: {"a": 1, "b": {"c": [2]}}\n\n'
            'Thought: And now?\nAction: `echo`\nAction Input: ```json\n{"text": "Observation: } Action: x"}\n```\nThat is all.',
            source=_YAO,
            calls=[("add", {"a": 1, "b": {"c": [2]}}), ("echo", {"text": "Observation: } Action: x"})],
            content="Two sums.\n\nThat is all.",
            reasoning="First one,\nthen the other.\n\nAnd now?",
        ),
        Golden(
            text='Action: search\nAction Input: rivers in Spain\nObservation: 3\nThought: Now I know.\nAction: add\nAction Input: {"a": 3}\n',
            source=_YAO,
            calls=[("search", {"query": "rivers in Spain"})],
            tools=[_SEARCH],
        ),
        Golden(
            text="Thought: I can answer without any tool.\nFinal Answer: Here it is:\n\nThe second line.",
            source=_YAO,
            content="Here it is:\n\nThe second line.",
            reasoning="I can answer without any tool.",
        ),
        Golden(
            text='Thought: I need a tool.\nAction: add\nAction Input: {"a": 1, "b',
            source=_YAO,
            content='Action: add\nAction Input: {"a": 1, "b',
            reasoning="I need a tool.",
        ),
    ],
    "harmony": [
        Golden(
            text="<|channel|>analysis<|message|>Need to use function get_current_weather.<|end|><|start|>assistant<|channel|>commentary "
            'to=functions.get_current_weather <|constrain|>json<|message|>{"location":"San Francisco"}<|call|>',
            source=_HARMONY,
            calls=[("get_current_weather", {"location": "San Francisco"})],
            reasoning="Need to use function get_current_weather.",
        ),
        Golden(
            text="<|channel|>commentary<|message|>I look in two places.<|end|><|start|>assistant to=functions.get_weather<|channel|>commentary "
            '<|constrain|>json<|message|>{"city": "Oslo <|call|> }"}<|call|><|start|>assistant<|channel|>commentary to=functions.get_weather'
            '<|message|>{"city": "Bergen"}<|call|><|start|>assistant<|channel|>final<|message|>Both are asked.<|return|>',
            source=_HARMONY,
            calls=[("get_weather", {"city": "Oslo <|call|> }"}), ("get_weather", {"city": "Bergen"})],
            content="I look in two places.\n\nBoth are asked.",
        ),
        Golden(
            text="<|channel|>analysis<|message|>User asks: what is 2 + 2? Simple.<|end|><|start|>assistant<|channel|>final<|message|>2 + 2 = 4.<|return|>",
            source=_HARMONY,
            content="2 + 2 = 4.",
            reasoning="User asks: what is 2 + 2? Simple.",
        ),
        Golden(
            text='<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Os',
            source=_HARMONY,
            content='<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Os',
        ),
    ],
    "gemma4": [
        Golden(
            text='<|tool_call>call:get_current_temperature{location:<|"|>London<|"|>}<tool_call|>',
            source=_GEMMA_4,
            calls=[("get_current_temperature", {"location": "London"})],
        ),
        Golden(
            text="<|channel>thought\nTwo of them.<channel|>Let me look.<|tool_call>call:search{limit:10,near:{lat:-1.5,exact:false},"
            'query:<|"|>a } <tool_call|> and "quotes"<|"|>,tags:[<|"|>x<|"|>,<|"|>y<|"|>,null]}<tool_call|><|tool_call>call:ping{}<tool_call|>'
            '<|tool_response>response:ping{value:<|"|>pong<|"|>}<tool_response|>Done.<turn|>',
            source=_GEMMA_4,
            calls=[
                (
                    "search",
                    {
                        "limit": 10,
                        "near": {"lat": -1.5, "exact": False},
                        "query": 'a } <tool_call|> and "quotes"',
                        "tags": ["x", "y", None],
                    },
                ),
                ("ping", {}),
            ],
            content="Let me look.\n\nDone.",
            reasoning="Two of them.",
        ),
        Golden(
            text='<|tool_call>call:search{query:<|"|>hello world<|"|>,limit:10,verbose:',
            source=_GEMMA_4,
            content='<|tool_call>call:search{query:<|"|>hello world<|"|>,limit:10,verbose:',
        ),
    ],
    "functiongemma": [
        Golden(
            text="<start_function_call>call:get_current_temperature{location:<escape>London<escape>}<end_function_call><start_function_response>",
            source=_FUNCTION_GEMMA,
            calls=[("get_current_temperature", {"location": "London"})],
        ),
        Golden(
            text="I ask.<start_function_call>call:multiply{a:12234585,b:48838483920}<end_function_call>"
            "<start_function_call>call:echo{text:<escape>{x} <end_function_call>, y<escape>}<end_function_call>Wait.",
            source=_FUNCTION_GEMMA,
            calls=[
                ("multiply", {"a": 12234585, "b": 48838483920}),
                ("echo", {"text": "{x} <end_function_call>, y"}),
            ],
            content="I ask.Wait.",
        ),
        Golden(
            text="<start_function_call>call:get_current_temperature{location:<",
            source=_FUNCTION_GEMMA,
            content="<start_function_call>call:get_current_temperature{location:<",
        ),
    ],
}
