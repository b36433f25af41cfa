"""How a request for a version goes on, and what it ends with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.pins import Pin
from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Terms:
    """On which terms a version is asked for; without any it is all of it, however long that takes.

    Attributes:
        min_coverage: the part of the bytes, 0 to 1, that will do; the filling goes on.
        deadline_seconds: by when there is an answer, in any case.
        on_deadline: what it then is if not enough is there: ``fail`` (DeadlineExceeded), or ``run_cold``, a receipt of
            what is there, whose ``cold`` says why that is less.
        priority: ``interactive``, or ``speculative``, which waits for everybody who waits for data, and for a budget.
        also_in: further regions that must have it.
    """

    min_coverage: float | None = None
    deadline_seconds: int | None = None
    on_deadline: str | None = None
    priority: str | None = None
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True)
class BytesFrom:
    """Bytes by where they came from: the lake, and other regions."""

    lake: int = 0
    sibling: int = 0


@dataclass(frozen=True)
class Receipt:
    """What of a version is in a region, each byte verified: all of it, or as much as the terms ask for.

    Attributes:
        coverage: the part of the bytes that is there, 0 to 1; 1 only if all are.
        bytes_from: how many bytes came from where, since the version was mounted in the region.
        cached_at: when it was complete; None if it is not.
        cold: why less is there than was asked for; None if it is not. What is not known yet of such a version is None.
    """

    dataset: str
    version: str
    region: str
    bytes_verified: int
    bytes_from_lake: int
    manifest_digest: str | None = None
    objects: int | None = None
    bytes: int | None = None
    coverage: float = 1.0
    bytes_from: BytesFrom | None = None
    path: str | None = None
    cached_at: datetime | None = None
    pin: Pin | None = None
    cold: Blocked | None = None
    workflow_id: str | None = None
    workflow_url: str | None = None


@dataclass(frozen=True)
class Progress:
    """How far a region is, and what it waits for; ``bytes`` and ``objects`` are None until the version is listed.

    Attributes:
        bytes_per_second: on the average since the filling began; None if it has not, or is over.
        eta_seconds: until all is there, at that pace.
        failed: failed attempts of what is under way.
        blocked: why it was given up, and what to do.
    """

    region: str
    state: str
    bytes_cached: int = 0
    bytes: int | None = None
    waiting: Blocked | None = None
    blocked: Blocked | None = None
    objects_cached: int | None = None
    objects: int | None = None
    bytes_per_second: int | None = None
    eta_seconds: int | None = None
    failed: int | None = None


@dataclass(frozen=True)
class EnsureStatus:
    """The answer to one look at a request: a receipt when it is done, else how far it is.

    ``receipt`` and ``progress`` are of the first region, ``receipts`` and ``regions`` of each; ``version`` is the name
    of the version that was meant.
    """

    request_id: str
    done: bool
    receipt: Receipt | None = None
    progress: Progress | None = None
    receipts: tuple[Receipt, ...] = ()
    regions: tuple[Progress, ...] = ()
    version: str | None = None
