"""Plans for a version in regions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.problems import Blocked
from forebay._models.versions import Manifest


@dataclass(frozen=True)
class PlanNeeds:
    """The missing data: files with missing bytes, these bytes, and the GET requests for them.

    Figures that are not ``exact`` are estimates. With ``at_least``, the lake has more objects than a plan lists.
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
    """A source of missing bytes; ``kind`` is lake, region or on_premises, ``used`` whether a fill would use it."""

    kind: str
    region: str | None = None
    cost: float | None = None
    used: bool = False


@dataclass(frozen=True)
class PlanVictim:
    """A version that would be evicted for space."""

    dataset: str
    version: str
    space_bytes: int
    uses: float = 0.0
    refetch_cost: float | None = None
    evictable_at: datetime | None = None


@dataclass(frozen=True)
class PlanSpace:
    """Whether the region has space; ``admission`` is admitted, after_eviction, waits or refused."""

    admission: str
    needed_bytes: int
    taken_bytes: int
    capacity_bytes: int
    victims: tuple[PlanVictim, ...] = ()
    problem: Blocked | None = None
    not_before: datetime | None = None


@dataclass(frozen=True)
class RegionPlan:
    """The plan for one region; ``needs`` and ``space`` are None, with a ``problem``, if the region does not answer.

    ``eta_seconds`` is the likely time, between ``eta_least_seconds`` and ``eta_most_seconds``. They are None, as is
    ``bytes_per_second``, if the region has filled too little lately for an estimate.
    """

    region: str
    state: str
    needs: PlanNeeds | None = None
    sources: tuple[PlanSource, ...] = ()
    space: PlanSpace | None = None
    bytes_per_second: int | None = None
    eta_seconds: int | None = None
    eta_least_seconds: int | None = None
    eta_most_seconds: int | None = None
    problem: Blocked | None = None

    @property
    def source(self) -> PlanSource | None:
        """The source from which a fill would take the missing bytes."""
        return next((source for source in self.sources if source.used), None)


@dataclass(frozen=True)
class Plan:
    """The plans for a version in several regions; costs are in ``currency``, None without prices."""

    dataset: str
    version: str
    manifest: Manifest | None = None
    currency: str | None = None
    regions: tuple[RegionPlan, ...] = ()
