"""`ChatTemplate`: a model's own chat template, read from tokenizer_config.json or a GGUF file and rendered in a sandbox.

Of a GGUF file, only the header is read: the key-value pairs about the model, and the name and size of each tensor, not its values. Every
count and length is checked against a limit and against the size of the file.

Source: Hugging Face Transformers, "Chat templates"; GGUF specification (ggml documentation, "GGUF"), versions 2 and 3, of either byte
order.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal

from fcregistry._base.install import install_command
from fcregistry.dialects._chat_formats import break_markers_in, markers_in, plain_messages, plain_tools, usable_markers
from fcregistry.errors import ChatTemplateError, MissingDependencyError

if TYPE_CHECKING:
    from jinja2 import Template

_LONGEST_TEMPLATE: Final = 100_000
"""The most characters of a template; published ones have at most 30 000."""

_LONGEST_TOKEN: Final = 200
_MOST_TOKENS: Final = 50_000


class ChatTemplate:
    """A model's own chat template: Jinja text that writes a conversation as that model was trained on it.

    A template is a program of another author. It runs in Jinja's sandbox, sees only the conversation, and cannot change it. It is stopped
    if it works or writes far more than the conversation needs. Needs the extra `fcregistry[templates]`.

    Args:
        source: The template.
        bos_token: The token that begins a text, which templates name.
        eos_token: The token that ends a text.
        variables: Other variables that the template may name, such as `enable_thinking`.
        tool_source: The template to use if there are tools, if the model has two.
        stops: More tokens that end an answer.
        markers: Special tokens that no message may contain; by default the two tokens, and those in the template. A space breaks them, so that
            a text cannot forge a turn. `()` leaves every text as it is.

    Raises:
        ChatTemplateError: The template cannot be read; the message names the line.
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
        self._template, names = _compile(source)
        self._tool_template = self._template
        if tool_source is not None:
            self._tool_template, names = _compile(tool_source)
        self._takes_tools = "tools" in names
        self._variables = {**(variables or {}), "bos_token": bos_token, "eos_token": eos_token}
        self._stops = tuple(dict.fromkeys(filter(None, (eos_token, *stops))))
        known = (bos_token, *self._stops, *markers_in(source, tool_source or "")) if markers is None else markers
        self._markers = usable_markers(known)
        self.source = source
        """The template."""

    @classmethod
    def from_tokenizer_config(
        cls, config: Mapping[str, Any] | str | os.PathLike[str], *, variables: Mapping[str, Any] | None = None
    ) -> ChatTemplate:
        """Return the template of a model of Hugging Face, with its tokens.

        Args:
            config: The object in `tokenizer_config.json`, or that file, or the model's folder.
            variables: Other variables that the template may name, such as `enable_thinking`.

        Raises:
            ChatTemplateError: It has no template, or cannot be read.
            MissingDependencyError: Jinja is not installed.
            OSError: The file does not exist, or cannot be read.
        """
        held = config if isinstance(config, Mapping) else _read_config(Path(config))
        templates = _templates(held.get("chat_template"))
        default = templates.get("default") or templates.get("tool_use")
        if default is None:
            raise ChatTemplateError(f"{_CONFIG} has no chat_template; {_USE_A_FORMAT}")
        tokens = {name: _token(held.get(name)) for name in ("bos_token", "eos_token", *_TOKENS)}
        more = [_token(one) for one in _as_list(held.get("additional_special_tokens"))]
        added = held.get("added_tokens_decoder")
        special = [_token(one) for one in (added.values() if isinstance(added, Mapping) else ()) if _is_special(one)]
        known = {name: tokens[name] for name in _TOKENS if tokens[name]}
        return cls._with_tokens(
            default,
            templates.get("tool_use"),
            bos_token=tokens["bos_token"],
            eos_token=tokens["eos_token"],
            special=[token for token in (*tokens.values(), *more, *special) if token],
            variables={**known, "additional_special_tokens": more, **(variables or {})},
        )

    @classmethod
    def from_gguf(cls, path: str | os.PathLike[str], *, variables: Mapping[str, Any] | None = None) -> ChatTemplate:
        """Return the template of a model in a GGUF file, with its tokens. Only the start of the file is read.

        Args:
            path: The file.
            variables: Other variables that the template may name, such as `enable_thinking`.

        Raises:
            ChatTemplateError: It has no template, or is not a complete GGUF file.
            MissingDependencyError: Jinja is not installed.
            OSError: The file does not exist, or cannot be read.
        """
        names = ("tokens", "token_type", "bos_token_id", "eos_token_id", "eot_token_id", "eom_token_id")
        tool_key = f"{_TEMPLATE_KEY}.tool_use"
        wanted = {_TEMPLATE_KEY, tool_key, *(_GGUF + name for name in names)}
        try:
            with Path(path).open("rb", buffering=_BUFFER) as file:
                found = _GGUFReader(file).pairs(wanted.__contains__)
        except GGUFError as error:
            raise ChatTemplateError(f"{Path(path).name} cannot be read: {error}") from error
        texts = {key: found[key] for key in (_TEMPLATE_KEY, tool_key) if isinstance(found.get(key), str)}
        default = texts.get(_TEMPLATE_KEY) or texts.get(tool_key)
        if default is None:
            raise ChatTemplateError(f"{Path(path).name} has no chat template; {_USE_A_FORMAT}")
        tokens = _as_list(found.get(f"{_GGUF}tokens"))
        bos, eos, *ends = (_token_at(tokens, found.get(_GGUF + name)) for name in names[2:])
        kinds = _as_list(found.get(f"{_GGUF}token_type"))
        return cls._with_tokens(
            default,
            texts.get(tool_key),
            bos_token=bos,
            eos_token=eos,
            stops=ends,
            special=[token for token, kind in zip(tokens, kinds, strict=False) if kind == _CONTROL and token],
            variables=variables or {},
        )

    @classmethod
    def _with_tokens(
        cls,
        source: str,
        tool_source: str | None,
        *,
        bos_token: str,
        eos_token: str,
        special: Sequence[str],
        variables: Mapping[str, Any],
        stops: Sequence[str] = (),
    ) -> ChatTemplate:
        """Return a template that breaks all of its known tokens in messages.

        They are the BOS and EOS tokens, `stops`, `special`, and the special tokens found in both sources.

        Raises:
            ChatTemplateError: `special` has too many tokens, or one that is too long: each is looked for in each text. Or a source cannot be
                read.
            MissingDependencyError: Jinja is not installed.
        """
        longest = max(map(len, special), default=0)
        if longest > _LONGEST_TOKEN:
            raise ChatTemplateError(f"a special token has {longest} characters; at most {_LONGEST_TOKEN} are read")
        if len(special) > _MOST_TOKENS:
            raise ChatTemplateError(f"there are {len(special)} special tokens; at most {_MOST_TOKENS} are read")
        return cls(
            source,
            bos_token=bos_token,
            eos_token=eos_token,
            variables=variables,
            tool_source=tool_source,
            stops=stops,
            markers=(bos_token, eos_token, *stops, *special, *markers_in(source, tool_source or "")),
        )

    @property
    def takes_tools(self) -> bool:
        """Whether the template shows tools itself; if not, a dialect writes them into the system message."""
        return self._takes_tools

    @property
    def stops(self) -> tuple[str, ...]:
        """The strings at which an answer ends, as far as they are known."""
        return self._stops

    @property
    def markers(self) -> tuple[str, ...]:
        """The special tokens that are broken in messages, the longest first."""
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

        The text contains the special tokens, so tokenize it without adding others.

        Args:
            messages: Messages in the shape of OpenAI's chat; they are not changed. The template gets the arguments of calls, JSON text there,
                as objects, which is what templates expect.
            tools: Tools in the shape of OpenAI's chat.
            generation_prompt: Whether the text ends with the prompt for an answer.
            markers: Markers to break in messages and tools, instead of `markers`.

        Raises:
            ChatTemplateError: The template refuses the conversation, fails, or does not end; or there are tools, and the template cannot show
                tools.
        """
        if tools and not self._takes_tools:
            raise ChatTemplateError(
                "the chat template shows no tools: let a dialect write them into the system message"
            )
        broken = self._markers if markers is None else usable_markers(markers)
        plain = break_markers_in(plain_messages(messages), broken)
        shown = break_markers_in(plain_tools(tools), broken) or None
        template = self._tool_template if tools else self._template
        given = {"documents": None, **self._variables, "messages": plain, "tools": shown}
        return _render(template, {**given, "add_generation_prompt": generation_prompt}, (plain, shown))

    def __repr__(self) -> str:
        return f"<ChatTemplate of {len(self.source)} characters{', with tools' if self._takes_tools else ''}>"


def render_template(source: str, given: Mapping[str, Any]) -> tuple[str, set[str]]:
    """Return the text that a template makes of the variables `given`, and the names of the variables that it reads.

    The application wrote the template, and strangers may have written the texts in `given`. It runs in the sandbox of chat templates. Its work is
    limited by the size of `given`.

    Raises:
        ChatTemplateError: The template cannot be read, names a variable that is not given, fails, or does not end.
        MissingDependencyError: Jinja is not installed.
    """
    template, names = _compile(source, strict=True)
    return _render(template, given, tuple(given.values())), names


def _render(template: Template, given: Mapping[str, Any], measured: tuple[Any, ...]) -> str:
    """Return the text that `template` makes of the variables `given`; the size of `measured` limits its work.

    Raises:
        ChatTemplateError: The template refuses the variables, fails, or does not end.
    """
    from fcregistry.dialects._chat_sandbox import Meter, render_metered  # imports Jinja, an extra

    try:
        return render_metered(Meter(*measured), template.generate(given))
    except ChatTemplateError:
        raise
    except Exception as error:  # a template is external code
        raise _template_error(error) from error


def _compile(source: str, *, strict: bool = False) -> tuple[Template, set[str]]:
    """Return the compiled template of the text `source`, and the names of the variables that it reads.

    If `strict`, the template fails where it uses a variable that it is not given.

    Raises:
        ChatTemplateError: `source` is not text, too long, malformed or nested too deeply.
        MissingDependencyError: Jinja is not installed.
    """
    if not isinstance(source, str):
        raise ChatTemplateError(f"a chat template is text, not {type(source).__name__}")
    if len(source) > _LONGEST_TEMPLATE:
        raise ChatTemplateError(f"the chat template has {len(source)} characters; at most {_LONGEST_TEMPLATE} are read")
    try:
        from fcregistry.dialects._chat_sandbox import (  # Jinja is an extra, and takes long to import
            Sandbox,
            variables_of,
        )
    except ModuleNotFoundError as error:
        if error.name not in ("jinja2", "markupsafe"):
            raise
        raise MissingDependencyError(
            f"Jinja templates need Jinja2: {install_command('fcregistry[templates]')}"
        ) from error
    try:
        sandbox = Sandbox(strict=strict)
        parsed = sandbox.parse(source)
        return sandbox.from_string(parsed), variables_of(parsed)
    except (RecursionError, MemoryError) as error:
        raise ChatTemplateError("the chat template cannot be read: it is nested too deep") from error
    except Exception as error:  # a template of strangers can fail in any way
        raise _template_error(error, "cannot be read") from error


def _template_error(error: Exception, what: str = "cannot be rendered") -> ChatTemplateError:
    """Return the error "the chat template `what`", with the first 500 characters of `error`.

    The line of the template is added if it is known.
    """
    line = getattr(error, "lineno", None) or _line_of(error)
    where = f" (line {line} of the template)" if line else ""
    reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)[:500] or type(error).__name__
    return ChatTemplateError(f"the chat template {what}: {reason}{where}", line=line)


def _line_of(error: BaseException) -> int | None:
    """Return the line of the template in which `error` was raised, or None if it is not known.

    It is taken from the innermost frame of the traceback that is in the template.
    """
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


# --- Where a model has its template ---


def _read_config(path: Path) -> dict[str, Any]:
    """Return the JSON object in the file `path`, or in `tokenizer_config.json` if `path` is a folder.

    If `chat_template.jinja` is in the same folder, its text replaces the member `chat_template`.

    Raises:
        ChatTemplateError: The file has no JSON object, is too long, not regular, or not in UTF-8.
        OSError: The file does not exist, or cannot be read.
    """
    folder, file = (path, path / _CONFIG) if path.is_dir() else (path.parent, path)
    text = _read(file)
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ChatTemplateError(f"{file.name} is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise ChatTemplateError(f"{file.name} is not a JSON object")
    alone = folder / _TEMPLATE
    return config | {"chat_template": _read(alone)} if alone.is_file() else config


def _read(path: Path) -> str:
    """Return the text of the file `path`.

    Raises:
        ChatTemplateError: It is not a regular file, longer than `_MOST_CONFIG_BYTES`, or not in UTF-8.
        OSError: It does not exist, or cannot be read.
    """
    found = path.stat()
    if not S_ISREG(found.st_mode):  # a model's folder may contain links to something without an end
        raise ChatTemplateError(f"{path.name} is not a regular file")
    if found.st_size > _MOST_CONFIG_BYTES:
        raise ChatTemplateError(f"{path.name} is longer than {_MOST_CONFIG_BYTES} bytes")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ChatTemplateError(f"{path.name} is not text in UTF-8: {error}") from error


def _templates(value: Any) -> dict[str, str]:
    """Return name -> template, from the value of `chat_template`; empty if the value has none.

    The value is one template, which is named "default", or a list of objects with `name` and `template`. Other items of the list are skipped.
    """
    if isinstance(value, str):
        return {"default": value}
    named = [one for one in _as_list(value) if isinstance(one, Mapping)]
    return {
        one["name"]: one["template"]
        for one in named
        if isinstance(one.get("name"), str) and isinstance(one.get("template"), str)
    }


def _token(value: Any) -> str:
    """Return the text of a token: `value` itself, or its member `content`; empty if that is not text."""
    text = value.get("content") if isinstance(value, Mapping) else value
    return text if isinstance(text, str) else ""


def _is_special(value: Any) -> bool:
    """Return whether `value` is an object whose member `special` is true."""
    return isinstance(value, Mapping) and value.get("special") is True


def _as_list(value: Any) -> list[Any]:
    """Return the items of `value` as a new list, which is empty if `value` is neither a list nor a tuple."""
    return list(value) if isinstance(value, (list, tuple)) else []


def _token_at(tokens: list[Any], index: Any) -> str:
    """Return the token at position `index` of `tokens`; empty if there is none, or it is not text.

    `index` may be any value; a negative one is not a position.
    """
    known = isinstance(index, int) and 0 <= index < len(tokens) and isinstance(tokens[index], str)
    return tokens[index] if known else ""


_MOST_CONFIG_BYTES: Final = 64 * 2**20
_CONFIG: Final = "tokenizer_config.json"
_TEMPLATE: Final = "chat_template.jinja"
_TOKENS: Final = ("unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_USE_A_FORMAT: Final = "the name of a chat format may do: chat_format('chatml')"
_CONTROL: Final = 3
"""The type of a GGUF file's tokens that do not represent text."""

