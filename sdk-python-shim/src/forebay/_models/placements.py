"""Where a job that reads a version would best run, as the control plane ranks the regions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Placement:
    """How good a place a region is; what is not known is None.

    ``verdict`` is warm, can_be_filled, after_eviction, waits, unknown, refused or too_few_gpus; ``coverage`` the part
    of the bytes that is there, 0 to 1; ``cost`` that of what is missing; ``reasons`` say in words what counted.
    ``eta_seconds`` is what is likely, between ``eta_least_seconds`` and ``eta_most_seconds``.
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
    """All regions, the best first; costs are in ``currency``, None if no price is stated."""

    dataset: str
    version: str
    currency: str | None = None
    items: tuple[Placement, ...] = ()
