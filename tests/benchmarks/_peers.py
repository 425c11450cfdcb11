"""Installs other packages, each into an environment of its own, and asks them there to run the same calls.

A peer is a file in `peers/`, named as its distribution. The page lists a peer that cannot be installed or does not answer.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).parent
OURS = "fcregistry"
NAMES = sorted(path.stem for path in (HERE / "peers").glob("*.py") if path.stem != OURS)

Answers: TypeAlias = Mapping[str, Any]


class NoAnswerError(Exception):
    """A peer could not be installed, or its runner did not come to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """The seconds that something takes, and how many times that is what the floor takes in the same process."""

    seconds: float
    beside: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerReport:
    """What a peer answered, in every round.

    Attributes:
        name: Of its distribution.
        version: Its version; empty if it is not installed.
        rounds: Its answers, a mapping for each round.
        failure: Why there are none.
    """

    name: str
    version: str = ""
    rounds: Sequence[Answers] = ()
    failure: str = ""

    def time(self, question: str) -> Time | None:
        """Return the median over the rounds; None where it does not do that at all, or fails."""
        taken = [answers[question] for answers in self.rounds]
        if not taken or not all(isinstance(pair, list) for pair in taken):
            return None
        seconds = statistics.median(ours for _, ours in taken)
        return Time(seconds=seconds, beside=statistics.median(ours / floor for floor, ours in taken))

    def seconds(self, question: str) -> float | None:
        """Return the median of a time that has no floor."""
        taken = [answers[question] for answers in self.rounds]
        return statistics.median(taken) if taken and all(isinstance(one, float) for one in taken) else None

    def said(self, question: str) -> bool | None:
        """Return what it answered to a yes-or-no question."""
        answer = self.rounds[0][question] if self.rounds else None
        return answer if isinstance(answer, bool) else None

    @property
    def failures(self) -> dict[str, str]:
        """The questions at which it failed, with the first line of what it said."""
        first = self.rounds[0] if self.rounds else {}
        return {question: answer.splitlines()[0] for question, answer in first.items() if isinstance(answer, str)}


def ask_all(folder: Path, *, rounds: int) -> list[PeerReport]:
    """Install all peers, and ask each once a round, in turns; this package is asked as one of them, and comes first.

    Args:
        folder: Where their environments are, or are made.
        rounds: How often all are asked.
    """
    pythons: dict[str, str] = {OURS: sys.executable}
    failures: dict[str, str] = {}
    for name in NAMES:
        print(f"installing {distribution(name)} ...", file=sys.stderr, flush=True)
        try:
            pythons[name] = install(name, folder)
        except NoAnswerError as error:
            failures[name] = f"was not installed: {error}"
    answers: dict[str, list[Answers]] = {name: [] for name in pythons}
    for round_ in range(rounds):
        for name, python in pythons.items():
            if name in failures:
                continue
            print(f"asking {distribution(name)}, {round_ + 1} of {rounds} ...", file=sys.stderr, flush=True)
            try:
                answers[name].append(ask(name, python))
            except NoAnswerError as error:
                failures[name] = f"did not run: {error}"
    return [_report(name, pythons, answers, failures) for name in [OURS, *NAMES]]


def _report(
    name: str, pythons: Mapping[str, str], answers: Mapping[str, list[Answers]], failures: Mapping[str, str]
) -> PeerReport:
    version = version_of(name, pythons[name]) if name in pythons else ""
    if name in failures:
        return PeerReport(name=distribution(name), version=version, failure=failures[name])
    return PeerReport(name=distribution(name), version=version, rounds=answers[name])


def distribution(name: str) -> str:
    """Return what a peer is installed as."""
    return name.replace("_", "-")


def install(name: str, folder: Path) -> str:
    """Install the newest release of a peer, compiled, and return the Python that has it.

    Raises:
        NoAnswerError: It cannot be installed here.
    """
    home = folder / distribution(name)
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(home)], seconds=300)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--upgrade", "--compile", "--disable-pip-version-check"]
    _run([*pip, distribution(name), "typing-extensions"], seconds=1200)  # the tools that are timed need these, too
    return str(python)


def ask(name: str, python: str) -> Answers:
    """Run a peer's runner, and return what it answers.

    Raises:
        NoAnswerError: It does not come to its end.
    """
    with tempfile.TemporaryDirectory() as folder:  # some write where they are started
        # -P, because a runner is named like what it imports.
        printed = _run([python, "-P", "-m", f"peers.{name}"], seconds=600, cwd=folder, env={"PYTHONPATH": str(HERE)})
    answers: Answers = json.loads(printed.strip().splitlines()[-1])
    return answers


def version_of(name: str, python: str) -> str:
    """Return the version of a peer that is installed."""
    show = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    return _run([python, "-c", show, distribution(name)], seconds=60).strip()


def _run(
    command: Sequence[str], *, seconds: float, cwd: str | None = None, env: Mapping[str, str] | None = None
) -> str:
    try:
        asked = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, cwd=cwd, env={**os.environ, **(env or {})}
        )
    except subprocess.TimeoutExpired:
        raise NoAnswerError(f"it had not ended after {seconds:g} s") from None
    if asked.returncode:
        raise NoAnswerError((asked.stderr.strip() or asked.stdout.strip() or "it said nothing").splitlines()[-1])
    return asked.stdout