_GGUF: Final = "tokenizer.ggml."
_TEMPLATE_KEY: Final = "tokenizer.chat_template"

# --- The header of a GGUF file ---

_STRING: Final = 8
_ARRAY: Final = 9
_NUMBERS: Final = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""Type of a value -> its format character for `struct`."""

_MOST_PAIRS: Final = 65_536
_MOST_ELEMENTS: Final = 4_000_000
_GGUF_MOST_BYTES: Final = 256 * 2**20
_LONGEST_KEY: Final = 65_535
_DEEPEST: Final = 4
_MOST_TENSORS: Final = 65_536
_LONGEST_NAME: Final = 64
_MOST_DIMENSIONS: Final = 4
_MOST_PER_BYTE: Final = 8
"""The most elements of a tensor in a byte of the file; the smallest types of ggml take more than a bit for each."""

_BUFFER: Final = 2**18


class GGUFError(ValueError):
    """Raised for a file that is not a GGUF file, is cut off, or claims something impossible.

    The message does not name the file.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class GGUFHeader:
    """The header of a GGUF file.

    Attributes:
        values: Key -> value: numbers, texts, and the arrays that were asked for.
        lengths: Key -> number of elements, for each array.
    """

    values: dict[str, Any]
    lengths: dict[str, int]

    @classmethod
    def read(cls, path: str | os.PathLike[str], wanted: Container[str] = ()) -> GGUFHeader:
        """Read and check the header of a file, without the values of the tensors.

        Args:
            path: The file.
            wanted: The keys of the tokenizer (`tokenizer.…`) whose values are returned. The others are skipped, since they are long.

        Raises:
            ValueError: It is not a GGUF file, is cut off, or claims something impossible.
            OSError: It cannot be read.
        """
        with Path(path).open("rb", buffering=_BUFFER) as file:
            reader = _GGUFReader(file)
            values = reader.pairs(lambda key: key in wanted or not key.startswith("tokenizer."))
            reader.check_tensors()
            return cls(values=values, lengths=reader.lengths)


