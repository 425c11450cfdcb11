"""What the wheels do together: a real model on this machine calls a real tool of a plugin, and answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("fcregistry")


def asked(folder: Path, *options: str) -> dict[str, Any]:
    """Ask the model, and return the run. The model is small and often wrong, so only what has to be so is looked at."""
    environment = {name: value for name, value in os.environ.items() if name != "FCREGISTRY_CACHE_DIR"}
    if given := os.environ.get("FCREGISTRY_TEST_CACHE_DIR"):  # where its file is kept between runs
        environment["FCREGISTRY_CACHE_DIR"] = given
    done = subprocess.run(
        [COMMAND, "ask", "Multiply 12 and 13", "--tool", "multiply", "--model", "llama:smollm2", "--json", *options],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    run: dict[str, Any] = json.loads(done.stdout or "null") or {}
    assert done.returncode == (0 if run.get("stop_reason") in ("answered", "stop_tool") else 1), done.stderr
    return run


def test_a_model_on_this_machine_calls_an_installed_tool_and_answers(tmp_path: Path) -> None:
    run = asked(tmp_path)
    assert run["stop_reason"] == "answered"
    assert run["answer"]
    (called,) = [call for message in run["messages"] for call in message.get("tool_calls", ())]
    assert called["function"]["name"] == "multiply"
    arguments = json.loads(called["function"]["arguments"])
    (result,) = [message for message in run["messages"] if message["role"] == "tool"]
    assert float(result["content"]) == arguments["a"] * arguments["b"]


@pytest.mark.parametrize("agent", ["function-call", "plan-and-solve", "rewoo"])
def test_every_agent_comes_to_an_end_with_a_model_on_this_machine(agent: str, tmp_path: Path) -> None:
    run = asked(tmp_path, "--agent", agent)
    calls = [call["id"] for message in run["messages"] for call in message.get("tool_calls", ())]
    results = [message["tool_call_id"] for message in run["messages"] if message["role"] == "tool"]
    assert results == calls
    assert run["usage"]["requests"] >= 1
