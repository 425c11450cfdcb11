"""A file that is damaged, or made to do harm, ends in an error that names it; neither it nor a slow one stops the process that asks."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from fcregistry.errors import ModelError
from fcregistry.models import Message

from fcregistry_llama import LlamaModel, _process  # the program that loads a model is replaced
from fcregistry_llama._rendering import Marks, Thoughts

WriteModel = Callable[..., Path]


def answer(path: Path, question: str = "Hi", **settings: Any) -> str:
    with LlamaModel(path, **{"threads": 1, "context": 256, "max_tokens": 4, **settings}) as model:
        return model.complete(question).message.text


def test_the_file_that_these_tests_change_is_a_model(write_model: WriteModel) -> None:
    with LlamaModel(write_model(), threads=1, context=0, max_tokens=3) as model:
        completion = model.complete("Hi")
    assert completion.usage.output_tokens == 3


# --- the header -----------------------------------------------------------------------------------

IMPLAUSIBLE: dict[str, tuple[dict[str, Any], str]] = {
    "layers": ({"llama.block_count": 2**31}, "block_count is 2147483648, and models have 1 to 512"),
    "no layers": ({"llama.block_count": 0}, "block_count is 0, and models have 1 to 512"),
    "no context": ({"llama.context_length": 0}, "context_length is 0, and models have 1 to 268435456"),
    "a word for a number": ({"llama.context_length": "many"}, "context_length is 'many', and"),
    "width": ({"llama.embedding_length": 2**62}, "embedding_length is 4611686018427387904, and"),
    "heads of a layer": ({"llama.attention.head_count": [2, 2**31]}, "attention.head_count is 2147483648, and"),
    "nothing of layers": ({"llama.block_count": None}, r"its header has no llama\.block_count"),
    "no architecture": ({"general.architecture": None}, "its header names no architecture"),
    "alignment": ({"general.alignment": 0}, "general.alignment is 0, which is not a power of two"),
    "not a number": ({"llama.rope.freq_base": math.nan}, r"llama\.rope\.freq_base is nan"),
    "types of tokens": ({"tokenizer.ggml.token_type": [1]}, "260 tokens, but 1 elements of tokenizer.ggml.token_type"),
}


@pytest.mark.parametrize("title", IMPLAUSIBLE)
def test_a_header_that_no_model_has_is_refused_before_llama_cpp_reads_the_file(
    title: str, write_model: WriteModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes, said = IMPLAUSIBLE[title]
    path = write_model(changes)
    monkeypatch.setattr(subprocess, "Popen", None)  # no process is started for it
    with pytest.raises(ModelError, match=rf"tiny\.gguf was not loaded: .*{said}.*: download it again, from a source"):
        answer(path)


TENSORS: dict[str, tuple[dict[str, tuple[int, ...]], str]] = {
    "elements": (
        {"a": (2**40, 2)},
        "the tensor 'a' claims to have 2199023255552 elements, more than the file can hold",
    ),
    "a product that overflows": ({"a": (2**33, 2**33, 2**33)}, "more than the file can hold"),
    "dimensions": ({"a": (1,) * 9}, "the tensor 'a' claims to have 9 dimensions"),
    "a name": ({"a" * 99: (1,)}, "a text claims to be 99 bytes long"),
}


@pytest.mark.parametrize("title", TENSORS)
def test_tensors_that_cannot_be_are_refused(title: str, write_model: WriteModel) -> None:
    tensors, said = TENSORS[title]
    with pytest.raises(ModelError, match=rf"tiny\.gguf was not loaded: .*{said}"):
        answer(write_model(tensors=tensors))


@pytest.mark.parametrize(("place", "number", "said"), [(8, 2**40, "tensors"), (16, 2**40, "key-value pairs")])
def test_counts_that_cannot_be_are_refused(write_model: WriteModel, place: int, number: int, said: str) -> None:
    path = write_model()
    whole = bytearray(path.read_bytes())
    whole[place : place + 8] = number.to_bytes(8, "little")
    path.write_bytes(whole)
    with pytest.raises(ModelError, match=f"it claims to have {number} {said}"):
        answer(path)


def test_a_file_that_is_cut_off_in_its_header_is_refused(write_model: WriteModel) -> None:
    path = write_model()
    path.write_bytes(path.read_bytes().partition(b"tokenizer.ggml.merges")[0])
    with pytest.raises(ModelError, match=r"tiny\.gguf was not loaded: it is cut off"):
        answer(path)


# --- llama.cpp ------------------------------------------------------------------------------------


def test_a_file_over_which_llama_cpp_crashes_is_an_error_and_the_next_file_is_loaded(write_model: WriteModel) -> None:
    with pytest.raises(
        ModelError, match=r"llama\.cpp crashed while it loaded .*tiny\.gguf \(signal 6, Aborted\): the file"
    ):
        answer(write_model({"llama.expert_count": 7}))
    assert answer(write_model({"tokenizer.chat_template": None}), max_tokens=1) is not None
    assert "xllamacpp" not in sys.modules


def test_a_model_whose_process_was_ended_from_outside_says_so_and_is_loaded_again(
    write_model: WriteModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def start(*arguments: Any, **more: Any) -> subprocess.Popen[str]:
        started.append(popen(*arguments, **more))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    path = write_model({"llama.context_length": 16384})
    with LlamaModel(path, threads=1, context=16384, max_tokens=16000) as model:  # far from its end when it is killed
        pieces = model.stream("Hi")
        next(pieces)
        started[0].kill()
        with pytest.raises(
            ModelError, match=r"llama\.cpp crashed while it answered with .*tiny\.gguf \(signal 9, Killed\)"
        ):
            list(pieces)
        with closing(model.stream("Hi")) as again:
            assert next(again)
    assert [each.wait(timeout=30) for each in started] == [-9, -9]


@pytest.mark.skipif(os.name == "nt", reason="there, no signal stops a process for a while")
def test_other_threads_run_while_a_file_is_loaded(write_model: WriteModel, monkeypatch: pytest.MonkeyPatch) -> None:
    started: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
    popen = subprocess.Popen

    def start(*arguments: Any, **more: Any) -> subprocess.Popen[str]:
        process = popen(*arguments, **more)
        process.send_signal(signal.SIGSTOP)  # its file is not loaded until it goes on
        started.put(process)
        return process

    monkeypatch.setattr(subprocess, "Popen", start)
    answers: list[str] = []
    answering = threading.Thread(target=lambda: answers.append(answer(write_model(), max_tokens=1)))
    answering.start()
    process = started.get(timeout=60)  # this thread runs: nothing in this process loads the file
    assert (answering.is_alive(), answers, "xllamacpp" in sys.modules) == (True, [], False)
    process.send_signal(signal.SIGCONT)
    answering.join(60)
    assert len(answers) == 1


# --- the template ---------------------------------------------------------------------------------

TEMPLATES = {
    "a macro that calls itself": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "it is nested too deep"),
    "a huge repetition": ("{{ 'x' * 10 ** 12 }}", "was stopped: it works or writes far more"),
    "loops for ever": (
        "{% set r = range(9999) %}" + "{% for i in r %}" * 3 + "{% endfor %}" * 3,
        "was stopped: it works or writes far more",
    ),
    "no template": ("{% if %}", "cannot be read"),
}


@pytest.mark.parametrize("title", TEMPLATES)
def test_a_hostile_template_is_an_error_that_names_the_file(title: str, write_model: WriteModel) -> None:
    template, said = TEMPLATES[title]
    with pytest.raises(ModelError, match=rf"the chat template of .*tiny\.gguf cannot be used: .*{said}"):
        answer(write_model({"tokenizer.chat_template": template}))


def test_the_token_that_begins_a_text_is_not_written_twice(write_model: WriteModel) -> None:
    counts = []
    for adds in (False, True):
        with LlamaModel(
            write_model({"tokenizer.ggml.add_bos_token": adds}), threads=1, context=256, max_tokens=1
        ) as model:
            counts.append(model.complete("Hi").usage.input_tokens)
    assert counts == [1 + len("user: Hi")] * 2


def test_a_system_message_reaches_a_model_whose_template_refuses_it(write_model: WriteModel) -> None:
    refuses = "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}{{ m.content }}{% endfor %}"
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    with LlamaModel(write_model({"tokenizer.chat_template": refuses}), threads=1, context=256, max_tokens=1) as model:
        assert model.complete(messages).usage.input_tokens == len("Be brief.\n\nHi")


def test_a_message_cannot_forge_a_turn(write_model: WriteModel) -> None:
    with LlamaModel(write_model(), threads=1, context=256, max_tokens=1) as model:
        assert model.complete("</s>").usage.input_tokens == 1 + len("user: </s >")


THOUGHTS = [
    ("<think>\nHm. </think>\n\nYes, <b>.", False, ("Yes, <b>.", "Hm.")),
    ("Hm.\n</think>\nYes.", True, ("Yes.", "Hm.")),
    ("Yes. </think>", False, ("Yes. </think>", "")),
    ("<thin ice", False, ("<thin ice", "")),
    ("<think>Hm, and cut", False, ("", "Hm, and cut")),
    ("", False, ("", "")),
]


@pytest.mark.parametrize(("text", "is_thinking", "parts"), THOUGHTS)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_thoughts_are_separated_from_the_answer(
    text: str, is_thinking: bool, parts: tuple[str, str], size: int
) -> None:
    thoughts = Thoughts(Marks(opens="<think>", closes="</think>"), is_thinking=is_thinking)
    pieces = [thoughts.feed(text[start : start + size]) for start in range(0, len(text), size)]
    pieces.append(thoughts.feed("", is_last=True))
    answers, thought = ("".join(each) for each in zip(*pieces, strict=True))
    assert (answers, thought.strip()) == parts


# --- interrupts and limits of time -----------------------------------------------------------------------------------

FOR_EVER = """
import os, sys, time
if __name__ == "__main__":
    with open(os.environ["STARTED"], "w") as file:
        file.write(str(os.getpid()))
    time.sleep(600)
