"""Sweeps: what should leave a region, and what left it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Victim:
    """A copy that should leave a region.

    ``reason`` is DATASET_DELETED, EXPIRED, ORPHAN, QUOTA or WATERMARK, ``why`` explains it for people; ``bytes`` is the
    space that its eviction frees, after those of the earlier victims.
    """

    dataset: str
    version: str
    reason: str
    why: str
    bytes: int


@dataclass(frozen=True)
class SweepPlan:
    """The plan of a sweep of a region; ``notes`` name open decisions.

    The figures are None if the region's agent does not answer. ``orphan_bytes`` belong to no mounted version, and
    workers remove them automatically.
    """

    region: str
    victims: tuple[Victim, ...] = ()
    notes: tuple[str, ...] = ()
    capacity_bytes: int | None = None
    used_bytes: int | None = None
    orphan_bytes: int | None = None


@dataclass(frozen=True)
class SweptVersion:
    """The result for one victim: ``why`` says why it was evicted, or why not."""

    dataset: str
    version: str
    evicted: bool
    reason: str
    why: str


@dataclass(frozen=True)
class Sweep:
    """A requested sweep; ``outcomes`` are present when it has ended."""

    region: str
    done: bool
    outcomes: tuple[SweptVersion, ...] = ()
    workflow_id: str | None = None
    workflow_url: str | None = None


@dataclass(frozen=True)
class SweepSchedule:
    """When a region is swept automatically; ``note`` says why that was paused or resumed."""

    region: str
    paused: bool
    note: str
    interval_seconds: int
    last_at: datetime | None = None
    next_at: datetime | None = None
