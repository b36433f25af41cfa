"""Versions, and what regions hold of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.pins import Pin
from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Manifest:
    """Where the frozen listing of a version is, and how large the version is."""

    digest: str
    uri: str
    objects: int
    bytes: int
    chunks: int | None = None


@dataclass(frozen=True)
class Origin:
    """What a version was made from, and how it differs from the version ``before`` it."""

    source: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keys: str | None = None
    keys_etag: str | None = None
    keys_version_id: str | None = None
    before: str | None = None
    objects_unchanged: int = 0
    objects_changed: int = 0
    objects_added: int = 0
    objects_removed: int = 0
    bytes_new: int = 0
    frozen_at: datetime | None = None


@dataclass(frozen=True)
class Residency:
    """What one region holds of a version; ``state`` is ABSENT, WARMING, CACHED, EVICTING or BLOCKED.

    ``percent`` is rounded down, and 100 only of what is CACHED. ``waiting`` tells what a filling or an eviction waits
    for while it is tried again; it is told of one version, not in lists.
    """

    region: str
    state: str
    bytes_cached: int = 0
    bytes_from_lake: int = 0
    path: str | None = None
    cached_at: datetime | None = None
    evictable_at: datetime | None = None
    blocked: Blocked | None = None
    waiting: Blocked | None = None
    percent: int | None = None


@dataclass(frozen=True)
class Version:
    """An immutable snapshot of a dataset; ``manifest`` is None until it has been listed.

    ``origin`` is told of one version, not in lists, and so is ``freezing``, why it is not frozen yet.
    """

    dataset: str
    version: str
    manifest: Manifest | None = None
    ttl_seconds: int | None = None
    regions: tuple[Residency, ...] = ()
    pins: tuple[Pin, ...] = ()
    workflow_id: str | None = None
    workflow_url: str | None = None
    origin: Origin | None = None
    freezing: Blocked | None = None

    def residency(self, region: str) -> Residency:
        """What a region holds of the version: ABSENT if it was never asked for there."""
        return next((r for r in self.regions if r.region == region), Residency(region, "ABSENT"))


@dataclass(frozen=True)
class Restored:
    """What became of some versions of a lost catalogue; ``problems`` say why versions could not be restored.

    ``next`` is what to go on after; None at the end.
    """

    restored: int
    unchanged: int
    problems: tuple[str, ...] = ()
    next: str | None = None


@dataclass(frozen=True)
class Alias:
    """A name that people move from version to version; ``before`` is what it meant before it was moved last."""

    alias: str
    version: str
    before: str | None = None
    moved_at: datetime | None = None


@dataclass(frozen=True)
class VersionObject:
    """An object of a version; ``path`` is where it is below the version's root."""

    path: str
    key: str
    bytes: int
    etag: str
    version_id: str | None = None
    modified_at: datetime | None = None


@dataclass(frozen=True)
class Difference:
    """An object that is not the same in two versions; ``change`` is added, removed or changed.

    What was added has no ``bytes_before`` and no ``etag_before``, what was removed no ``bytes`` and no ``etag``.
    """

    change: str
    path: str
    bytes_before: int | None = None
    bytes: int | None = None
    etag_before: str | None = None
    etag: str | None = None
