"""How does the course of an agent become a run? Plain and asynchronous code do what it asks for; the course itself is the same."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fcregistry.agents._control import Control
from fcregistry.agents._effects import Ask, Carry, Express, Resume
from fcregistry.agents._following import Came, happening
from fcregistry.agents._performing import aperformed, performed

if TYPE_CHECKING:
    from fcregistry.agents._effects import Course
    from fcregistry.agents._events import Event

T = TypeVar("T")


def drive(course: Course[T], control: Control) -> T:
    """Run a course to its end, and return what it returns."""
    answer: Any = None
    with control, closing(course):
        while not isinstance(effect := _advanced(course, answer), _Done):
            answer = performed(effect, control)
    return cast("T", effect.value)


async def adrive(course: Course[T], control: Control) -> T:
    """Run a course to its end on the running loop, and return what it returns."""
    answer: Any = None
    with control, closing(course):
        while not isinstance(effect := _advanced(course, answer), _Done):
            answer = await aperformed(effect, control)
    return cast("T", effect.value)


async def astream(course: Course[T], control: Control, end: Callable[[T], Event]) -> AsyncGenerator[Event, None]:
    """Run a course on the running loop, and yield what happens; what it returns comes last, as an event."""
    answer: Any = None
    with control, closing(course):
        while not isinstance(effect := _advanced(course, answer), _Done):
            answer = None
            if not isinstance(effect, (Ask, Carry, Express, Resume)):
                yield effect
                continue
            async with aclosing(happening(effect, control)) as following:
                async for each in following:
                    if isinstance(each, Came):
                        answer = each.value
                    else:
                        yield each
    yield end(effect.value)


@dataclass(frozen=True, slots=True)
class _Done:
    """What a course has returned."""

    value: Any


def _advanced(course: Course[T], answer: Any) -> Any:
    """Return what a course asks for next, once it was told what came of the last; or that it is done."""
    try:
        return course.send(answer)
    except StopIteration as done:
        return _Done(done.value)
