"""Families of 2026, and the prompts of LangChain: tags, elements, channels and labelled JSON."""

from typing import Any

from . import Golden

WEATHER: list[dict[str, Any]] = [
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "place": {"type": "object", "properties": {"zip": {"type": "string"}, "floor": {"type": "integer"}}},
                "spans": {
                    "anyOf": [
                        {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                        {"type": "null"},
                    ]
                },
            },
            "required": ["city"],
        },
    }
]
OSLO = ("get_weather", {"city": "Oslo"})
BERGEN = ("get_weather", {"city": "Bergen"})
IN_OSLO = '{"city":"Oslo"}'
IN_BERGEN = '{"city":"Bergen"}'
NS = "]<]minimax[>["
TAGS = '["a"]'

M3 = "the MiniMax M3 parsers of vLLM and SGLang"
MINICPM = "the chat template of MiniCPM5"
KIMI = "the chat template of Kimi K3"
HORIZON = "vLLM, K2HorizonToolParser"
HY = "vLLM, HYV3ToolParser"
SOLAR = "vLLM, SolarOpen2ToolParser"
MUSE = "the chat template of Muse Glimmer"
DOTS = "SGLang, DotsToolDetector"
GIGACHAT = "the chat template of GigaChat3-10B-A1.8B"
INKLING = "vLLM, InklingParser; SGLang, InklingDetector"
FUNCTIONARY = "MeetKai, functionary, prompt template v3.llama3"
STRUCTURED = "LangChain, structured chat"
CONVERSATIONAL = "LangChain, conversational chat"
XML = "LangChain, create_xml_agent"


def inkling_call(arguments: str, name: str = "get_weather") -> str:
    return f'{name}<|content_invoke_tool_json|>{{"name":"{name}","args":{arguments}}}<|end_message|>'


def argument(key: str, type: str, value: str) -> str:
    return f'<|open|>argument key="{key}" type="{type}"<|sep|>{value}<|close|>argument<|sep|>'


def kimi_call(*arguments: str) -> str:
    return f'<|open|>call tool="get_weather" index="1"<|sep|>{"".join(arguments)}<|close|>call<|sep|>'


