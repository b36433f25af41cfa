"""Sweeps: what has to go from a region, and what went."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Victim:
    """A copy that has to go from a region.

    ``reason`` is DATASET_DELETED, EXPIRED, ORPHAN, QUOTA or WATERMARK, ``why`` says it for people; ``bytes`` is what
    becomes free with it, once those before it are gone.
    """

    dataset: str
    version: str
    reason: str
    why: str
    bytes: int


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep of a region would do now; ``notes`` say what could not be decided.

    The figures are None if the region's agent does not answer. ``orphan_bytes`` belong to no mounted version: workers
    remove them by themselves.
    """

    region: str
    victims: tuple[Victim, ...] = ()
    notes: tuple[str, ...] = ()
    capacity_bytes: int | None = None
    used_bytes: int | None = None
    orphan_bytes: int | None = None


@dataclass(frozen=True)
class SweptVersion:
    """What became of a version in a sweep: ``why`` says why it went, or why it did not."""

    dataset: str
    version: str
    evicted: bool
    why: str
    reason: str | None = None


@dataclass(frozen=True)
class Sweep:
    """A sweep that somebody asked for; ``outcomes`` are there when it is done."""

    region: str
    done: bool
    outcomes: tuple[SweptVersion, ...] = ()
    workflow_id: str | None = None
    workflow_url: str | None = None


@dataclass(frozen=True)
class SweepSchedule:
    """When a region is swept by itself; ``note`` says why it was paused or resumed."""

    region: str
    paused: bool
    note: str
    interval_seconds: int
    last_at: datetime | None = None
    next_at: datetime | None = None
