"""A record that shares its name with one elsewhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Address:
    planet: str


@dataclass
class Node:
    value: int
    next: Node | None = None
