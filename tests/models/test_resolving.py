"""Names of models, of built-in providers and of extensions: real distributions in real processes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry.errors import DialectNotFoundError, ModelNotFoundError
from fcregistry.models import (
    AnthropicMessages,
    CallableModel,
    Completion,
    Message,
    Model,
    OpenAIChat,
    OpenAIResponses,
    TextModel,
    resolve,
)

if TYPE_CHECKING:
    from tests.conftest import Site

GROUP = "fcregistry.extensions"


class Own(Model):
    @property
    def name(self) -> str:
        return "own:model"

    async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
        return Completion(message=Message(role="assistant", content="hi"))


def say(messages: Any) -> str:
    return "hi"


def test_a_model_is_meant_as_it_is() -> None:
    own = Own()
    assert resolve(own) is own


def test_a_function_is_made_a_model() -> None:
    model = resolve(say)
    assert isinstance(model, CallableModel)
    assert model.complete("?").message.content == "hi"


def test_a_function_with_a_dialect_is_one_from_text_to_text() -> None:
    model = resolve(lambda prompt: prompt[-10:], dialect="hermes")
    assert isinstance(model, TextModel)
    assert model.complete("?").message.content == "Assistant:"
    with pytest.raises(DialectNotFoundError):
        resolve(say, dialect="hermse")


@pytest.mark.parametrize(
    ("prefix", "kind"),
    [("anthropic", AnthropicMessages), ("openai", OpenAIChat), ("openai-responses", OpenAIResponses)],
)
def test_each_provider_that_is_built_in_has_a_class_of_models(prefix: str, kind: type[Model]) -> None:
    model = resolve(f"{prefix}:some-model")
    assert type(model) is kind
    assert model.name == f"{prefix}:some-model"


@pytest.mark.parametrize("llm", [None, 5, {}, ["openai:gpt-5"]])
def test_other_objects_are_not_models(llm: Any) -> None:
    with pytest.raises(
        TypeError, match="llm is a Model, a name such as 'openai:gpt-5', or a callable from messages to"
    ):
        resolve(llm)


def test_a_class_of_models_is_refused_with_what_to_do() -> None:
    with pytest.raises(TypeError, match="llm is the class Own; give an instance of it"):
        resolve(Own)


@pytest.mark.parametrize("llm", [Own(), "openai:gpt-5"])
def test_a_dialect_for_a_model_with_its_own_calls_is_refused(llm: Any) -> None:
    with pytest.raises(TypeError, match="dialect=… is for a callable from a prompt to a text, not for"):
        resolve(llm, dialect="hermes")


WRONG = {
    "opnai:gpt-5": "there is no model 'opnai:gpt-5': the providers are anthropic, "
    "lmstudio, ollama, openai, openai-responses, vllm; did you mean 'openai'?",
    "OpenAI:gpt-5": "there is no model 'OpenAI:gpt-5': .*; did you mean 'openai'",
    "gpt-5": "there is no model 'gpt-5': write PROVIDER:MODEL, such as openai:gpt-5; the providers are anthropic, ",
    "anthropic": "'anthropic' is a provider without a model: write anthropic:MODEL",
    "anthropic: ": "'anthropic' is a provider without a model: write anthropic:MODEL",
    "": "there is no model '': write PROVIDER:MODEL, such as openai:gpt-5; ",
    ":gpt-5": "there is no model ':gpt-5': the providers are ",
    "llama:smollm2": "'llama:smollm2' comes from the extension fcregistry-llama, which is not installed: pip install fcregistry-llama",
}


def test_the_error_for_an_unknown_name_lists_the_providers_and_what_to_install(site: Site) -> None:
    """In a process that has no extensions."""
    messages = site.ask(
        f"""
        from fcregistry.errors import ModelNotFoundError
        from fcregistry.models import resolve
        answer = []
        for name in {list(WRONG)}:
            try:
                resolve(name)
            except ModelNotFoundError as error:
                answer.append(str(error))
        """
    )
    missed = [text for pattern, text in zip(WRONG.values(), messages, strict=True) if not re.search(pattern, text)]
    assert missed == []
    assert issubclass(ModelNotFoundError, LookupError)


# --- extensions -----------------------------------------------------------------------------------

ECHO = """
import builtins
builtins.__dict__.setdefault("loads", []).append(__name__)

from fcregistry import hookimpl
from fcregistry.errors import ConfigurationError
from fcregistry.models import CallableModel

@hookimpl
def fc_resolve_model(name):
    match name:
        case "none":
            return None
        case "text":
            return "a text"
        case "class":
            return CallableModel
        case "broken":
            raise OSError("no such file")
        case "own":
            raise ConfigurationError("ECHO_KEY is not set")
    return CallableModel(lambda messages: f"{name}: {messages[-1]['content']}", name=f"echo:{name}")
"""

ASK = """
import builtins
from fcregistry.models import resolve

def reason(name):
    "Return why there is no model of a name."
    try:
        return repr(resolve(name))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

loads = builtins.__dict__.setdefault("loads", [])
"""


def test_a_prefix_is_the_name_of_an_extension_which_is_loaded_then_and_once(site: Site) -> None:
    """The name is what stands after the first colon, with whatever colons and paths it has."""
    site.install("acme-echo", {"echo": "acme_echo"}, {"acme_echo.py": ECHO}, group=GROUP)
    site.install("acme-other", {"other": "acme_other"}, {"acme_other.py": ECHO}, group=GROUP)
    answer = site.ask(
        ASK
        + """
