"""Families that write calls as tags around bare text."""

from typing import Any

from . import Golden


def tool(name: str, **types: str) -> dict[str, Any]:
    """Return the definition of a tool whose parameters have these types."""
    return {"name": name, "parameters": {"properties": {key: {"type": kind} for key, kind in types.items()}}}


WEATHER = [tool("get_weather", city="string", days="integer", exact="boolean", tags="array", table="object")]
OSLO = ("get_weather", {"city": "Oslo"})
BERGEN = ("get_weather", {"city": "Bergen"})

QWEN = "Qwen3-Coder-30B-A3B-Instruct, chat template"
MIMO = "MiMo-V2-Flash, chat template"
SEED = "Seed-OSS-36B-Instruct, chat template"
GLM = "GLM-4.5, chat template"
MINIMAX = "MiniMax-M2, chat template"
CLAUDE = "Anthropic documentation, Tool use"
DEEPSEEK = "DeepSeek-V3.2, encoding of messages"
STEP = "the StepTML parsers of vLLM and SGLang"

GOLDENS = {
    "qwen3-coder": [
        Golden(
            text="<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
            '<parameter=exact>\ntrue\n</parameter>\n<parameter=tags>\n["a", 1]\n</parameter>\n</function>\n</tool_call>',
            source=QWEN,
            calls=[("get_weather", {"city": "Oslo", "days": 3, "exact": True, "tags": ["a", 1]})],
            tools=WEATHER,
        ),
        Golden(
            text="<think>\nTwo.\n</think>\n\nLet me look.\n\n<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n"
            "</function>\n</tool_call>\n<tool_call>\n<function=get_weather>\n<parameter=city>\nBergen\n</parameter>\n</function>\n"
            "</tool_call><|im_end|>",
            source="Qwen 3.5, chat template",
            calls=[OSLO, BERGEN],
            content="Let me look.",
            reasoning="Two.",
        ),
        Golden(
            text="<tool_call>\n<function=write>\n<parameter=text>\n a } </parameter> b </function>\n</tool_cal\n\n</parameter>\n</function>\n</tool_call>",
            source=QWEN,
            calls=[("write", {"text": " a } </parameter> b </function>\n</tool_cal\n"})],
        ),
        Golden(
            text="I call.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nOs",
            source=QWEN,
            content="I call.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nOs",
        ),
    ],
    "mimo": [
        Golden(
            text="<tool_call>\n<function=echo>\n<parameter=text>a &lt; b &amp;&amp; c</parameter>\n</function>\n</tool_call>",
            source="SGLang, MiMoDetector",
            calls=[("echo", {"text": "a < b && c"})],
        ),
        Golden(
            text="<tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n<parameter=days>3</parameter>\n</function>\n</tool_call>",
            source=MIMO,
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text="<think>Two.</think>Let me look.<tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>\n</tool_call>"
            "<tool_call>\n<function=get_weather>\n<parameter=city>Bergen</parameter>\n</function>\n</tool_call>\nDone.<|im_end|>",
            source=MIMO,
            calls=[OSLO, BERGEN],
            content="Let me look.\nDone.",
            reasoning="Two.",
        ),
        Golden(
            text="<tool_call>\n<function=write>\n<parameter=text>\n{ </parameter>, &lt;b&gt; \n</parameter>\n</function>\n</tool_call>",
            source=MIMO,
            calls=[("write", {"text": "\n{ </parameter>, <b> \n"})],
        ),
        Golden(
            text="<tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter",
            source=MIMO,
            content="<tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter",
        ),
    ],
    "seed-oss": [
        Golden(
            text="<seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n<parameter=days>3</parameter>\n</function>\n"
            "</seed:tool_call>",
            source=SEED,
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text="<seed:think>Two.</seed:think>\nLet me look.\n\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n"
            "</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>\nBergen\n</parameter>\n</function>\n"
            "</seed:tool_call><seed:eos>",
            source=SEED,
            calls=[OSLO, BERGEN],
            content="Let me look.",
            reasoning="Two.",
        ),
        Golden(
            text='<seed:tool_call>\n<function=write>\n<parameter=text>{ </seed:tool_call> "</parameter>"</parameter>\n</function>\n</seed:tool_call>',
            source=SEED,
            calls=[("write", {"text": '{ </seed:tool_call> "</parameter>"'})],
        ),
        Golden(
            text="Wait.\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n",
            source=SEED,
            content="Wait.\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>",
        ),
    ],
    "glm-4.5": [
        Golden(
            text="\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>\n"
            "<arg_value>3</arg_value>\n</tool_call>",
            source=GLM,
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text="Two.</think>Let me look.<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>"
            "<tool_call>now</tool_call><|observation|>",
            source="GLM-4.7, chat template",
            calls=[OSLO, ("now", {})],
            content="Let me look.",
            reasoning="Two.",
        ),
        Golden(
            text='<tool_call>write\n<arg_key>text</arg_key>\n<arg_value>\n{ </arg_value> and </tool_call>"\n</arg_value>\n</tool_call>',
            source=GLM,
            calls=[("write", {"text": '\n{ </arg_value> and </tool_call>"\n'})],
        ),
        Golden(
            text="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>",
            source=GLM,
            content="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>",
        ),
    ],
    "minimax-m2": [
        Golden(
            text='<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n<parameter name="days">3</parameter>\n'
            "</invoke>\n</minimax:tool_call>",
            source=MINIMAX,
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text='Two.\n</think>\n\nLet me look.\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n'
            '</invoke>\n<invoke name="get_weather">\n<parameter name="city">Bergen</parameter>\n</invoke>\n</minimax:tool_call>[e~[',
            source=MINIMAX,
            calls=[OSLO, BERGEN],
            content="Let me look.",
            reasoning="Two.",
        ),
        Golden(
            text='<minimax:tool_call>\n<invoke name="write">\n<parameter name="text"><p>{ </parameter>, </invoke> "</p>\n</parameter>\n</invoke>\n'
            "</minimax:tool_call>",
            source=MINIMAX,
            calls=[("write", {"text": '<p>{ </parameter>, </invoke> "</p>\n'})],
        ),
        Golden(
            text='<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n'
            '<invoke name="get_weather">\n<parameter name="ci',
            source=MINIMAX,
            calls=[OSLO],
            content='<invoke name="get_weather">\n<parameter name="ci',
        ),
        Golden(
            text='<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>',
            source=MINIMAX,
            content='<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>',
        ),
    ],
    "claude-xml": [
        Golden(
            text='<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n<parameter name="days">3</parameter>\n'
            "</invoke>\n</function_calls>",
            source=CLAUDE,
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text='<thinking>Two.</thinking>\n\nLet me look.\n\n<function_calls>\n<invoke name="get_weather">\n'
            '<parameter name="city">Oslo</parameter>\n</invoke>\n<invoke name="get_weather">\n<parameter name="city">Bergen</parameter>\n'
            "</invoke>\n</function_calls>\n\nThat is all.",
            source=CLAUDE,
            calls=[OSLO, BERGEN],
            content="Let me look.\n\nThat is all.",
            reasoning="Two.",
        ),
        Golden(
            text="<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n<days>3</days>\n</parameters>\n"
            "</invoke>\n</function_calls>",
            source="Anthropic documentation, Legacy tool use",
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text='<function_calls>\n<invoke name="write">\n<parameter name="text"> { "</parameter>" </invoke> &amp; </parameter>\n</invoke>\n'
            "</function_calls>",
            source=CLAUDE,
            calls=[("write", {"text": ' { "</parameter>" </invoke> &amp; '})],
        ),
        Golden(
            text='<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Oslo',
            source=CLAUDE,
            content='<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Oslo',
        ),
    ],
    "deepseek-v3.2": [
        Golden(
            text='Two.</think>Let me look.\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name="get_weather">\n'
            '<｜DSML｜ parameter name="city" string="true">Oslo</｜DSML｜ parameter>\n'
            '<｜DSML｜ parameter name="days" string="false">3</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
            source="vLLM, DeepSeekV41Parser",
            reasoning="Two.",
            content="Let me look.",
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
        ),
        Golden(
            text='<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n'
            '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n'
            '<｜DSML｜parameter name="tags" string="false">["a", null]</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
            source=DEEPSEEK,
            calls=[("get_weather", {"city": "Oslo", "days": 3, "tags": ["a", None]})],
        ),
        Golden(
            text='Two.</think>Let me look.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
            '<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="get_weather">\n'
            '<｜DSML｜parameter name="city" string="true">Bergen</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls><｜end▁of▁sentence｜>',
            source=DEEPSEEK,
            calls=[OSLO, BERGEN],
            content="Let me look.",
            reasoning="Two.",
        ),
        Golden(
            text='<｜DSML｜function_calls>\n<｜DSML｜invoke name="write">\n<｜DSML｜parameter name="text" string="true">{ "</｜DSML｜parameter>" 1'
            "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
            source=DEEPSEEK,
            calls=[("write", {"text": '{ "</｜DSML｜parameter>" 1'})],
        ),
        Golden(
            text='<｜DSML｜function_calls>\n<｜DSML｜invoke name="write">\n<｜DSML｜parameter name="text" string="true">a',
            source=DEEPSEEK,
            content='<｜DSML｜function_calls>\n<｜DSML｜invoke name="write">\n<｜DSML｜parameter name="text" string="true">a',
        ),
    ],
    "step3": [
        Golden(
            text='<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">\n'
            '<steptml:parameter name="city">Oslo</steptml:parameter>\n<steptml:parameter name="days">3</steptml:parameter>\n'
            "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
            source=STEP,
            calls=[("get_weather", {"city": "Oslo", "days": 3})],
            tools=WEATHER,
        ),
        Golden(
            text='Let me look.\n<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">'
            '<steptml:parameter name="city">Oslo</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_sep｜><｜tool_call_begin｜>'
            '<steptml:invoke name="get_weather"><steptml:parameter name="city">Bergen</steptml:parameter></steptml:invoke>'
            "<｜tool_call_end｜><｜tool_calls_end｜>Done.<|EOT|>",
            source=STEP,
            calls=[OSLO, BERGEN],
            content="Let me look.\nDone.",
        ),
        Golden(
            text='<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="write">\n'
            '<steptml:parameter name="text">a < b { </steptml:parameter> "</steptml:parameter>\n'
            "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
            source=STEP,
            calls=[("write", {"text": 'a < b { </steptml:parameter> "'})],
        ),
        Golden(
            text='<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="write">\n<steptml:parameter name="te',
            source=STEP,
            content='<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="write">\n<steptml:parameter name="te',
        ),
    ],
}
