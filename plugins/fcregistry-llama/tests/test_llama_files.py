"""What is said of a file that is no model, and of a name that is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fcregistry.errors import ModelError, ModelNotFoundError

from fcregistry_llama import LlamaModel
from fcregistry_llama.extension import fc_resolve_model


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFoundError, match=r"there is no model file .*none\.gguf; name a \.gguf file"):
        fc_resolve_model(str(tmp_path / "none.gguf"))


def test_a_folder_is_not_a_model_file(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFoundError, match=r"is a folder; give the path of one of the \.gguf files in it"):
        fc_resolve_model(str(tmp_path))


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(ModelNotFoundError, match=r"the model file /a+\.gguf cannot be read: File name too long"):
        fc_resolve_model(f"/{'a' * 300}.gguf")


def test_a_path_of_an_unknown_user_stays_as_it_is() -> None:
    with pytest.raises(ModelNotFoundError, match=r"there is no model file ~nobody-of-this-name/some\.gguf"):
        fc_resolve_model("~nobody-of-this-name/some.gguf")
    with pytest.raises(ModelNotFoundError, match=r"there is no model file .*~nobody-of-this-name/some\.gguf"):
        LlamaModel("~nobody-of-this-name/some.gguf").complete("Say hello.")


def test_a_file_that_is_not_a_model(tmp_path: Path) -> None:
    (tmp_path / "notes.gguf").write_text("a diary", encoding="utf-8")
    with pytest.raises(ModelNotFoundError, match=r"is not a GGUF file, the only format that llama\.cpp reads"):
        fc_resolve_model(str(tmp_path / "notes.gguf"))


def test_a_name_that_is_neither_a_file_nor_known() -> None:
    with pytest.raises(ModelNotFoundError, match=r"there is no model 'llama:gpt'; name llama:smollm2, or any GGUF"):
        fc_resolve_model("gpt")


def test_a_damaged_model_is_an_error_when_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "cut.gguf").write_bytes(b"GGUF\x03\x00\x00\x00" + b"\xff" * 64)
    model = fc_resolve_model(str(tmp_path / "cut.gguf"))
    with pytest.raises(
        ModelError, match=r"cut\.gguf was not loaded: it claims to have 18446744073709551615 key-value pairs"
    ):
        model.complete("Say hello.")


def test_a_name_has_the_prefix_and_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF")
    assert fc_resolve_model(str(path)).name == f"llama:{path}"
    assert fc_resolve_model("smollm2").name == "llama:smollm2"
    assert LlamaModel(path, name="mine").name == "mine"


def test_settings_follow_the_name(tmp_path: Path) -> None:
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF")
    model = fc_resolve_model(f"{path}?threads=2&max_tokens=64")
    assert (model.name, model._threads, model._settings.max_tokens) == (f"llama:{path}?threads=2&max_tokens=64", 2, 64)
    small = fc_resolve_model("smollm2?threads=1")
    assert (small._threads, small._settings.max_tokens) == (1, 128)


@pytest.mark.parametrize("setting", ["thread=1", "threads=0", "threads=two", "max_tokens=", "threads"])
def test_a_wrong_setting_in_a_name_is_an_error_that_lists_the_valid_ones(setting: str) -> None:
    with pytest.raises(ModelNotFoundError) as raised:
        fc_resolve_model(f"smollm2?{setting}")
    assert "a wrong setting: thread" in str(raised.value) or "a wrong setting: max_tokens=;" in str(raised.value)
    assert "the settings are threads, max_tokens, context, each a whole number from 1" in str(raised.value)


def test_by_default_one_physical_core_is_left_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, threads in ((1, 1), (2, 1), (8, 7)):
        monkeypatch.setattr("fcregistry_llama._model.physical_cores", lambda cores=cores: cores)
        assert LlamaModel(tmp_path / "some.gguf")._load_settings().threads == threads
    assert LlamaModel(tmp_path / "some.gguf", threads=3)._load_settings().threads == 3


def test_to_close_a_model_that_was_never_asked_fetches_nothing() -> None:
    fetched: list[Path] = []

    def located() -> Path:
        fetched.append(Path("model.gguf"))
        return fetched[-1]

    LlamaModel(located).close()
    assert fetched == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"context": -1}, "context"),
        ({"threads": 0}, "threads"),
        ({"temperature": -1.0}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said} must be "):
        LlamaModel("model.gguf", **settings)  # type: ignore[arg-type]


def in_a_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python, which finds what these tests find."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_to_import_the_extension_loads_no_machine_code() -> None:
    code = "import sys, fcregistry_llama.extension; print('xllamacpp' in sys.modules)"
    done = in_a_process("-c", code)
    assert done.stdout == "False\n"


QUIET = """
import sys
from fcregistry_llama import LlamaModel

model = LlamaModel(sys.argv[1], threads=1, context=512, max_tokens=400)
for piece in model.stream("Tell me a long story."):
    break
"""


def test_a_process_says_nothing_of_its_own_and_ends_while_the_model_is_writing(smollm2: Path) -> None:
    done = in_a_process("-c", QUIET, str(smollm2))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
