"""How a request for a version goes on, and what it ends with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.pins import Pin
from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Receipt:
    """The promise that every byte of a version is in a region and verified."""

    dataset: str
    version: str
    manifest_digest: str
    objects: int
    bytes: int
    region: str
    bytes_verified: int
    bytes_from_lake: int
    path: str
    cached_at: datetime | None = None
    pin: Pin | None = None
    workflow_id: str | None = None
    workflow_url: str | None = None


@dataclass(frozen=True)
class Progress:
    """How far a region is, and what it waits for; ``bytes`` is None until the version has been listed."""

    region: str
    state: str
    bytes_cached: int = 0
    bytes: int | None = None
    waiting: Blocked | None = None


@dataclass(frozen=True)
class EnsureStatus:
    """The answer to one look at a request: a receipt when it is done, else how far it is."""

    request_id: str
    done: bool
    receipt: Receipt | None = None
    progress: Progress | None = None