answer = [reason("opena:x"), list(loads)]
answer += [resolve(name).complete("hi").message.content for name in ("echo:loud", "echo:/a b/c:d.gguf", " echo: x ")]
answer += [resolve("echo:loud").name, loads]
"""
    )
    assert answer[0].endswith(
        "the providers are anthropic, lmstudio, ollama, openai, openai-responses, vllm, and the extensions that are installed: echo, other; "
        "did you mean 'openai'?"
    )
    assert answer[1:] == [[], "loud: hi", "/a b/c:d.gguf: hi", "x: hi", "echo:loud", ["acme_echo"]]


def test_no_extension_gets_a_prefix_that_is_spelt_like_one_that_is_built_in(site: Site) -> None:
    names = ("OpenAI", "openai", "OPENAI_responses", "openai.responses", "Ollama")
    site.install("acme-echo", dict.fromkeys(names, "acme_echo"), {"acme_echo.py": ECHO}, group=GROUP)
    asked = [f"{name}:x" for name in names if name != "openai"]
    *answers, prefixes, loads = site.ask(
        ASK
        + f"from fcregistry.models import model_prefixes\nanswer = [reason(name) for name in {asked}] + [model_prefixes(), loads]"
    )
    assert [answer.partition(": the providers")[0] for answer in answers] == [
        f"ModelNotFoundError: there is no model {name!r}" for name in asked
    ]
    assert answers[0].endswith("did you mean 'openai'?")
    assert "extensions" not in answers[0]
    assert prefixes == ["anthropic", "lmstudio", "ollama", "openai", "openai-responses", "vllm"]
    assert loads == []


BROKEN = (
    "ModelNotFoundError: the extension acme-echo[echo] failed to make the model 'echo:broken': OSError: no such file; "
    "report this to the authors of acme-echo, or set FCREGISTRY_DISABLE=acme-echo[echo]"
)


def test_an_error_of_an_extension_names_it(site: Site) -> None:
    """An error of ours that it raises stays what it is: it says what to do."""
    site.install("acme-echo", {"echo": "acme_echo"}, {"acme_echo.py": ECHO}, group=GROUP)
    answer = site.ask(ASK + "answer = [reason(f'echo:{name}') for name in ('none', 'text', 'class', 'broken', 'own')]")
    assert answer == [
        "ModelNotFoundError: the extension acme-echo[echo] has no model 'none'; its documentation says which it has",
        "ModelNotFoundError: the extension echo gave a str for 'echo:text', which is not an fcregistry.models.Model",
        "ModelNotFoundError: the extension echo gave the class CallableModel for 'echo:class', which is not an fcregistry.models.Model",
        BROKEN,
        "ConfigurationError: ECHO_KEY is not set",
    ]


TYPES = "from fcregistry import hookimpl\n@hookimpl\ndef fc_register_types(types): ...\n"


def test_an_extension_that_cannot_be_used_is_named_with_what_to_do(site: Site) -> None:
    site.install("acme-gone", {"gone": "acme_gone"}, group=GROUP)
    site.install("acme-types", {"types": "acme_types"}, {"acme_types.py": TYPES}, group=GROUP)
    for name in ("acme", "zeta"):
        site.install(name, {"echo": f"{name}_echo"}, {f"{name}_echo.py": ECHO}, group=GROUP)
    names = ["gone:x", "types:x", "echo:x", "type:x"]
    ask = ASK + f"answer = [[reason(name) for name in {names}], loads]"
    (gone, types, echo, near), loads = site.ask(ask)
    assert gone.startswith(
        "ModelNotFoundError: the model 'gone:x' comes from the extension acme-gone[gone], which does not load: "
        "ModuleNotFoundError: No module named 'acme_gone'; its entry point names a module that does not exist: correct gone = \"acme_gone\""
    )
    assert (
        types
        == "ModelNotFoundError: there is no model 'types:x': the extension acme-types[types] has no hook fc_resolve_model"
    )
    assert echo == (
        "ModelNotFoundError: the model 'echo:x' comes from the extensions acme[echo] and zeta[echo], of which only one can be used: "
        "uninstall the others, or disable them, as with FCREGISTRY_DISABLE=zeta[echo]"
    )
    assert near.endswith("the extensions that are installed: echo, gone")  # the third is loaded, and has no models
    assert loads == []

    disabled = {"FCREGISTRY_DISABLE": "zeta[echo]"}
    assert site.ask(ASK + "answer = reason('echo:x')", env=disabled) == "<Model echo:x>"
    disabled = {"FCREGISTRY_DISABLE": "zeta[echo] acme[echo]"}
    assert site.ask(ASK + "answer = reason('echo:x')", env=disabled) == (
        "ModelNotFoundError: the model 'echo:x' comes from the extension acme[echo], which is disabled: "
        "FCREGISTRY_DISABLE names acme[echo]"
    )


def test_an_extension_may_be_an_object_and_have_other_hooks_beside(site: Site) -> None:
    code = """
from fcregistry import hookimpl
from fcregistry.models import CallableModel

class Extension:
    def __init__(self, words):
        self.words = words

    @hookimpl
    def fc_register_types(self, types): ...

    @hookimpl
    def fc_resolve_model(self, name):
        return CallableModel(lambda messages: self.words)

EXTENSION = Extension("from an object")
"""
    site.install("acme", {"acme": "acme_models:EXTENSION"}, {"acme_models.py": code}, group=GROUP)
    assert site.ask(ASK + "answer = resolve('acme:x').complete('?').message.content") == "from an object"
