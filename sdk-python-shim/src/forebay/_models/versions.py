"""Versions and their copies in regions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.pins import Pin
from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Manifest:
    """The location of a version's frozen listing, and the size of the version."""

    digest: str
    uri: str
    objects: int
    bytes: int
    chunks: int | None = None


@dataclass(frozen=True)
class Origin:
    """The source of a version, and its differences from the version ``before`` it."""

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
    """A region's copy of a version; ``state`` is ABSENT, WARMING, CACHED, EVICTING or BLOCKED.

    ``percent`` is rounded down, and 100 only if the version is CACHED. ``waiting`` says what delays a fill or an
    eviction that is being retried. Lists do not contain it.
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

    Lists do not contain ``origin`` and ``freezing``, which says why the version is not frozen yet.
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
        """Returns the region's copy of the version: ABSENT if it was never requested there."""
        return next((r for r in self.regions if r.region == region), Residency(region, "ABSENT"))


@dataclass(frozen=True)
class Restored:
    """The result for a page of a lost catalogue; ``problems`` say why versions could not be restored.

    ``next`` is the start of the next page; None at the end.
    """

    restored: int
    unchanged: int
    problems: tuple[str, ...] = ()
    next: str | None = None


@dataclass(frozen=True)
class Alias:
    """A name that users move from version to version; ``before`` is its previous version."""

    alias: str
    version: str
    before: str | None = None
    moved_at: datetime | None = None


@dataclass(frozen=True)
class VersionObject:
    """An object of a version; ``path`` is relative to the version's root."""

    path: str
    key: str
    bytes: int
    etag: str
    version_id: str | None = None
    modified_at: datetime | None = None


@dataclass(frozen=True)
class Difference:
    """An object that differs between two versions; ``change`` is added, removed or changed.

    An added object has no ``bytes_before`` and no ``etag_before``, a removed object no ``bytes`` and no ``etag``.
    """

    change: str
    path: str
    bytes_before: int | None = None
    bytes: int | None = None
    etag_before: str | None = None
    etag: str | None = None