class _GGUFReader:
    """Reads values in the order of the file; every length is checked against the rest of the file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = self._size = min(os.fstat(file.fileno()).st_size, 2**62)
        self._kept = self._elements = self._tensors = 0
        self._order = "<"
        self._endian: Literal["little", "big"] = "little"
        self.lengths: dict[str, int] = {}

    def pairs(self, is_wanted: Callable[[str], bool]) -> dict[str, Any]:
        """Read the start of the file, and return its key-value pairs.

        Texts are empty and arrays are left out where `is_wanted` returns False for the key.

        Raises:
            GGUFError: The file is not a GGUF file of a known version, is cut off, or claims something impossible.
        """
        if self._size < 24 or self._take(4) != b"GGUF":
            raise GGUFError("it is not a GGUF file")
        version = self._number("I")
        if version > 0xFFFF:  # written by a machine of the other byte order
            self._order, self._endian, version = ">", "big", int.from_bytes(version.to_bytes(4, "little"), "big")
        if version not in (2, 3):
            raise GGUFError(f"GGUF of version {version} is not known; 2 and 3 are")
        self._tensors = self._number("Q")
        count = self._number("Q")
        if count > _MOST_PAIRS:
            raise GGUFError(f"it claims to have {count} key-value pairs")
        found = {}
        for _ in range(count):
            key = self._text(_LONGEST_KEY).decode("utf-8", "replace")
            value = self._value(self._number("I"), keep=is_wanted(key), key=key)
            if value is not None:
                found[key] = value
        return found

    def check_tensors(self) -> None:
        """Read the description of each tensor, which follows the pairs.

        Raises:
            GGUFError: One is impossible.
        """
        if self._tensors > _MOST_TENSORS:
            raise GGUFError(f"it claims to have {self._tensors} tensors")
        for _ in range(self._tensors):
            name = ascii(self._text(_LONGEST_NAME).decode("utf-8", "replace"))
            dimensions = self._number("I")
            if dimensions > _MOST_DIMENSIONS:
                raise GGUFError(f"the tensor {name} claims to have {dimensions} dimensions")
            elements = prod(self._number("Q") for _ in range(dimensions))
            if elements > self._size * _MOST_PER_BYTE:
                raise GGUFError(f"the tensor {name} claims to have {elements} elements, more than the file can hold")
            self._number("I")  # its type
            start = self._number("Q")
            if start > self._size:
                raise GGUFError(f"the tensor {name} claims to begin at byte {start}, after the end of the file")

    def _value(self, kind: int, *, keep: bool, key: str = "", depth: int = 0) -> Any:
        """Read a value of the GGUF type `kind`, and return it: a number, a text or a list.

        Without `keep`, the value of a text is empty, and that of an array None. `key` and `depth` are those of `_array`.

        Raises:
            GGUFError: The type is not known, arrays are nested too deeply, or the file is cut off or too large.
        """
        if kind == _STRING:
            text = self._text(keep=keep)
            return text.decode("utf-8", "replace") if keep else ""
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _ARRAY and depth < _DEEPEST:
            return self._array(keep=keep, key=key, depth=depth)
        raise GGUFError(f"a value has the type {kind}, which is not known, or is nested too deep")

    def _array(self, *, keep: bool, key: str, depth: int) -> list[Any] | None:
        """Read an array, and return its items if `keep` is true, else None.

        At depth 0, its length is also put into `lengths` under `key`.

        Raises:
            GGUFError: It has too many elements, is cut off, or has an item that `_value` refuses.
        """
        kind, count = self._number("I"), self._number("Q")
        if depth == 0:
            self.lengths[key] = count
        if (form := _NUMBERS.get(kind)) is not None:
            size = struct.calcsize(form) * count
            if not keep:
                self._skip(size)
                return None
            self._check_count(count)
            return list(struct.unpack(f"{self._order}{count}{form}", self._take(self._count_bytes(size))))
        if kind == _STRING:
            return self._texts(self._check_count(count), keep=keep)
        values = [self._value(kind, keep=keep, depth=depth + 1) for _ in range(self._check_count(count))]
        return values if keep else None

    def _texts(self, count: int, *, keep: bool) -> list[str] | None:
        """Read `count` texts as `_text` does, in one loop: a vocabulary has more than 100,000.

        Return the decoded texts if `keep` is true, else None.

        Raises:
            GGUFError: The file is cut off, or the texts are too long.
        """
        read, endian, left, texts = self._file.read, self._endian, self._left, []
        for _ in range(count):
            size = int.from_bytes(read(8), endian)
            left -= 8 + size
            if left < 0 or size > _GGUF_MOST_BYTES:
                raise GGUFError(f"it is cut off, or a text claims to be {size} bytes long")
            text = read(size)
            if keep:
                self._count_bytes(size)
                texts.append(text.decode("utf-8", "replace"))
        self._left = left
        return texts if keep else None

    def _check_count(self, count: int) -> int:
        """Return `count` after adding it to the number of elements in all arrays so far.

        Raises:
            GGUFError: `count` or the sum is too large.
        """
        if count > _MOST_ELEMENTS:
            raise GGUFError(f"an array claims to have {count} elements")
        self._elements += count
        if self._elements > _MOST_ELEMENTS:
            raise GGUFError(f"its arrays claim to have more than {_MOST_ELEMENTS} elements")
        return count

    def _text(self, most: int = _GGUF_MOST_BYTES, *, keep: bool = True) -> bytes:
        """Read a text of at most `most` bytes, and return its bytes; without `keep`, return no bytes.

        Raises:
            GGUFError: It is longer, the file is cut off, or too many bytes are kept.
        """
        size = self._number("Q")
        if size > most:
            raise GGUFError(f"a text claims to be {size} bytes long")
        if keep:
            return self._take(self._count_bytes(size))
        self._skip(size)
        return b""

    def _count_bytes(self, size: int) -> int:
        """Return `size` after adding it to the number of bytes that are kept so far.

        Raises:
            GGUFError: Too many bytes are kept.
        """
        self._kept += size
        if self._kept > _GGUF_MOST_BYTES:
            raise GGUFError(f"its texts and arrays are longer than {_GGUF_MOST_BYTES} bytes")
        return size

    def _number(self, form: str) -> Any:
        """Read the number that `form`, a format character of `struct`, describes, and return it.

        Raises:
            GGUFError: The file is cut off.
        """
        return struct.unpack(self._order + form, self._take(struct.calcsize(form)))[0]

    def _take(self, size: int) -> bytes:
        """Read the next `size` bytes, and return them; raise `GGUFError` if the file has fewer."""
        self._claim(size)
        taken = self._file.read(size)
        if len(taken) < size:
            raise GGUFError("it is cut off")
        return taken

    def _skip(self, size: int) -> None:
        """Skip the next `size` bytes; raise `GGUFError` if the file has fewer."""
        self._claim(size)
        self._file.seek(size, os.SEEK_CUR)

    def _claim(self, size: int) -> None:
        """Take `size` off the number of bytes that are left; raise `GGUFError` if there are fewer."""
        if size > self._left:
            raise GGUFError(f"it is cut off: {size} bytes are due at byte {self._size - self._left}")
        self._left -= size
