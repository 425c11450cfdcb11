"""Ripgrep, if it is installed, as a filter: finds the open files that may have a matching line.

The package `regex` decides about the lines of these files, so the answers are the same with and without ripgrep. For that, ripgrep gets
a pattern that matches at least what the model's pattern does: what the two engines read differently becomes "any character" or
"nothing", and ripgrep is not asked about patterns with other syntax. It reads the files that are open already, by their descriptors,
and never a path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_ANY: Final = r"(?:[^\n]|(?-u:[\x80-\xff]){1,3})"
r"""A character. Up to three bytes that are not valid UTF-8 become one replacement character when Python decodes them."""
_NOTHING: Final = "(?:)"
_TOKEN: Final = re.compile(
    r"""
    (?P<same> \\[][.^$*+?(){}|\\/"'#,:;=!@%&~-] | \\t | \((?:\?:)? | \) | \| | [*+?]\?? | \{[0-9]{1,3}(?:,[0-9]{0,3})?\}\?? )
    | (?P<letters> \[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[A-Za-z0-9_.,/\ ])+\] | \\s | \\[dw] )
    | (?P<any> \. | \\[DWS] | \[\^?(?:\\.|[^]\\[])+\] )
    | (?P<nothing> \^ | \$ | \\[bB] )
    | (?P<literal> [^][\\(){}*+?.^$|\n] )
    """,
    re.VERBOSE,
)


def widen(pattern: str, *, ignore_case: bool) -> str | None:
    """Return a pattern for ripgrep that matches at least the lines that a model's pattern matches.

    Return None if the pattern has syntax for which no such pattern is known.

    Args:
        pattern: The pattern.
        ignore_case: Whether upper and lower case are the same.
    """
    pieces, at = [], 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        at, kind, text = token.end(), token.lastgroup, token[0]
        if kind == "any" or (ignore_case and (kind == "letters" or not text.isascii() or text in "iI")):
            pieces.append(_ANY)  # without regard to case: Unicode has several letters i, and changes with its versions
        elif kind == "nothing":
            pieces.append(_NOTHING)
        else:
            pieces.append(rf"[{text}\p{{Cn}}]" if text in (r"\d", r"\w") else text)  # characters of later versions
    return "".join(pieces)


def program() -> str | None:
    """Return the path of ripgrep, or None if it is not installed or cannot be used on this system."""
    return shutil.which("rg") if Path("/dev/fd").is_dir() else None


def batch_size() -> int:
    """Return how many files to open for one run of ripgrep.

    That is a quarter of what the process may have open, and at most 256.
    """
    if sys.platform == "win32":
        return 1
    import resource  # only POSIX systems have it

    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 256 if allowed < 0 else max(1, min(256, allowed // 4))


def may_match(rg: str, pattern: str, descriptors: Sequence[int], *, ignore_case: bool, seconds: float) -> set[int]:
    """Return the descriptors of the files that may have a line that matches.

    Args:
        rg: The path of ripgrep.
        pattern: What `widen` returned.
        descriptors: The open files.
        ignore_case: Whether upper and lower case are the same.
        seconds: How long it may take.

    Raises:
        TimeoutError: It took longer.
    """
    options = ["--no-config", "--no-messages", "--no-mmap", "--text", "--null", "--files-with-matches"]
    command = [rg, *options, *(["--ignore-case"] if ignore_case else []), "--regexp", pattern, "--"]
    names = {f"/dev/fd/{each}".encode(): each for each in descriptors}
    try:
        done = subprocess.run(
            [*command, *(os.fsdecode(name) for name in names)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=descriptors,
            env={},
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    except OSError:
        return set(descriptors)
    if done.returncode not in (0, 1):
        return set(descriptors)  # it could not read all of them, or the pattern is too large for it
    return {names[name] for name in done.stdout.split(b"\0") if name in names}
