"""Families that write calls as Python does."""

from . import Golden

_WEATHER = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "metric": {"type": "string"}}},
}
_LLAMA = "Llama documentation, Model Cards and Prompt formats, Llama 4"
_LIQUID = "Liquid AI documentation, Tool Use"
_OLMO = "the chat template of OLMo 3"
_MINICPM = "the chat template of MiniCPM3-4B"

GOLDENS = {
    "pythonic": [
        Golden(
            text="[get_weather(city='San Francisco', metric='celsius')]<|eot|>",
            source=_LLAMA,
            calls=[("get_weather", {"city": "San Francisco", "metric": "celsius"})],
        ),
        Golden(
            text="Let me look.\n<|python_start|>[get_weather(city='San Francisco', metric='celsius'), "
            'get_weather(city="Seattle", days=-3, tags=[\'a\', "b"], table={"k": (1, 2.5)}, now=True, then=None)]<|python_end|>\nSo much for that.',
            source=_LLAMA,
            calls=[
                ("get_weather", {"city": "San Francisco", "metric": "celsius"}),
                (
                    "get_weather",
                    {
                        "city": "Seattle",
                        "days": -3,
                        "tags": ["a", "b"],
                        "table": {"k": [1, 2.5]},
                        "now": True,
                        "then": None,
                    },
                ),
            ],
            content="Let me look.\n\nSo much for that.",
        ),
        Golden(
            text="""[echo(text='it\\'s )] <|python_end|> [f(a=1)]', more="she said \\"no\\"")]""",
            source=_LLAMA,
            calls=[("echo", {"text": "it's )] <|python_end|> [f(a=1)]", "more": 'she said "no"'})],
        ),
        Golden(
            text="[get_weather('Oslo', metric='celsius')]",
            source=_LLAMA,
            calls=[("get_weather", {"city": "Oslo", "metric": "celsius"})],
            tools=[_WEATHER],
        ),
        Golden(
            text="I call [get_weather(city='Oslo'), get_weather(city='Ber",
            source=_LLAMA,
            content="I call [get_weather(city='Oslo'), get_weather(city='Ber",
        ),
        Golden(
            text="See [1], [the page](page.html) and [f(x)].",
            source=_LLAMA,
            content="See [1], [the page](page.html) and [f(x)].",
        ),
    ],
    "lfm2": [
        Golden(
            text='<|tool_call_start|>[get_candidate_status(candidate_id="12345")]<|tool_call_end|>'
            "Checking the current status of candidate ID 12345.<|im_end|>",
            source=_LIQUID,
            calls=[("get_candidate_status", {"candidate_id": "12345"})],
            content="Checking the current status of candidate ID 12345.",
        ),
        Golden(
            text='One moment.<|tool_call_start|>[get_weather(city="Oslo"), get_weather(city="[Bergen]<|tool_call_end|>")]<|tool_call_end|>',
            source=_LIQUID,
            calls=[("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "[Bergen]<|tool_call_end|>"})],
            content="One moment.",
        ),
        Golden(
            text='<|tool_call_start|>[{"name": "get_candidate_status", "arguments": {"candidate_id": "12345"}}]<|tool_call_end|>Checking.',
            source=_LIQUID,
            calls=[("get_candidate_status", {"candidate_id": "12345"})],
            content="Checking.",
        ),
        Golden(
            text='A moment.<|tool_call_start|>{"name": "get_tide", "arguments": {"harbour": "Bodø", "hour": 6}}<|tool_call_end|>',
            source="SGLang, Lfm2Detector",
            calls=[("get_tide", {"harbour": "Bodø", "hour": 6})],
            content="A moment.",
        ),
        Golden(
            text='<|tool_call_start|>[get_candidate_status(candidate_id="123',
            source=_LIQUID,
            content='<|tool_call_start|>[get_candidate_status(candidate_id="123',
        ),
    ],
    "olmo3": [
        Golden(
            text="<function_calls>\nget_weather(city='New York', units='celsius')\n</function_calls><|im_end|>",
            source=_OLMO,
            calls=[("get_weather", {"city": "New York", "units": "celsius"})],
        ),
        Golden(
            text="Two of them.\n<function_calls>\nfunction1(param1='value1', on=true)\n"
            "function2(param2='</function_calls>', none=null)\n</function_calls>\nDone.",
            source=_OLMO,
            calls=[
                ("function1", {"param1": "value1", "on": True}),
                ("function2", {"param2": "</function_calls>", "none": None}),
            ],
            content="Two of them.\n\nDone.",
        ),
        Golden(
            text="<function_calls>\nget_weather(city='New Yo",
            source=_OLMO,
            content="<function_calls>\nget_weather(city='New Yo",
        ),
    ],
    "minicpm": [
        Golden(
            text="<|thought_start|>\nThe rate is needed.\n<|thought_end|>\n<|tool_call_start|>\n```python\n"
            'get_rate(from_currency="USD",to_currency="EUR",amount=500)\n```\n<|tool_call_end|>\nI ask for it.<|im_end|>',
            source=_MINICPM,
            calls=[("get_rate", {"from_currency": "USD", "to_currency": "EUR", "amount": 500})],
            content="I ask for it.",
            reasoning="The rate is needed.",
        ),
        Golden(
            text='<|tool_call_start|>\n```python\nfunc1(a="```")\nfunc2(b="<|tool_call_end|>")\n```\n<|tool_call_end|>',
            source=_MINICPM,
            calls=[("func1", {"a": "```"}), ("func2", {"b": "<|tool_call_end|>"})],
        ),
        Golden(
            text="<|tool_call_start|>\n```python\nget_rate(amount=500",
            source=_MINICPM,
            content="<|tool_call_start|>\n```python\nget_rate(amount=500",
        ),
    ],
}
