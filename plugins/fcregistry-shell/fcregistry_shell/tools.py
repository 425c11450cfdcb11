"""The tool `run_command`, for the folder and the rules that the environment names.

| variable | meaning |
|---|---|
| `FCREGISTRY_SHELL_CWD` | the folder, as an absolute path |
| `FCREGISTRY_SHELL_ALLOW` | the rules of the commands that may run, with `;` between them: `git status; git log …` |
| `FCREGISTRY_SHELL_ENV` | names of further variables that commands get, with commas between them |

Without the first two, the tool is not available. Each call requires approval.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from fcregistry import Context, Tool
from fcregistry.errors import ConfigurationError, DefinitionError

from fcregistry_shell._tools import CommandResult, Runner, Words

__all__ = ["TOOLS"]

_CWD: Final = "FCREGISTRY_SHELL_CWD"
_ALLOW: Final = "FCREGISTRY_SHELL_ALLOW"
_ENV: Final = "FCREGISTRY_SHELL_ENV"


def run_command(words: Words, stdin: str = "", *, context: Context) -> CommandResult:
    """Run a command that the operator allows, and wait until it ends.

    No shell reads it: there are no pipes, variables or wildcards. The answer to any other command shows the rules.

    Args:
        words: The program and its arguments, each as a text of its own.
        stdin: What the command reads from standard input.
        context: The call.
    """
    runner = _runner(os.environ.get(_CWD, ""), os.environ.get(_ALLOW, ""), os.environ.get(_ENV, ""))
    return runner.run_words(words, stdin, context=context)


@lru_cache(maxsize=1)
def _runner(folder: str, allow: str, env: str) -> Runner:
    """Return the runner for the values of the three variables.

    Raise `ConfigurationError` if one of them is not valid.
    """
    if not Path(folder).is_absolute():
        raise ConfigurationError(f"{_CWD} must be an absolute path")
    try:
        return Runner.of(folder, _split(allow, ";"), _split(env, ","), 60.0, False, 30_000)
    except (DefinitionError, NotADirectoryError) as error:
        raise ConfigurationError(f"{_CWD}, {_ALLOW} or {_ENV} is not valid: {error}") from None


def _split(text: str, mark: str) -> list[str]:
    """Return the parts of `text` between each `mark`, without space around them and without empty ones."""
    return [each.strip() for each in text.split(mark) if each.strip()]


TOOLS: Final = [
    Tool.from_function(
        run_command,
        tags=("shell",),
        read_only=False,
        destructive=True,
        idempotent=False,
        open_world=True,
        requires_approval=True,
        requires_env=[_CWD, _ALLOW],
    )
]
"""The tools of the entry point."""
