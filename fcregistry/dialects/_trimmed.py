"""How is text handed on piece by piece without the space around it?"""

from __future__ import annotations


class Trimmed:
    """Text without the space before its first word and after its last one; what stands between words is handed on with the next."""

    __slots__ = ("_held", "_is_broken_off", "_is_cut", "_new", "_told", "is_blank")

    def __init__(self) -> None:
        self._told: list[str] = []
        self._new: list[str] = []
        self._held: list[str] = []
        self._is_cut = False
        self._is_broken_off = False
        self.is_blank = True
        """Whether there was no word yet."""

    def add(self, text: str) -> None:
        """Take more text."""
        if self._is_broken_off:
            text = text.lstrip()
            if not text:
                return
            self._is_broken_off = False
        words = text.rstrip()
        if words:
            if words[0].isspace():
                bare = words.lstrip()
                self._held.append(words[: len(words) - len(bare)])
                words = bare
            if not self.is_blank and self._held:
                self._new.append(self._space())
            self.is_blank = False
            self._held.clear()
            self._is_cut = False
            self._new.append(words)
            if not text[-1].isspace():
                return
            text = text[len(text.rstrip()) :]
        self._held.append(text)

    def added(self, text: str) -> str:
        """Take more text, and return what can be handed on of all that was not yet."""
        if self.is_blank or self._is_cut or self._is_broken_off or self._new or not text:
            self.add(text)
            return self.take_new()
        if text.isspace():
            self._held.append(text)
            return ""
        if self._held:
            text = "".join([*self._held, text])
            self._held.clear()
        words = text.rstrip()
        if len(words) < len(text):
            self._held.append(text[len(words) :])
        self._told.append(words)
        return words

    def cut(self) -> None:
        """Say that something else stands here, so that the space around it becomes one."""
        self._is_cut = True

    def _space(self) -> str:
        space = "".join(self._held)
        return "\n\n" if self._is_cut and space.count("\n") > 1 else space

    def break_off(self) -> None:
        """Begin a new paragraph, if there was text before."""
        if not self.is_blank:
            self._held = ["\n\n"]
            self._is_broken_off = True

    def take_new(self) -> str:
        """Return what was not yet handed on, as far as that is known."""
        if not self._new:
            return ""
        new = "".join(self._new)
        self._new.clear()
        self._told.append(new)
        return new

    def text(self) -> str:
        """Return all that was handed on."""
        return "".join(self._told)

    def clear(self) -> None:
        """Forget all text."""
        self.__init__()  # type: ignore[misc]  # to be as it was at first
