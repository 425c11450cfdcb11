"""What may stand after the name of a tool that is called? Its options, and the values of those that have a choice."""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from fcregistry._registry import registry
from fcregistry.cli._describing import describe_while_typing
from fcregistry.cli._parameters import WordParam, options_of, takes_several


def complete_words(name: str, words: tuple[str, ...], incomplete: str) -> list[CompletionItem[str]]:
    """Return what a word after a tool's name may become.

    Args:
        name: The tool's name.
        words: What stands between its name and that word.
        incomplete: What was typed of it.
    """
    describe_while_typing()  # a completion is asked for before any command runs
    options = options_of(registry.get(name))
    flags = [word.replace("_", "-") for word in words if word.startswith("--")]
    last = next((each for each in options if words and each.opts[0] == words[-1].replace("_", "-")), None)
    if last is not None and not last.is_flag:  # whose value is due
        choices = last.type.choices if isinstance(last.type, WordParam) else ()
        return [CompletionItem(choice) for choice in choices if choice.startswith(incomplete)]
    left = [each for each in options if takes_several(each) or not {*each.opts, *each.secondary_opts} & {*flags}]
    return [item for each in left for item in _items(each) if item.value.startswith(incomplete.replace("_", "-"))]


def _items(option: click.Option) -> Iterator[CompletionItem[str]]:
    for flag in (*option.opts, *option.secondary_opts):
        yield CompletionItem(flag, help=option.help)
