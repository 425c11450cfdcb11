"""What the wheels do together: a real model on this machine calls a real tool of a plugin, and answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("fcregistry")


def test_a_model_on_this_machine_calls_an_installed_tool_and_answers(tmp_path: Path) -> None:
    """The model is small and often wrong, so what is looked at is what has to be so: the call, its result, and that there is an answer."""
    environment = {name: value for name, value in os.environ.items() if name != "FCREGISTRY_CACHE_DIR"}
    if given := os.environ.get("FCREGISTRY_TEST_CACHE_DIR"):  # where its file is kept between runs
        environment["FCREGISTRY_CACHE_DIR"] = given
    asked = subprocess.run(
        [COMMAND, "ask", "Multiply 12 and 13", "--tool", "multiply", "--model", "llama:smollm2", "--json"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    run = json.loads(asked.stdout)
    assert run["stop_reason"] == "answered"
    assert run["answer"]
    (called,) = [call for message in run["messages"] for call in message.get("tool_calls", ())]
    assert called["function"]["name"] == "multiply"
    arguments = json.loads(called["function"]["arguments"])
    (result,) = [message for message in run["messages"] if message["role"] == "tool"]
    assert float(result["content"]) == arguments["a"] * arguments["b"]
