"""Regions and the use of their space."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Worker:
    """A cache worker of a region."""

    id: str
    address: str | None = None
    live: bool = False
    capacity_bytes: int = 0
    used_bytes: int | None = None


@dataclass(frozen=True)
class Region:
    """A cache cluster, as its agent reports it.

    ``reachable`` says whether the agent answers, ``etcd_reachable`` whether the region's etcd answers the agent (None
    if unknown), ``problem`` why the region accepts no new versions.
    """

    name: str
    mount_root: str | None = None
    agent: str | None = None
    reachable: bool = False
    etcd_reachable: bool | None = None
    problem: Blocked | None = None
    workers: tuple[Worker, ...] = ()


@dataclass(frozen=True)
class Quota:
    """The space that a namespace may use in a region; ``region`` is None for the quota of all other regions."""

    bytes: int
    region: str | None = None


@dataclass(frozen=True)
class Queued:
    """A version that waits for space in a region; ``position`` is None if a quota or an absent worker delays it."""

    dataset: str
    version: str
    bytes: int
    priority: str
    reason: str
    since: datetime | None = None
    position: int | None = None
    not_before: datetime | None = None
