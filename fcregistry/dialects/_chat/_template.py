"""How does a model's own chat template write a conversation? As Hugging Face Transformers renders it, in a sandbox, and not for ever."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.dialects._chat._markers import broken_up_in, markers_in, usable
from fcregistry.dialects._chat._messages import plain_messages, plain_tools
from fcregistry.dialects._chat._meter import Meter, metered
from fcregistry.dialects._chat._origins import Origin, origin_of_config, origin_of_gguf
from fcregistry.errors import ChatTemplateError, MissingDependencyError

if TYPE_CHECKING:
    from jinja2 import Template

_LONGEST: Final = 100_000
"""Characters of a template; published ones have at most 30 000."""


_LONGEST_TOKEN: Final = 200
_MOST_TOKENS: Final = 50_000


class ChatTemplate:
    """A model's own chat template: Jinja text that writes a conversation as that model was trained on it.

    Templates are programs of strangers. They run in Jinja's sandbox, see only the conversation, which they cannot change, and are
    stopped when they work or write far more than the conversation needs. Needs the extra `fcregistry[templates]`.

    Args:
        source: The template.
        bos_token: The token that begins a text, which templates name.
        eos_token: The token that ends one.
        variables: What else the template may name, such as `enable_thinking`.
        tool_source: The template to use where there are tools, if the model has two.
        stops: More tokens that end an answer.
        markers: Special tokens that no message may hold; by default the two tokens, and those that stand in the template.
            They are broken up by a space, so that a text cannot forge a turn. `()` leaves every text as it is.

    Raises:
        ChatTemplateError: The template cannot be read; the message says in which line.
        MissingDependencyError: Jinja is not installed.
    """

    def __init__(
        self,
        source: str,
        *,
        bos_token: str = "",
        eos_token: str = "",
        variables: Mapping[str, Any] | None = None,
        tool_source: str | None = None,
        stops: Iterable[str] = (),
        markers: Iterable[str] | None = None,
    ) -> None:
        self._template, takes_tools = _compiled(source)
        self._tool_template = self._template
        if tool_source is not None:
            self._tool_template, takes_tools = _compiled(tool_source)
        self._takes_tools = takes_tools
        self._variables = {**(variables or {}), "bos_token": bos_token, "eos_token": eos_token}
        self._stops = tuple(dict.fromkeys(filter(None, (eos_token, *stops))))
        known = (bos_token, *self._stops, *markers_in(source, tool_source or "")) if markers is None else markers
        self._markers = usable(known)
        self.source = source
        """The template."""

    @classmethod
    def from_tokenizer_config(
        cls, config: Mapping[str, Any] | str | os.PathLike[str], *, variables: Mapping[str, Any] | None = None
    ) -> ChatTemplate:
        """Return the template of a model of Hugging Face, with its tokens.

        Args:
            config: What stands in `tokenizer_config.json`, or that file, or the model's folder.
            variables: As for `ChatTemplate`.

        Raises:
            ChatTemplateError: There is no template in it, or it cannot be read.
            MissingDependencyError: Jinja is not installed.
            OSError: There is no such file.
        """
        return cls._of(origin_of_config(config), variables)

    @classmethod
    def from_gguf(cls, path: str | os.PathLike[str], *, variables: Mapping[str, Any] | None = None) -> ChatTemplate:
        """Return the template of a model in a GGUF file, with its tokens. Only the start of the file is read.

        Args:
            path: The file.
            variables: As for `ChatTemplate`.

        Raises:
            ChatTemplateError: There is no template in it, or it is no whole GGUF file.
            MissingDependencyError: Jinja is not installed.
            OSError: There is no such file.
        """
        return cls._of(origin_of_gguf(path), variables)

    @classmethod
    def _of(cls, origin: Origin, variables: Mapping[str, Any] | None) -> ChatTemplate:
        _check_special(origin.special)
        seen = markers_in(origin.template, origin.tool_template or "")
        return cls(
            origin.template,
            bos_token=origin.bos,
            eos_token=origin.eos,
            variables={**origin.variables, **(variables or {})},
            tool_source=origin.tool_template,
            stops=origin.stops,
            markers=(origin.bos, origin.eos, *origin.stops, *origin.special, *seen),
        )

    @property
    def takes_tools(self) -> bool:
        """Whether the template shows tools itself; if not, a dialect writes them into the system message."""
        return self._takes_tools

    @property
    def stops(self) -> tuple[str, ...]:
        """Where an answer ends, as far as it is known: strings to stop generating at."""
        return self._stops

    @property
    def markers(self) -> tuple[str, ...]:
        """The special tokens that are broken up in messages, the longest first."""
        return self._markers

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        generation_prompt: bool = True,
        markers: Iterable[str] | None = None,
    ) -> str:
        """Return a conversation as the text that the model reads.

        The text holds the special tokens, so tokenize it without adding others.

        Args:
            messages: Messages in the shape of OpenAI's chat; they are not changed. The arguments of calls, JSON text there,
                are given to the template as objects, which is what templates expect.
            tools: Tools in the shape of OpenAI's chat.
            generation_prompt: Whether the text ends with what makes the model answer.
            markers: What is broken up in messages and tools, in the place of `markers`.

        Raises:
            ChatTemplateError: The template refuses the conversation, fails, or does not end; or it shows no tools, and there are some.
        """
        if tools and not self._takes_tools:
            raise ChatTemplateError(
                "the chat template shows no tools: let a dialect write them into the system message"
            )
        kept_out = self._markers if markers is None else usable(markers)
        said = broken_up_in(plain_messages(messages), kept_out)
        shown = broken_up_in(plain_tools(tools), kept_out) or None
        template = self._tool_template if tools else self._template
        given = {"documents": None, **self._variables, "messages": said, "tools": shown}
        try:
            meter = Meter(said, shown)
            return metered(meter, template.generate(given, add_generation_prompt=generation_prompt))
        except ChatTemplateError:
            raise
        except Exception as error:  # a template is foreign code
            raise _failed(error) from error

    def __repr__(self) -> str:
        return f"<ChatTemplate of {len(self.source)} characters{', with tools' if self._takes_tools else ''}>"


def _compiled(source: str) -> tuple[Template, bool]:
    """Return a template that can be rendered, and whether it names tools."""
    if not isinstance(source, str):
        raise ChatTemplateError(f"a chat template is text, not {type(source).__name__}")
    if len(source) > _LONGEST:
        raise ChatTemplateError(f"the chat template has {len(source)} characters; at most {_LONGEST} are read")
    try:
        from fcregistry.dialects._chat._sandbox import Sandbox, names  # Jinja is an extra, and takes long to import
    except ModuleNotFoundError as error:
        if error.name not in ("jinja2", "markupsafe"):
            raise
        raise MissingDependencyError("chat templates need Jinja2: pip install 'fcregistry[templates]'") from error
    try:
        sandbox = Sandbox()
        parsed = sandbox.parse(source)
        return sandbox.from_string(parsed), "tools" in names(parsed)
    except (RecursionError, MemoryError) as error:
        raise ChatTemplateError("the chat template cannot be read: it is nested too deep") from error
    except Exception as error:  # what strangers wrote can fail in any way
        raise _failed(error, "cannot be read") from error


def _check_special(tokens: Sequence[str]) -> None:
    """Refuse special tokens that no model has: each is looked for in each text, and breaking up one may make another.

    Raises:
        ChatTemplateError: There are too many, or one is too long.
    """
    longest = max(map(len, tokens), default=0)
    if longest > _LONGEST_TOKEN:
        raise ChatTemplateError(f"a special token has {longest} characters; at most {_LONGEST_TOKEN} are read")
    if len(tokens) > _MOST_TOKENS:
        raise ChatTemplateError(f"there are {len(tokens)} special tokens; at most {_MOST_TOKENS} are read")


def _failed(error: Exception, what: str = "cannot be rendered") -> ChatTemplateError:
    line = getattr(error, "lineno", None) or _line_of(error)
    where = f" (line {line} of the template)" if line else ""
    said = "it is nested too deep" if isinstance(error, RecursionError) else str(error)[:500] or type(error).__name__
    return ChatTemplateError(f"the chat template {what}: {said}{where}", line=line)


def _line_of(error: BaseException) -> int | None:
    """Return the line of the template in which it failed, which Jinja writes into the traceback."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
