"""A server for the tests whose tools have schemas of results, and whose answers do not always fit. Written without the SDK."""

import json
import sys

DEEP = {"type": "object"}
for _ in range(60):
    DEEP = {"type": "object", "properties": {"a": DEEP}}


def one(inner, **more):
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **more}


TOOLS = {
    # name: the schema of results, the texts, the structured content
    "whole": ({"type": "object", "properties": {"total": {"type": "integer"}}}, ["3"], {"total": 3}),
    "wrapped": (one({"type": "integer", "title": "Result"}, title="wrappedOutput"), ["3"], {"result": 3}),
    "wrapped_text": (one({"type": "string"}), ["milk"], {"result": "milk"}),
    "wrapped_null": (one({"anyOf": [{"type": "integer"}, {"type": "null"}]}), [], {"result": None}),
    "marked": (
        {
            "type": "object",
            "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/Note"}}},
            "$defs": {"Note": {"type": "string"}},
            "x-fastmcp-wrap-result": True,
        },
        ["a", "b"],
        {"result": ["a", "b"]},
    ),
    "honest": (one({"type": "integer"}), ['{"result": 3}'], {"result": 3}),
    "list": (one({"type": "array", "items": {"type": "string"}}), ["a"], {"result": ["a"]}),
    "two": (
        {"type": "object", "properties": {"result": {"type": "integer"}, "more": {}}, "required": ["result"]},
        ["3"],
        {"result": 3},
    ),
    "optional": ({"type": "object", "properties": {"result": {"type": "integer"}}}, ["3"], {"result": 3}),
    "boolean": (one({"type": "boolean"}), ["1"], {"result": True}),
    "not_an_object": ("integer", ["3"], {"total": 3}),
    "wrong_type": ({"type": "integer"}, ["3"], {"total": 3}),
    "no_schema": ({"type": "object", "properties": {"a": {"type": "no-such"}}}, ["3"], {"total": 3}),
    "leads_nowhere": ({"type": "object", "properties": {"a": {"$ref": "#/none"}}}, ["3"], {"total": 3}),
    "huge": ({"type": "object", "description": "d" * 200_000}, ["3"], {"total": 3}),
    "deep": (DEEP, ["3"], {"total": 3}),
    "explosive": (
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}},
        ["3"],
        {"a": "a" * 40 + "!"},
    ),
    "unfit": (
        {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]},
        ["3"],
        {"total": "3"},
    ),
    "nothing_structured": ({"type": "object"}, ["3"], None),
}
UNREADABLE = {
    "text": '{{"jsonrpc": "2.0", "id": {id}, "result": "text"}}',
    "surrogate": '{{"jsonrpc": "2.0", "id": {id}, "result": {{"content": [{{"type": "text", "text": "\\ud800"}}]}}}}',
    "noise": "no message at all\n" + '{{"jsonrpc": "2.0", "id": {id}, "result": {{"content": []}}}}',
}


def write(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def answer(method, params):
    if method == "initialize":
        server = {"name": "returns", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        listed = [{"name": name, "outputSchema": each[0]} for name, each in TOOLS.items()]
        listed += [{"name": name} for name in (*UNREADABLE, "log")]
        return {"tools": [{**each, "inputSchema": {"type": "object"}} for each in listed]}
    _, texts, structured = TOOLS[params["name"]]
    content = [{"type": "text", "text": text} for text in texts]
    return {"content": content} if structured is None else {"content": content, "structuredContent": structured}


def serve():
    for received in sys.stdin:
        asked = json.loads(received)
        if "id" not in asked:
            continue
        called = (asked.get("params") or {}).get("name") if asked["method"] == "tools/call" else None
        if called in UNREADABLE:
            write(UNREADABLE[called].format(id=asked["id"]))
            continue
        if called == "log":
            for level, data in (("debug", "low"), ("info", {"at": 1}), ("error", "no\x1b[31m paper" + "!" * 1000)):
                params = {"level": level, "logger": "db", "data": data}
                write(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": params}))
            TOOLS["log"] = (None, ["done"], None)
        if asked["method"] in ("initialize", "tools/list", "tools/call"):
            answered = {"result": answer(asked["method"], asked.get("params"))}
        else:
            answered = {"error": {"code": -32601, "message": "unknown"}}
        write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answered}))


if __name__ == "__main__":
    serve()