"""
"""What is run in the place of llama.cpp: it loads for ever."""

SLOWLY = """
import sys
from pathlib import Path
from fcregistry_llama import LlamaModel, _process

_process._WORKER = Path(sys.argv[1])
"""
COMPLETE = "LlamaModel(sys.argv[2]).complete('Hi')"
ASK = """
from fcregistry.cli import main
sys.argv = ["fcregistry", "ask", "Hi", "--model", "llama:" + sys.argv[2]]
sys.exit(main())
"""


@pytest.fixture
def loading_for_ever(tmp_path: Path, write_model: WriteModel, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Starts a process that waits for a file that is loaded for ever; returns it, and the process that loads."""
    worker, started = tmp_path / "for_ever.py", tmp_path / "started"
    worker.write_text(FOR_EVER, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "STARTED": str(started)}

    def start(code: str) -> tuple[subprocess.Popen[str], int]:
        command = [sys.executable, "-c", SLOWLY + code, str(worker), str(write_model())]
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        )
        while not (started.exists() and started.read_text(encoding="utf-8")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        return process, int(started.read_text(encoding="utf-8"))

    return start


def test_a_limit_of_time_holds_while_a_file_is_loaded(
    write_model: WriteModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "for_ever.py").write_text(FOR_EVER, encoding="utf-8")
    monkeypatch.setattr(_process, "_WORKER", tmp_path / "for_ever.py")
    monkeypatch.setenv("STARTED", str(tmp_path / "started"))
    model = LlamaModel(write_model())

    async def ask() -> int:
        asking = asyncio.ensure_future(model.acomplete([Message(role="user", content="Hi")]))
        while not ((tmp_path / "started").exists() and (tmp_path / "started").read_text(encoding="utf-8")):
            assert not asking.done()
            await asyncio.sleep(0.01)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asking, 0.01)
        return int((tmp_path / "started").read_text(encoding="utf-8"))

    assert is_gone(asyncio.run(ask()))


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize(("code", "said"), [(COMPLETE, "KeyboardInterrupt"), (ASK, "")], ids=["complete", "ask"])
def test_an_interrupt_ends_a_load_and_the_process_that_loads(
    code: str, said: str, loading_for_ever: Callable[[str], tuple[subprocess.Popen[str], int]]
) -> None:
    process, loads = loading_for_ever(code)
    try:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT)
        assert said in errors
        assert is_gone(loads)
    finally:
        process.kill()
        with suppress(ProcessLookupError):
            os.kill(loads, signal.SIGKILL)


def is_gone(process: int) -> bool:
    """Wait until a process has ended, which was told to."""
    for _ in range(1000):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False
