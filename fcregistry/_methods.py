"""Which tools does an object bring along: the methods that were decorated in the body of its class?"""

from __future__ import annotations

from fcregistry._declarations import MARK, Declaration
from fcregistry._options import group_problem, name_problem
from fcregistry.errors import DefinitionError


def marked_methods(instance: object) -> list[tuple[str, Declaration]]:
    """Return the attributes of a class that were decorated in its body, each with its declaration; what a subclass overrides counts once."""
    found: dict[str, tuple[Declaration, ...]] = {}
    cls = instance if isinstance(instance, type) else type(instance)
    for base in reversed(cls.__mro__):
        for attribute, value in vars(base).items():
            # A staticmethod or classmethod around a decorated function does not show that function's attributes.
            if marks := getattr(value, MARK, None) or getattr(getattr(value, "__func__", None), MARK, None):
                found[attribute] = marks
            else:
                found.pop(attribute, None)  # overridden without the decorator: no tool any more
    return [(attribute, mark) for attribute in sorted(found) for mark in found[attribute]]


def bound_methods(instance: object, prefix: str = "", group: str | None = None) -> list[Declaration]:
    """Return declarations of the marked methods of an instance, bound to it.

    Args:
        instance: An object whose class has methods decorated with `fc_register`.
        prefix: Put before each name.
        group: A group for all of them, in place of the one that each was marked with.

    Raises:
        DefinitionError: It is a class, no method is marked, or the prefix or group makes a name that cannot be.
    """
    if isinstance(instance, type):
        raise DefinitionError(
            f"register_object takes an instance, not the class {instance.__qualname__}: make one first"
        )
    marked = marked_methods(instance)
    if not marked:
        raise DefinitionError(f"{type(instance).__qualname__} has no method that is decorated with @fc_register")
    names = [prefix + mark.name for _, mark in marked]
    problems = [*map(name_problem, names), group and group_problem(group)]
    if found := tuple(filter(None, problems)):
        raise DefinitionError(f"methods of {type(instance).__qualname__} cannot be registered:", found)
    return [
        Declaration(
            getattr(instance, attribute),
            prefix + mark.name,
            group or mark.group,
            mark.module,
            mark.options,
            mark.locals,
        )
        for attribute, mark in marked
    ]
