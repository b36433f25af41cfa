"""The control plane's ranking of regions for a job that reads a version."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Placement:
    """The suitability of one region. Unknown facts are None.

    ``verdict`` is warm, can_be_filled, after_eviction, waits, unknown, refused or too_few_gpus; ``coverage`` the part
    of the bytes that is present, 0 to 1; ``cost`` that of the missing bytes; ``reasons`` explain the rank in words.
    ``eta_seconds`` is the likely time, between ``eta_least_seconds`` and ``eta_most_seconds``.
    """

    rank: int
    region: str
    state: str
    verdict: str
    coverage: float | None = None
    free_bytes: int | None = None
    eta_seconds: int | None = None
    eta_least_seconds: int | None = None
    eta_most_seconds: int | None = None
    cost: float | None = None
    gpus: int | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placements:
    """All regions, the best first; costs are in ``currency``, None without prices."""

    dataset: str
    version: str
    currency: str | None = None
    items: tuple[Placement, ...] = ()