GOLDENS = {
    "minimax-m3": [
        Golden(
            text=f'Let me look.\n{NS}<tool_call>\n{NS}<invoke name="get_weather">\n{NS}<city>Oslo{NS}</city>\n{NS}<days>3{NS}</days>\n'
            f"{NS}<place>\n{NS}<zip>0150{NS}</zip>\n{NS}<floor>2{NS}</floor>\n{NS}</place>\n"
            f"{NS}<spans>{NS}<item>{NS}<item>1{NS}</item>{NS}<item>2{NS}</item>{NS}</item>{NS}</spans>{NS}<tags>{NS}</tags>"
            f"{NS}</invoke>\n{NS}</tool_call>[e~[",
            source=M3,
            content="Let me look.",
            calls=[
                (
                    "get_weather",
                    {"city": "Oslo", "days": 3, "place": {"zip": "0150", "floor": 2}, "spans": [[1, 2]], "tags": []},
                )
            ],
            tools=WEATHER,
        ),
        Golden(
            text=f'<mm:think>Two.</mm:think>{NS}<tool_call>\n{NS}<invoke name="get_weather">{NS}<city>Oslo{NS}</city>{NS}</invoke>\n'
            f'{NS}<invoke name="get_weather">{NS}<city>Bergen{NS}</city>{NS}</invoke>\n{NS}</tool_call>\nDone.',
            source=M3,
            reasoning="Two.",
            content="Done.",
            calls=[OSLO, BERGEN],
        ),
        Golden(
            text=f'{NS}<tool_call>{NS}<invoke name="write">{NS}<text> <b> </text> "{{ \n{NS}</text>{NS}<items>{NS}<item>1{NS}</item>'
            f"{NS}</items>{NS}</invoke>{NS}</tool_call>",
            source=M3,
            calls=[("write", {"text": ' <b> </text> "{ \n', "items": ["1"]})],
        ),
        Golden(
            text=f'A.{NS}<tool_call>{NS}<invoke name="write">{NS}<text>a{NS}</text>',
            source=M3,
            content=f'A.{NS}<tool_call>{NS}<invoke name="write">{NS}<text>a{NS}</text>',
        ),
        Golden(
            text=f'{NS}<tool_call>{NS}<invoke name="write">{NS}<text>a{NS}</other>{NS}</invoke>{NS}</tool_call>',
            source=M3,
            content=f'{NS}<tool_call>{NS}<invoke name="write">{NS}<text>a{NS}</other>{NS}</invoke>{NS}</tool_call>',
        ),
    ],
    "minicpm5": [
        Golden(
            text='<think>\nTwo.\n</think>\n\nLet me look.\n<function name="get_weather"><param name="city">Oslo</param><param name="days">3</param>'
            '</function>\n<function name="get_weather"><param name="city">Bergen</param></function><|im_end|>',
            source=MINICPM,
            reasoning="Two.",
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3}), BERGEN],
            tools=WEATHER,
        ),
        Golden(
            text='<function name="get_weather"><param name="city">Oslo &amp; Bergen</param></function>',
            source=MINICPM,
            calls=[("get_weather", {"city": "Oslo & Bergen"})],
        ),
        Golden(
            text='<function name="write"><param name="text"><![CDATA[a </param></function>\n<function name="g"> & &amp; ]]></param></function>',
            source=MINICPM,
            calls=[("write", {"text": 'a </param></function>\n<function name="g"> & &amp; '})],
        ),
        Golden(
            text='Wait. <function name="write"><param name="text"><![CDATA[a </param></function>',
            source=MINICPM,
            content='Wait. <function name="write"><param name="text"><![CDATA[a </param></function>',
        ),
    ],
    "kimi-k3": [
        Golden(
            text="The weather is needed.<|close|>think<|sep|><|open|>response<|sep|>Let me look.<|close|>response<|sep|><|open|>tools<|sep|>"
            f"{kimi_call(argument('city', 'string', 'Oslo'), argument('days', 'number', '3'))}<|close|>tools<|sep|><|close|>message<|sep|>"
            "<|end_of_msg|>",
            source=KIMI,
            reasoning="The weather is needed.",
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
        ),
        Golden(
            text=f"<|open|>tools<|sep|>{kimi_call(argument('city', 'string', 'Oslo'))}"
            f"{kimi_call(argument('city', 'string', '42'), argument('tags', 'array', TAGS))}<|close|>tools<|sep|>",
            source=KIMI,
            calls=[OSLO, ("get_weather", {"city": "42", "tags": ["a"]})],
        ),
        Golden(
            text=f"<|open|>tools<|sep|>{kimi_call(argument('city', 'string', ' a { <|close|>argument <|sep|> '))}<|close|>tools<|sep|>",
            source=KIMI,
            calls=[("get_weather", {"city": " a { <|close|>argument <|sep|> "})],
        ),
        Golden(
            text=f"<|open|>think<|sep|>hm<|open|>tools<|sep|>{kimi_call(argument('city', 'string', 'Oslo'))}",
            source=KIMI,
            reasoning="hm",
            calls=[OSLO],
        ),
        Golden(
            text='<|open|>response<|sep|>Hi<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="str',
            source=KIMI,
            content='Hi<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="str',
        ),
    ],
    "k2-horizon": [
        Golden(
            text="Two.</ifm|think>Let me look.\n<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n"
            "<ifm|arg_value>Oslo</ifm|arg_value>\n<ifm|arg_key>days</ifm|arg_key>\n<ifm|arg_type>integer</ifm|arg_type>\n"
            "<ifm|arg_value>3</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls><|ifm|im_end|>",
            source=HORIZON,
            reasoning="Two.",
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text='<ifm|think_fast>Three.</ifm|think_fast><ifm|tool_calls><ifm|tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</ifm|tool_call>\n'
            '<ifm|tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</ifm|tool_call></ifm|tool_calls>',
            source=HORIZON,
            reasoning="Three.",
            calls=[OSLO, BERGEN],
        ),
        Golden(
            text="<ifm|think>hm<ifm|tool_calls><ifm|tool_call>write<ifm|arg_key>text</ifm|arg_key><ifm|arg_value>a { </ifm|arg_value> b"
            "</ifm|arg_value></ifm|tool_call></ifm|tool_calls>",
            source=HORIZON,
            reasoning="hm",
            calls=[("write", {"text": "a { </ifm|arg_value> b"})],
        ),
        Golden(
            text="<ifm|tool_call>write<ifm|arg_key>text</ifm|arg_key><ifm|arg_value>a",
            source=HORIZON,
            content="<ifm|tool_call>write<ifm|arg_key>text</ifm|arg_key><ifm|arg_value>a",
        ),
    ],
    "hy-v3": [
        Golden(
            text="<think>Two.</think>Let me look.\n<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city</arg_key>\n"
            "<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>\n</tool_calls>",
            source=HY,
            reasoning="Two.",
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text="<tool_calls><tool_call>get_current_date<tool_sep></tool_call><tool_call>get_weather<tool_sep><arg_key>city</arg_key>"
            "<arg_value>Bergen</arg_value></tool_call></tool_calls>",
            source=HY,
            calls=[("get_current_date", {}), BERGEN],
        ),
        Golden(
            text="Two.</think:opensource>Done.<tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n"
            "<arg_key:opensource>city</arg_key:opensource>\n<arg_value:opensource>Oslo</arg_value:opensource>\n"
            "</tool_call:opensource>\n</tool_calls:opensource>",
            source="SGLang, HunyuanDetector",
            reasoning="Two.",
            content="Done.",
            calls=[OSLO],
        ),
        Golden(
            text="<tool_calls><tool_call>write<tool_sep><arg_key>text</arg_key><arg_value>a { </arg_value> b</arg_value></tool_call></tool_calls>",
            source=HY,
            calls=[("write", {"text": "a { </arg_value> b"})],
        ),
        Golden(
            text="<tool_call>write<tool_sep><arg_key>text</arg_key><arg_value>a",
            source=HY,
            content="<tool_call>write<tool_sep><arg_key>text</arg_key><arg_value>a",
        ),
    ],
    "solar-open2": [
        Golden(
            text="<|think:start|>Two.<|think:end|>Let me look.<|tool_call:start|>get_weather\n"
            "<|tool_arg:start|>city<|tool_arg:value|>Oslo<|tool_arg:end|>\n<|tool_arg:start|>days<|tool_arg:value|>3<|tool_arg:end|>\n"
            "<|tool_call:end|>\n<|tool_call:start|>get_weather\n<|tool_arg:start|>city<|tool_arg:value|>Bergen<|tool_arg:end|>\n"
            "<|tool_call:end|><|im:end|>",
            source=SOLAR,
            reasoning="Two.",
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3}), BERGEN],
            tools=WEATHER,
        ),
        Golden(
            text="Two.<|tool_call:start|>get_current_date\n<|tool_call:end|>",
            source=SOLAR,
            content="Two.",
            calls=[("get_current_date", {})],
        ),
        Golden(
            text="Two.<|think:end|>Done.",
            source=SOLAR,
            reasoning="Two.",
            content="Done.",
        ),
        Golden(
            text="<|tool_call:start|>write\n<|tool_arg:start|>text<|tool_arg:value|> a {\n<|tool_arg:end|> b <|tool_arg:end|>\n<|tool_call:end|>",
            source=SOLAR,
            calls=[("write", {"text": " a {\n<|tool_arg:end|> b "})],
        ),
        Golden(
            text="<|tool_call:start|>write\n<|tool_arg:start|>text<|tool_arg:value|>a",
            source=SOLAR,
            content="<|tool_call:start|>write\n<|tool_arg:start|>text<|tool_arg:value|>a",
        ),
    ],
    "gigachat3.5": [
        Golden(
            text='Let me look.\n<｜GCML｜tool_calls>\n<｜GCML｜invoke name="get_weather">\n'
            '<｜GCML｜parameter name="city" string="true">Oslo</｜GCML｜parameter>\n'
            '<｜GCML｜parameter name="days" string="false">3</｜GCML｜parameter>\n</｜GCML｜invoke>\n<｜GCML｜invoke name="get_weather">\n'
            '<｜GCML｜parameter name="city" string="true">Bergen</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls><|message_sep|></s>',
            source="SGLang, GigaChat35Detector",
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3}), BERGEN],
        ),
        Golden(
            text='<｜GCML｜tool_calls><｜GCML｜invoke name="write"><｜GCML｜parameter name="text" string="true">{ "</｜GCML｜parameter>" 1'
            "</｜GCML｜parameter></｜GCML｜invoke></｜GCML｜tool_calls>",
            source="SGLang, GigaChat35Detector",
            calls=[("write", {"text": '{ "</｜GCML｜parameter>" 1'})],
        ),
        Golden(
            text="<｜GCML｜tool_calls><｜GCML｜invoke na",
            source=GIGACHAT,
            content="<｜GCML｜tool_calls><｜GCML｜invoke na",
        ),
    ],
    "muse": [
        Golden(
            text=" to=self<|message|>Two.<|eom|><|start|>assistant to=get_weather.get_weather<|message|>"
            '<atem:function_calls>\n<atem:invoke name="get_weather.get_weather">\n<atem:parameter name="city">Bergen</atem:parameter>\n'
            "</atem:invoke>\n</atem:function_calls><|eot|>",
            source=MUSE,
            reasoning="Two.",
            calls=[BERGEN],
            tools=WEATHER,
        ),
        Golden(
            text=" to=self<|message|>Two.<|eom|><|start|>assistant to=user<|message|>Let me look.<|eom|><|start|>assistant to=get_weather<|message|>"
            '<atem:function_calls>\n<atem:invoke name="get_weather">\n<atem:parameter name="city">Oslo</atem:parameter>\n'
            '<atem:parameter name="days">3</atem:parameter>\n</atem:invoke>\n<atem:invoke name="get_weather">\n'
            '<atem:parameter name="city">Bergen</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eot|>',
            source=MUSE,
            reasoning="Two.",
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3}), BERGEN],
            tools=WEATHER,
        ),
        Golden(
            text=' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n'
            '<atem:parameter name="city">a < b </atem:parameter> "</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
            source=MUSE,
            calls=[("get_weather", {"city": 'a < b </atem:parameter> "'})],
        ),
        Golden(text=" to=user<|message|>To go to=there.<|eot|>", source=MUSE, content="To go to=there."),
        Golden(
            text=' to=user<|message|>Wait.<|eom|><|start|>assistant to=f<|message|><atem:function_calls>\n<atem:invoke name="f">\n<atem:par',
            source=MUSE,
            content='Wait.<atem:function_calls>\n<atem:invoke name="f">\n<atem:par',
        ),
    ],
    "dots": [
        Golden(
            text='Let me look.\n<dots_function_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n'
            '<parameter name="days">3</parameter>\n</invoke>\n</dots_function_call>',
            source=DOTS,
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text='<think>Two.</think><dots_function_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n'
            '<invoke name="get_weather">\n<parameter name="city">Bergen</parameter>\n</invoke>\n</dots_function_call>\n'
            '<dots_function_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</dots_function_call>Done.',
            source=DOTS,
            reasoning="Two.",
            content="Done.",
            calls=[OSLO, BERGEN, OSLO],
        ),
        Golden(
            text='<dots_function_call><invoke name="write"><parameter name="text">{ </dots_function_call> "</parameter>"</parameter></invoke>'
            "</dots_function_call>",
            source=DOTS,
            calls=[("write", {"text": '{ </dots_function_call> "</parameter>"'})],
        ),
        Golden(
            text='<dots_function_call><invoke name="write"><parameter name="te',
            source=DOTS,
            content='<dots_function_call><invoke name="write"><parameter name="te',
        ),
    ],
    "gigachat3": [
        Golden(
            text='Let me look.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}<|message_sep|>\n\n',
            source=GIGACHAT,
            content="Let me look.",
            calls=[OSLO],
        ),
        Golden(
            text='<|function_call|>{"name": "get_weather", "arguments": {"city": "Oslo"}}<|message_sep|>\n'
            '<|function_call|>{"name": "get_weather", "arguments": {"city": "Bergen"}}</s>',
            source="vLLM, GigaChat3ToolParser",
            calls=[OSLO, BERGEN],
        ),
        Golden(
            text='<|function_call|>{"name": "write", "arguments": {"text": "<|function_call|>{\\"name\\": \\"f\\"}<|message_sep|>"}}',
            source=GIGACHAT,
            calls=[("write", {"text": '<|function_call|>{"name": "f"}<|message_sep|>'})],
        ),
        Golden(
            text='<|function_call|>{"name": "write", "arguments": {"te',
            source=GIGACHAT,
            content='<|function_call|>{"name": "write", "arguments": {"te',
        ),
    ],
    "inkling": [
        Golden(
            text=inkling_call(IN_OSLO) + "<|content_model_end_sampling|>",
            source=INKLING,
            calls=[OSLO],
        ),
        Golden(
            text="<|content_thinking|>Two cities.<|end_message|><|message_model|><|content_text|>Let me look.<|end_message|>"
            f"<|message_model|>{inkling_call(IN_OSLO)}<|message_model|>{inkling_call(IN_BERGEN)}"
            "<|message_model|><|content_text|>Both are on the way.<|end_message|><|content_model_end_sampling|>",
            source=INKLING,
            reasoning="Two cities.",
            content="Let me look.\n\nBoth are on the way.",
            calls=[OSLO, BERGEN],
        ),
        Golden(
            text='I look.<|message_model|>elsewhere<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": "Oslo"}}',
            source=INKLING,
            content="I look.",
            calls=[OSLO],  # the name in the object counts
        ),
        Golden(
            text=inkling_call(
                '{"text":"<|end_message|><|message_model|>f<|content_invoke_tool_json|>{\\"name\\": \\"f\\"}} ] \\\\ <|content_thinking|>"}',
                "write",
            ),
            source=INKLING,
            calls=[
                (
                    "write",
                    {
                        "text": '<|end_message|><|message_model|>f<|content_invoke_tool_json|>{"name": "f"}} ] \\ <|content_thinking|>'
                    },
                )
            ],
        ),
        Golden(
            text='<|content_text|>A call begins with <|content_invoke_tool_json|>{"name": "f", "args": {}}, as shown.<|end_message|>',
            source=INKLING,
            content='A call begins with <|content_invoke_tool_json|>{"name": "f", "args": {}}, as shown.',
        ),
        Golden(
            text='<|content_thinking|>f<|content_invoke_tool_json|>{"name": "f", "args": {}}<|end_message|><|message_model|><|content_text|>No.',
            source=INKLING,
            reasoning='f<|content_invoke_tool_json|>{"name": "f", "args": {}}',
            content="No.",
        ),
        Golden(
            text="python<|content_invoke_tool_text|>print(1)<|end_message|>",
            source=INKLING,
            content="print(1)",
        ),
        Golden(
            text="get_weather<|content_invoke_tool_json|>{city: Oslo<|end_message|><|message_model|>"
            + inkling_call(IN_BERGEN),
            source=INKLING,
            content="<|content_invoke_tool_json|>{city: Oslo",
            calls=[BERGEN],
        ),
        Golden(text="Cold, <10 degrees.", source=INKLING, content="Cold, <10 degrees."),
        Golden(
            text='<|content_text|>Wait.<|end_message|><|message_model|>write<|content_invoke_tool_json|>{"name":"write","args":{"te',
            source=INKLING,
            content='Wait.<|content_invoke_tool_json|>{"name":"write","args":{"te',
        ),
    ],
    "functionary": [
        Golden(
            text='all\nLet me look.>>>get_weather\n{"city": "Oslo"}<|eot_id|>',
            source=FUNCTIONARY,
            content="Let me look.",
            calls=[OSLO],
        ),
        Golden(
            text='get_weather\n{"city": "Oslo"}>>>get_weather\n{"city": "Bergen"}',
            source=FUNCTIONARY,
            calls=[OSLO, BERGEN],
        ),
        Golden(text=">>>all\nWrite >>> x = 1", source=FUNCTIONARY, content="Write >>> x = 1"),
        Golden(text='write\n{"text": ">>>all\\n', source=FUNCTIONARY, content='write\n{"text": ">>>all\\n'),
    ],
    "react-json": [
        Golden(
            text='Thought: The weather is needed.\nAction:\n```json\n{\n  "action": "get_weather",\n  "action_input": {"city": "Oslo"}\n}\n```\nObservation: cold',
            source=STRUCTURED,
            reasoning="The weather is needed.",
            calls=[OSLO],
        ),
        Golden(
            text='{"action": "get_weather", "action_input": {"city": "Oslo"}}\n{"action": "get_weather", "action_input": "Bergen"}',
            source=CONVERSATIONAL,
            calls=[OSLO, BERGEN],
            tools=WEATHER,
        ),
        Golden(
            text='Thought: I know.\nAction:\n```\n{"action": "Final Answer", "action_input": "It is {cold}."}\n```',
            source=STRUCTURED,
            reasoning="I know.",
            content="It is {cold}.",
        ),
        Golden(
            text='```json\n{"action": "write", "action_input": {"text": "```json {\\"action\\": \\"f\\", \\"action_input\\": 1}"}}\n```',
            source=CONVERSATIONAL,
            calls=[("write", {"text": '```json {"action": "f", "action_input": 1}'})],
        ),
        Golden(
            text='A.\n{"action": "write", "action_input": {"te',
            source=CONVERSATIONAL,
            content='A.\n{"action": "write", "action_input": {"te',
        ),
    ],
    "langchain-xml": [
        Golden(
            text="Let me look.<tool>get_weather</tool><tool_input>Oslo</tool_input>\n<observation>cold</observation>\n",
            source=XML,
            content="Let me look.",
            calls=[OSLO],
            tools=WEATHER,
        ),
        Golden(
            text='<tool>get_weather</tool><tool_input><city>Oslo</city><days>3</days></tool_input><tool>get_weather</tool><tool_input>{"city": "Bergen"}'
            "</tool_input><final_answer>Cold.</final_answer>",
            source="LangChain, AnthropicFunctions",
            content="Cold.",
            calls=[("get_weather", {"city": "Oslo", "days": 3}), BERGEN],
            tools=WEATHER,
        ),
        Golden(
            text="<tool>get_weather</tool><tool_input>{ <b> </tool> \n</tool_input>",
            source=XML,
            calls=[("get_weather", {"city": "{ <b> </tool>"})],
            tools=WEATHER,
        ),
        Golden(text="<tool>get_weather</tool><tool_inp", source=XML, content="<tool>get_weather</tool><tool_inp"),
    ],
}
