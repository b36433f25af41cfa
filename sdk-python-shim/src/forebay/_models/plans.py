"""What it would take to have a version in regions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.problems import Blocked
from forebay._models.versions import Manifest


@dataclass(frozen=True)
class PlanNeeds:
    """What would have to come: files of which something is missing, their missing bytes, and the GETs that bring them.

    Not ``exact`` are estimates; ``at_least`` tells that there is more in the lake than a plan lists.
    """

    bytes: int
    objects: int
    bytes_missing: int
    objects_missing: int
    lake_requests: int
    exact: bool = False
    at_least: bool = False


@dataclass(frozen=True)
class PlanSource:
    """Where missing bytes can come from; ``kind`` is lake, region or on_premises, ``used`` what a filling takes."""

    kind: str
    region: str | None = None
    cost: float | None = None
    used: bool = False


@dataclass(frozen=True)
class PlanVictim:
    """A version that would be evicted to make room."""

    dataset: str
    version: str
    room_bytes: int
    uses: float = 0.0
    refetch_cost: float | None = None
    evictable_at: datetime | None = None


@dataclass(frozen=True)
class PlanRoom:
    """Whether there is room; ``admission`` is admitted, after_eviction, waits or refused."""

    admission: str
    needed_bytes: int
    taken_bytes: int
    capacity_bytes: int
    victims: tuple[PlanVictim, ...] = ()
    problem: Blocked | None = None
    not_before: datetime | None = None


@dataclass(frozen=True)
class RegionPlan:
    """What it would take in one region; ``needs`` and ``room`` are None, with a ``problem``, if it does not answer.

    ``eta_seconds`` is what is likely, between ``eta_least_seconds`` and ``eta_most_seconds``. They are None, as is
    ``bytes_per_second``, if the region has not filled enough lately to tell.
    """

    region: str
    state: str
    needs: PlanNeeds | None = None
    sources: tuple[PlanSource, ...] = ()
    room: PlanRoom | None = None
    bytes_per_second: int | None = None
    eta_seconds: int | None = None
    eta_least_seconds: int | None = None
    eta_most_seconds: int | None = None
    problem: Blocked | None = None

    @property
    def source(self) -> PlanSource | None:
        """Where a filling takes the missing bytes from."""
        return next((source for source in self.sources if source.used), None)


@dataclass(frozen=True)
class Plan:
    """What it would take to have a version in regions; costs are in ``currency``, None if no price is stated."""

    dataset: str
    version: str
    manifest: Manifest | None = None
    currency: str | None = None
    regions: tuple[RegionPlan, ...] = ()
