"""How is text handed on piece by piece without the space around it?"""

from __future__ import annotations


class Trimmed:
    """Text without the space before its first word and after its last one; what stands between words is handed on with the next."""

    __slots__ = ("_held", "_is_broken_off", "_is_cut", "_is_running", "_told", "is_blank", "new")

    def __init__(self) -> None:
        self._told: list[str] = []
        self._held: list[str] = []
        self._is_cut = False
        self._is_broken_off = False
        self._is_running = False  # what comes next stands behind words that are handed on
        self.is_blank = True
        """Whether there was no word yet."""
        self.new: list[str] = []
        """What can be handed on."""

    def add(self, text: str) -> None:
        """Take more text."""
        if self._is_broken_off:
            text = text.lstrip()
            if not text:
                return
            self._is_broken_off = False
        words = text.rstrip()
        space = text[len(words) :]
        if words:
            if words[0].isspace():
                bare = words.lstrip()
                self._held.append(words[: len(words) - len(bare)])
                words = bare
            if not self.is_blank and self._held:
                self.new.append(self._space())
            self.is_blank = False
            self._held.clear()
            self._is_cut = self._is_running = False
            self.new.append(words)
        if space:
            self._held.append(space)

    def added(self, text: str) -> str:
        """Take more text, and return what can be handed on of all that was not yet."""
        if not self._is_running:
            self.add(text)
            return self.take_new()
        words = bare = text.rstrip()
        if bare:
            if self._held:
                words = "".join([*self._held, bare])
                self._held.clear()
            self._told.append(words)
        if bare != text:
            self._held.append(text[len(bare) :])
        return words

    def cut(self) -> None:
        """Say that something else stands here, so that the space around it becomes one."""
        self._is_cut = True
        self._is_running = False

    def _space(self) -> str:
        space = "".join(self._held)
        return "\n\n" if self._is_cut and space.count("\n") > 1 else space

    def break_off(self) -> None:
        """Begin a new paragraph, if there was text before."""
        if not self.is_blank:
            self._held = ["\n\n"]
            self._is_broken_off = True
            self._is_running = False

    def take_new(self) -> str:
        """Return what was not yet handed on, as far as that is known."""
        if not self.new:
            return ""
        self._is_running = not (self._is_cut or self._is_broken_off)
        new = "".join(self.new)
        self.new.clear()
        self._told.append(new)
        return new

    def text(self) -> str:
        """Return all that was handed on."""
        return "".join(self._told)

    def clear(self) -> None:
        """Forget all text."""
        self.__init__()  # type: ignore[misc]  # to be as it was at first
