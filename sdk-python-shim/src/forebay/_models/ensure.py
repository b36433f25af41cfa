"""The progress and the result of a request for a version."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.pins import Pin
from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Terms:
    """The terms of a request. Without terms, the platform fills all of the version, without a time limit.

    Attributes:
        min_coverage: the part of the bytes, 0 to 1, that is enough to answer; the fill continues.
        deadline_seconds: the time in seconds after which the platform answers in any case.
        on_deadline: the answer at the deadline if too few bytes are present: ``fail`` (DeadlineExceeded), or
            ``run_cold``, a receipt for the present bytes, whose ``cold`` gives the reason.
        priority: ``interactive``, or ``speculative``, which waits for requests with waiting jobs and for a budget.
        also_in: further regions that must have the version.
    """

    min_coverage: float | None = None
    deadline_seconds: int | None = None
    on_deadline: str | None = None
    priority: str | None = None
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True)
class BytesFrom:
    """Numbers of bytes by their source: the lake, and sibling regions."""

    lake: int = 0
    sibling: int = 0


@dataclass(frozen=True)
class Receipt:
    """The bytes of a version in a region, each verified: all of them, or as many as the terms require.

    Attributes:
        coverage: the part of the bytes that is present, 0 to 1; 1 only if all are.
        bytes_from: the numbers of bytes by source, since the version was mounted in the region.
        cached_at: when it was complete; None if it is not.
        cold: why fewer bytes are present than requested; None if they are not. Facts that are not known yet of such a
            version are None.
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
    """The progress in a region, and what it waits for; ``bytes`` and ``objects`` are None until the listing ends.

    Attributes:
        bytes_per_second: the average since the fill began; None if it has not begun, or has ended.
        eta_seconds: the time until all bytes are present, at that rate.
        failed: the number of failed attempts of the running fill.
        blocked: why the fill was given up, and what to do.
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
    """The answer to a request: a receipt when it is done, otherwise the progress.

    ``receipt`` and ``progress`` are of the first region, ``receipts`` and ``regions`` of each region; ``version`` is
    the name of the requested version.
    """

    request_id: str
    done: bool
    receipt: Receipt | None = None
    progress: Progress | None = None
    receipts: tuple[Receipt, ...] = ()
    regions: tuple[Progress, ...] = ()
    version: str | None = None
