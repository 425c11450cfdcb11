"""The command `models`: the prefixes of models, what each needs here, and the models that are downloaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fcregistry._base.install import install_command
from fcregistry.cli._output import json_option, remark, say, say_json, table
from fcregistry.discovery import cache_folder, current
from fcregistry.models import built_in_providers, is_like_built_in

if TYPE_CHECKING:
    from fcregistry.discovery import ModelExtension


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prefix:
    """A row of the first table.

    Attributes:
        prefix: The beginning of the names of models.
        kind: `provider`, which is built in, or `extension`.
        package: The package that it needs: a provider's SDK, or the distribution of an extension.
        version: The version of an extension, if it is installed.
        variables: The environment variables of which one has the key; empty if no key is needed.
        address: The URL of the server, if it is not the provider's own.
        state: `installed`, `not installed`, `no key`, `disabled`, `failed` or `ambiguous`.
        reason: What to do, or why it cannot be used; None if nothing is missing.
    """

    prefix: str
    kind: str
    package: str
    version: str | None = None
    variables: tuple[str, ...] = ()
    address: str | None = None
    state: str
    reason: str | None

    @property
    def needs(self) -> str:
        """What it needs, as text."""
        server = [] if self.address is None else [f"a server at {self.address}"]
        return ", ".join([self.package, *([" or ".join(self.variables)] if self.variables else server)])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Download:
    """A row of the second table: a file, by its path in the folder of models.

    Attributes:
        name: The file, relative to the folder.
        bytes: Its size.
        folder: The folder.
    """

    name: str
    bytes: int
    folder: str


@click.command("models", short_help="List the prefixes of models, and what is downloaded.")
@json_option
def command(as_json: bool) -> None:
    """List the prefixes of models, such as openai:, with what each needs, and whether that is here.

    The files of models that extensions have downloaded follow, with their sizes.

    No provider is asked, and no provider's package is imported. An extension is loaded only to see whether it has models.
    """
    prefixes = sorted(_prefixes(), key=lambda each: each.prefix)
    downloads = sorted(_downloads(), key=lambda each: each.name)
    if as_json:
        say_json({"prefixes": [*map(asdict, prefixes)], "downloads": [*map(asdict, downloads)]})
        return
    rows = [(f"{each.prefix}:", each.state, each.needs) for each in prefixes]
    table(rows, ("PREFIX", "STATE", "NEEDS"), cuts=False)
    for reason in dict.fromkeys(each.reason for each in prefixes if each.reason is not None):
        say(f"{', '.join(each.prefix for each in prefixes if each.reason == reason)}: {' '.join(reason.split())}")
    if downloads:
        say()
        rows = [(each.name, _size(each.bytes), each.folder) for each in downloads]
        table(rows, ("DOWNLOADED", "SIZE", "FOLDER"), cuts=False)
    else:
        remark("No model is downloaded.")


def _prefixes() -> Iterator[_Prefix]:
    """Yield the prefixes of built-in providers, and those of extensions."""
    for each in built_in_providers():
        state, reason = "installed", None
        if not each.is_installed:
            state, reason = "not installed", install_command(f"fcregistry[{each.package}]")
        elif each.variables and not each.has_key:
            state, reason = "no key", f"set {' or '.join(each.variables)}"
        yield _Prefix(
            prefix=each.prefix,
            kind="provider",
            package=each.package,
            variables=each.variables,
            address=each.address,
            state=state,
            reason=reason,
        )
    yield from map(_prefix_of, current().extensions.models(is_like_built_in))


def _prefix_of(extension: ModelExtension) -> _Prefix:
    """Return the row of an extension."""
    return _Prefix(
        prefix=extension.prefix,
        kind="extension",
        package=extension.distribution,
        version=extension.version,
        state=extension.state,
        reason=extension.reason,
    )


def _downloads() -> Iterator[_Download]:
    """Yield the files in the folder `models` of the cache, without those that a download has not finished."""
    cache = cache_folder()
    if cache is None:
        return
    folder = Path(cache) / "models"
    for place, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        for path in (Path(place) / each for each in files if not each.startswith(".")):
            with suppress(OSError):  # it was removed just now
                yield _Download(name=str(path.relative_to(folder)), bytes=path.stat().st_size, folder=str(folder))


def _size(number: int) -> str:
    """Return a number of bytes for a person."""
    return f"{number >> 20} MB" if number >> 20 else f"{number / 1024:.1f} KB"
