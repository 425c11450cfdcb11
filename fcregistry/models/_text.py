"""`TextModel`: a function from text to text as a model, which writes its calls in a dialect.

Messages become plain text, with tools, calls and results in the dialect; the text that comes back is read in it, up to the first mark that ends an
answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry import dialects
from fcregistry._base.call import ToolCall
from fcregistry._base.source import callback_problem
from fcregistry._tools.tool import Tool
from fcregistry.dialects import break_markers, break_markers_in
from fcregistry.formats import finish_reason
from fcregistry.models._callable import FunctionModel, FunctionRequest, completed, parameters_of
from fcregistry.models._messages import CallIds, Message, arguments_text, chat_message, derived
from fcregistry.models._model import Completion, Delta, SurrogateJoiner, ToolCallDelta, offered_tools

if TYPE_CHECKING:
    from fcregistry.dialects import ChatFormat, ChatTemplate, Dialect, Parsed
    from fcregistry.models._model import ToolChoice


NATIVE: Final = "dialects"
"""The key in `Message.native` of the dialect that `auto` recognized, by the name of the model."""


class TextModel(FunctionModel):
    """A model made from a function that takes a prompt and returns a text.

    The conversation becomes a prompt: a system message describes the tools, in the dialect; calls and their results are written as the models of the
    dialect's family write and read them. The text that comes back becomes content, thinking and calls. Calls without an id get one. Without tools,
    text that looks like a call stays text.

    Args:
        function: Takes the prompt, and returns a text, or yields it in pieces; plain or async. It may return a `Completion` with the text, or yield
            one last, which says why the model stopped, and how many tokens it used. One with a parameter `messages` is given
            messages instead of a prompt, as dicts of which each has a role (`system`, `user`, `assistant`) and a text, unless `chat` is given.
            One with a parameter `stop` is given the marks that end an answer, a list, by that name.
        dialect: How calls are written: a name, or a dialect. By default, that of the model, if `name` or `chat` says which model it is;
            else `json`, which the prompt asks for, and nothing else is read. `auto` reads any dialect: the first call of a conversation
            determines it, and from then on the conversation is written and read in that.
        chat: How messages become a prompt: the name of a chat format, such as `chatml`, or a chat format, or a template of the model's own;
            by default `plain`. Text after a mark that ends an answer in it is cut off. A template that shows tools itself is given them.
        name: The name of the model, such as `qwen2.5:7b`; by default, `callable:` and the function's name.

    Raises:
        DialectNotFoundError: There is no dialect, or no chat format, of that name.
        TypeError: The function cannot be called, or the dialect or the chat format is not one.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        dialect: str | Dialect | None = None,
        chat: str | ChatFormat | ChatTemplate | None = None,
        name: str | None = None,
    ) -> None:
        if not callable(function):
            raise TypeError(f"the function is a callable from a prompt to a text, not {function!r}")
        super().__init__(function, name)
        parameters = parameters_of(function)
        self._chat = None if chat is None and "messages" in parameters else _chat(chat)
        if dialect is None:
            dialect = _dialect_of(name, self._chat)
        self._dialect: Dialect = dialects.get(dialect) if isinstance(dialect, str) else dialect
        if not hasattr(self._dialect, "render_calls"):
            raise TypeError(f"dialect is the name of a dialect or a dialect, not {dialect!r}")
        self._markers = self._chat.markers if self._chat else ()
        self._key = object()  # of what is kept beside messages, which must not keep the model
        self._is_auto = getattr(self._dialect, "name", "") == "auto"
        self._takes_stop = "stop" in parameters
        prompt = "messages" if self._chat is None else "prompt"
        if problem := callback_problem(function, prompt, named=["stop"] if self._takes_stop else []):
            raise TypeError(f"the function of the model {self.name} {problem}")

    @property
    def dialect(self) -> Dialect:
        """The dialect of the calls."""
        return self._dialect

    def _request(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> FunctionRequest:
        """Return a `FunctionRequest`: the function bound to the prompt, and the reader of its text.

        Raise `ValueError` for a choice that is neither known nor the name of a tool.
        """
        tools = offered_tools(tools, tool_choice)
        dialect = self._dialect_in(messages)
        prompt = self._prompt(messages, dialect, tools, choice_instruction(tool_choice) if tools else "")
        stops = self._chat.stops if self._chat else ()
        options = {"stop": list(dict.fromkeys((*stops, *dialect.stops)))} if self._takes_stop else {}
        ids = CallIds(
            [*(call.id for each in messages for call in each.tool_calls), *(each.tool_call_id for each in messages)]
        )
        reader = _Reader(self.name, dialect, tools, stops, ids, keeps_dialect=self._is_auto)
        return FunctionRequest(lambda: self._function(prompt, **options), reader)

    def _dialect_in(self, messages: Sequence[Message]) -> Dialect:
        """Return the dialect in which to write the conversation `messages`.

        It is the model's own dialect. For `auto`, it is the one that was recognized in this model's first call in `messages`, or `auto` before
        that.
        """
        if not self._is_auto:
            return self._dialect
        stored = (each.native.get(NATIVE) for each in messages if each.role == "assistant")
        named = (each.get(self.name) for each in stored if isinstance(each, Mapping))
        return next((dialects.get(name) for name in named if name in dialects.names()), self._dialect)

    def _prompt(
        self, messages: Sequence[Message], dialect: Dialect, tools: Sequence[Tool], choice: str
    ) -> str | list[dict[str, Any]]:
        """Return the conversation as one text, or as a list of dicts for a function that takes messages.

        Args:
            messages: The conversation.
            dialect: The dialect of the calls.
            tools: The tools to describe.
            choice: The instruction for the choice of a tool; may be empty.
        """
        if self._chat is not None and self._chat.takes_tools:
            from fcregistry.formats import get  # only for templates that show tools

            return self._chat.render(template_messages(messages, choice), get("openai").describe(tools))
        described = dialect.render(tools) if tools else ""
        # The messages are without markers then, and the dialect keeps its own out of the results of tools.
        foreign = _markers_not_written_by(dialect, self._markers) if self._markers else ()
        texts = _Texts((self._key, getattr(dialect, "name", "")), dialect, self._markers, foreign)
        system = break_markers("\n\n".join(filter(None, (described, choice))), foreign)
        plain = plain_messages(messages, texts, system)
        if self._chat is None:
            return plain
        # Texts are joined by line feeds, which makes no marker that has none.
        return self._chat.render(plain, markers=[marker for marker in foreign if "\n" in marker])


def _chat(chat: str | ChatFormat | ChatTemplate | None) -> ChatFormat | ChatTemplate:
    """Return the chat format of the name `chat`, the format `plain` for None, or else `chat` itself.

    Raise `TypeError` if it is not a name, a format or a template, and `DialectNotFoundError` for an unknown name.
    """
    found = dialects.chat_format(chat or "plain") if chat is None or isinstance(chat, str) else chat
    if not hasattr(found, "render") or not hasattr(found, "takes_tools"):
        raise TypeError(f"chat is the name of a chat format, a ChatFormat or a ChatTemplate, not {chat!r}")
    return found


def _dialect_of(name: str | None, chat: ChatFormat | ChatTemplate | None) -> Dialect | str:
    """Return the dialect of the model `name`, or else of its format or template `chat`.

    If neither is known, return the name `json`.
    """
    found = dialects.for_model(name) if name else None
    if found is None and chat is not None:
        found = dialects.for_model(chat.name) if isinstance(chat, dialects.ChatFormat) else dialects.for_template(chat)
    return found or "json"


class _Reader:
    """Reads the answer of a function, which is text in a dialect."""

    def __init__(
        self,
        name: str,
        dialect: Dialect,
        tools: Sequence[Tool],
        stops: Sequence[str],
        ids: CallIds,
        *,
        keeps_dialect: bool,
    ) -> None:
        self._name = name
        self._keeps_dialect = keeps_dialect
        self._dialect = dialect
        self._tools = tuple(tools)
        self._cut = StopCutter(stops)
        self._joiner = SurrogateJoiner()
        self._stream = dialect.stream(self._tools or None)
        self._ids = ids
        self._texts: list[str] = []
        self._sent: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[ToolCall] = []
        self._has_begun = False
        self._completion: Completion | None = None

    def read(self, answer: object) -> Completion:
        """Return the completion of a whole text.

        Raises:
            TypeError: It is neither text nor a completion.
        """
        if not isinstance(answer, (str, Completion)):
            raise TypeError(f"the model returned a {type(answer).__name__}; with a dialect, it returns or yields text")
        self.add(answer)
        *_, completion = self.finish()
        assert isinstance(completion, Completion)
        return completion

    def add(self, piece: object) -> Delta | None:
        """Take the next piece of the text, or the completion, whose text is ignored if it has come in pieces.

        Raises:
            TypeError: `piece` is neither.
        """
        if isinstance(piece, Completion):
            self._completion = piece
            return None if self._has_begun else self._add_text(self._cut.feed(piece.message.text))
        if not isinstance(piece, str):
            raise TypeError(f"the model yielded a {type(piece).__name__}; with a dialect, it returns or yields text")
        self._has_begun = True
        return self._add_text(self._cut.feed(self._joiner.text("text", piece)))

    def finish(self) -> Iterable[Delta | Completion]:
        """Return what was held back until its meaning was certain, and the completion."""
        last = self._add_text(self._cut.feed(self._joiner.end("text")) + self._cut.close())
        parsed = self._stream.close()
        newest = self._take_rest(parsed.tool_calls)
        message = self._message(parsed)
        rest = Delta(
            content=_rest(message.text, "".join(self._sent)),
            reasoning=_rest(parsed.reasoning, "".join(self._thinking)),
            tool_calls=self._pieces(newest),
        )
        completion = self._completed(message)
        completion = replace(completion, details={**completion.details, "text": "".join(self._texts)})
        return (*(each for each in (last, rest) if each is not None and each != Delta()), completion)

    def _completed(self, message: Message) -> Completion:
        """Return the completion of `message`.

        If the function returned a completion itself, its other fields are kept, but its finish reason `stop` becomes `tool_calls` if `message`
        has calls.
        """
        if self._completion is None:
            return completed(message, self._name)
        reason = finish_reason(self._completion.finish_reason, bool(message.tool_calls))
        return replace(
            self._completion, message=message, finish_reason=reason, model=self._completion.model or self._name
        )

    def _take_rest(self, calls: Sequence[ToolCall]) -> int:
        """Make `calls`, all calls of the text, those of the answer, and return how many are new at its end.

        New calls were not yielded yet. Calls that were yielded first, and turned out to be thoughts, are removed.
        """
        missed = self._stream.rest.tool_calls
        del self._calls[: len(self._calls) - (len(calls) - len(missed))]
        self._calls += map(self._ids.with_id, missed)
        return len(missed)

    def _add_text(self, text: str) -> Delta | None:
        """Read `text`, the next piece, and return what is new for certain, or None if nothing is.

        New may be text, thinking and whole calls; what may become a call is held back.
        """
        if not text:
            return None
        self._texts.append(text)
        new = self._stream.feed(text)
        self._sent.append(new.content)
        self._thinking.append(new.reasoning)
        self._calls += map(self._ids.with_id, new.tool_calls)
        delta = Delta(content=new.content, reasoning=new.reasoning, tool_calls=self._pieces(len(new.tool_calls)))
        return delta if delta != Delta() else None

    def _pieces(self, newest: int) -> tuple[ToolCallDelta, ...]:
        """Return the last `newest` calls, each whole in one `ToolCallDelta`.

        The tuple is empty if the request has no tools.
        """
        first = len(self._calls) - newest if self._tools else len(self._calls)
        return tuple(
            ToolCallDelta(index=place, id=call.id, name=call.name, arguments=arguments_text(call))
            for place, call in enumerate(self._calls[first:], first)
        )

    def _message(self, parsed: Parsed) -> Message:
        """Return the message with the content and reasoning of `parsed`, and the calls that were read.

        If the request has no tools, text that looks like calls is content. For the dialect `auto`, `native` names the dialect that was
        recognized.
        """
        reasoning = parsed.reasoning or None
        if self._calls and not self._tools:
            return Message(role="assistant", content=self._without_thoughts("".join(self._texts)), reasoning=reasoning)
        recognized = self._stream.dialect if self._keeps_dialect else None  # for the next turns of the conversation
        return Message(
            role="assistant",
            content=parsed.content or (None if self._calls else ""),
            tool_calls=tuple(self._calls),
            reasoning=reasoning,
            native={NATIVE: {self._name: recognized.name}} if recognized is not None else {},
        )

    def _without_thoughts(self, text: str) -> str:
        """Return `text` after the last end of thinking in the dialect, without white space around it.

        If there is no such end, all of `text` is returned.
        """
        closes = self._dialect.thinks[1] if self._dialect.thinks else ""
        return (text.rpartition(closes)[2] if closes else text).strip()


def _rest(text: str, sent: str) -> str:
    """Return the part of `text` after its beginning `sent`, or an empty text if it does not begin so."""
    return text[len(sent) :] if text.startswith(sent) else ""


# --- Conversations as text ---


class _Texts:
    """The texts of messages in a dialect, which are kept beside the messages.

    Args:
        key: What identifies the model and the dialect.
        dialect: The dialect of the calls.
        markers: The texts that are broken in all that a message contains.
        foreign: Those of them that the dialect does not write: they are broken in what it makes of a message, too.
    """

    def __init__(
        self, key: tuple[object, str], dialect: Dialect, markers: tuple[str, ...], foreign: tuple[str, ...]
    ) -> None:
        self._key = key
        self._dialect = dialect
        self._markers = markers
        self._foreign = foreign

    def of(self, message: Message) -> str:
        """Return the text of a message that is not a result, with its calls after it."""
        return derived(message, self._key, self._text)

    def of_result(self, message: Message, name: str) -> str:
        """Return the text of the result of the tool `name`."""
        return derived(message, (*self._key, name), lambda result: self._result(result, name))

    def _text(self, message: Message) -> str:
        """Return what `of` keeps."""
        return break_markers(_message_text(self._clean(message), self._dialect), self._foreign)

    def _result(self, message: Message, name: str) -> str:
        """Return what `of_result` keeps."""
        clean, name = self._clean(message), break_markers(name, self._markers)
        return break_markers(self._dialect.render_result(name, clean.text, clean.tool_call_id), self._foreign)

    def _clean(self, message: Message) -> Message:
        """Return `message` without markers."""
        return without_markers(message, self._markers) if self._markers else message


def plain_messages(messages: Sequence[Message], texts: _Texts, system: str) -> list[dict[str, Any]]:
    """Return `messages` as dicts with a role (system, user or assistant) and text.

    Args:
        messages: The conversation.
        texts: The texts of the messages. Results become messages of the user: not every format has another place for them.
        system: Text to add to the first system message; may be empty.
    """
    names: dict[str, str] | None = None  # of the tools of results that do not say it
    plain: list[dict[str, Any]] = []
    before = ""
    for message in messages:
        if message.role != "tool":
            plain.append({"role": message.role, "content": texts.of(message)})
        else:
            if not message.name and names is None:
                names = {call.id or "": call.name for each in messages for call in each.tool_calls}
            result = texts.of_result(message, message.name or (names or {}).get(message.tool_call_id or "", ""))
            if before == "tool":
                plain[-1]["content"] += f"\n{result}"
            else:
                plain.append({"role": "user", "content": result})
        before = message.role
    return with_system(plain, system)


@lru_cache(maxsize=16)
def _markers_not_written_by(dialect: Dialect, markers: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of `markers` that `dialect` does not itself write around tools, calls and results.

    Their order is kept; the result is cached.
    """
    tool = Tool.from_function(lambda: None, name="tool", description="A tool.")
    call = ToolCall(tool.name, {}, "call_1")
    parts = dialect.render([tool]), _calls_text([call], dialect), dialect.render_result(tool.name, "", call.id)
    return tuple(marker for marker in markers if not any(marker in part for part in parts))


def template_messages(messages: Sequence[Message], system: str) -> list[dict[str, Any]]:
    """Return `messages` in the shape of OpenAI's chat, for a template that writes tools and calls itself.

    Args:
        messages: The conversation.
        system: Text to add to the first system message; may be empty.
    """
    written = []
    for message in messages:
        plain = {**chat_message(message), "content": message.text}
        thought = {"reasoning_content": message.reasoning} if message.reasoning else {}
        written.append({**plain, **thought})
    return with_system(written, system)


def with_system(messages: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Return `messages` with `text` added to the system message at the beginning.

    If there is none, it is made; if `text` is empty, nothing changes.
    """
    if not text:
        return messages
    if messages and messages[0]["role"] == "system":
        first: Mapping[str, Any] = messages[0]
        return [{**first, "content": _joined(first["content"], text, between="\n\n")}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def without_markers(message: Message, markers: tuple[str, ...]) -> Message:
    """Return `message` with each of `markers` broken, in its text, its names and its calls."""
    calls = tuple(
        ToolCall(
            break_markers(call.name, markers),
            break_markers_in(call.arguments, markers),
            call.id and break_markers(call.id, markers),
        )
        for call in message.tool_calls
    )
    name, call_id = (text and break_markers(text, markers) for text in (message.name, message.tool_call_id))
    content = break_markers(message.text, markers)
    return message.replaced(content=content, tool_calls=calls, name=name, tool_call_id=call_id)


def choice_instruction(tool_choice: ToolChoice) -> str:
    """Return the instruction to the model for `tool_choice`; empty for `auto` and `none`.

    The model may ignore it.
    """
    if tool_choice in ("auto", "none"):
        return ""
    return f"Answer with a call of {'a tool' if tool_choice == 'required' else f'the tool {tool_choice}'}."


def _message_text(message: Message, dialect: Dialect) -> str:
    """Return the text of `message`, and its calls in `dialect` on the lines after it.

    If one of the two is missing, the other is returned alone; if both are, an empty text.
    """
    calls = _calls_text(message.tool_calls, dialect) if message.tool_calls else ""
    return _joined(message.text, calls, between="\n")


def _calls_text(calls: Sequence[ToolCall], dialect: Dialect) -> str:
    """Return the text of `calls` in `dialect`.

    If the dialect cannot express one of them, all are written as lines `NAME(ARGUMENTS)`.
    """
    try:
        return dialect.render_calls(calls)
    except ValueError:  # it cannot be written in the dialect: it is malformed, or another model made it
        return "\n".join(f"{call.name}({arguments_text(call)})" for call in calls)


def _joined(*texts: str, between: str) -> str:
    """Return one text: those of `texts` that are not empty, with `between` between them."""
    return between.join(filter(None, texts))


# --- The end of an answer ---


class StopCutter:
    """Cuts a text that comes in pieces at the first of some marks.

    Args:
        marks: The marks, which are cut off, too.
    """

    def __init__(self, marks: Sequence[str]) -> None:
        self._marks = tuple(filter(None, marks))
        self._held = ""
        self._ended = False

    def feed(self, piece: str) -> str:
        """Take the next piece of the text, and return the new text that is certain to be before any mark."""
        if self._ended or not self._marks:
            return "" if self._ended else piece
        text = self._held + piece
        end = self._end(text)
        begun = len(text) - max(_partial_length(text, mark) for mark in self._marks)
        if end < len(text) and end <= begun:
            self._ended, self._held = True, ""
            return text[:end]
        # Text before a mark may begin a longer mark, which contains the first one.
        self._held = text[begun:]
        return text[:begun]

    def close(self) -> str:
        """Return the text that was held back, up to the first mark."""
        held, self._held = self._held, ""
        return held[: self._end(held)]

    def _end(self, text: str) -> int:
        """Return the position of the first stop mark in `text`, or the length of `text` if it has none."""
        return min((place for mark in self._marks if (place := text.find(mark)) >= 0), default=len(text))


def _partial_length(text: str, mark: str) -> int:
    """Return the length of the longest end of `text` with which `mark` begins, or 0 if there is none.

    All of `mark` does not count.
    """
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:size])), 0)
