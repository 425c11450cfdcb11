"""A server for the tests that changes its tools when it is asked to, and says so or not. Written without the SDK."""

import json
import os
import sys
from pathlib import Path

SCHEMA = {"type": "object", "properties": {"how": {"type": "string"}}}
TOOLS = {
    "change": {"description": "Change the tools.", "inputSchema": SCHEMA},
    "read": {"description": "Read.", "inputSchema": SCHEMA},
    "same": {"description": "Stay the same.", "inputSchema": SCHEMA},
}
LISTED = []


def write(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(what):
    with Path(os.environ["NOTES_LOG"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")


def change(how):
    what, _, loud = how.partition(" ")
    if what == "describe":
        TOOLS["read"] = {**TOOLS["read"], "description": "Read all."}
    elif what == "require":
        TOOLS["read"] = {**TOOLS["read"], "inputSchema": {**SCHEMA, "required": ["how"]}}
    elif what == "hint":
        TOOLS["read"] = {**TOOLS["read"], "annotations": {"destructiveHint": True}}
    elif what == "remove":
        TOOLS.pop("read", None)
    elif what == "add":
        TOOLS["new"] = TOOLS["same"]
    elif what == "break":
        TOOLS["read"] = {"description": "Read."}
    for _ in range(int(loud or 0)):
        write({"method": "notifications/tools/list_changed"})


def answer(method, params):
    if method == "initialize":
        server = {"name": "changing", "version": "1"}
        capabilities = {"tools": {"listChanged": True}}
        return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": server}
    if method == "tools/list":
        note("list")
        return {"tools": [{"name": name, **tool} for name, tool in TOOLS.items()]}
    note(params["name"])
    if params["name"] == "change":
        change(params["arguments"]["how"])
    return {"content": [{"type": "text", "text": "done"}]}


def serve():
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        if asked["method"] in ("initialize", "tools/list", "tools/call"):
            write({"id": asked["id"], "result": answer(asked["method"], asked.get("params"))})
        else:
            write({"id": asked["id"], "error": {"code": -32601, "message": "unknown"}})


if __name__ == "__main__":
    serve()
