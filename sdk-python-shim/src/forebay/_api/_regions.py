"""Regions, their queues and sweeps, BLOCKED versions, and quotas of namespaces."""

from __future__ import annotations

from forebay._api._method import Methods, method
from forebay._calls import Call, items_and_next, items_reader, part, present, reader
from forebay._exchange import Operation
from forebay._models import BlockedVersion, Queued, Quota, Region, Sweep, SweepPlan, SweepSchedule


class RegionMethods(Methods):
    @method
    def regions(self) -> Call[tuple[Region, ...]]:
        """Returns the regions and their workers."""
        return Call("GET", "/regions", items_reader(Region))

    @method
    def blocked(self) -> Operation[tuple[BlockedVersion, ...]]:
        """Returns all BLOCKED versions: in which region, why, and what to do."""
        return self._exchanges.all(
            lambda after: Call("GET", "/blocked", items_and_next(BlockedVersion), params=present(after=after))
        )

    @method
    def queue(self, region: str) -> Call[tuple[Queued, ...]]:
        """Returns the versions that wait for space in the region, in the order of their admission."""
        return Call("GET", f"/regions/{part('region', region)}/queue", items_reader(Queued))

    @method
    def quotas(self, namespace: str) -> Call[tuple[Quota, ...]]:
        """Returns the quotas of the namespace in regions. Without a quota, its space is not limited."""
        return Call("GET", _quota_path(namespace), items_reader(Quota))

    @method
    def set_quota(self, namespace: str, bytes: int, *, region: str | None = None) -> Call[tuple[Quota, ...]]:
        """Sets the quota of the namespace in one region, or in all regions that have no quota of their own."""
        body = {"bytes": bytes, **present(region=region)}
        return Call("PUT", _quota_path(namespace), items_reader(Quota), body=body)

    @method
    def remove_quota(self, namespace: str, *, region: str | None = None) -> Call[tuple[Quota, ...]]:
        """Removes the quota of a region, or the one for all others, and returns the remaining quotas."""
        return Call("DELETE", _quota_path(namespace), items_reader(Quota), params=present(region=region))

    @method
    def sweep_plan(self, region: str) -> Call[SweepPlan]:
        """Returns what a sweep would evict from the region now, and why. Changes nothing."""
        return Call("GET", _sweep_path(region) + "/plan", reader(SweepPlan))

    @method
    def sweep(self, region: str, *, wait_seconds: int = 30) -> Call[Sweep]:
        """Sweeps the region, also while its schedule is paused.

        Returns within ``wait_seconds`` (0 to 30), whether the sweep has ended or not. Another call meanwhile joins it.
        """
        params = {"wait_seconds": str(wait_seconds)}
        return Call("POST", _sweep_path(region), reader(Sweep), params=params, answer_seconds=wait_seconds + 30.0)

    @method
    def sweep_schedule(self, region: str) -> Call[SweepSchedule]:
        """Returns when the region is swept automatically."""
        return Call("GET", _sweep_path(region), reader(SweepSchedule))

    @method
    def pause_sweeps(self, region: str, *, reason: str | None = None) -> Call[SweepSchedule]:
        """Pauses the automatic sweeps of the region until ``resume_sweeps``. Requested evictions still happen."""
        return Call("POST", _sweep_path(region) + "/pause", reader(SweepSchedule), body=present(reason=reason))

    @method
    def resume_sweeps(self, region: str, *, reason: str | None = None) -> Call[SweepSchedule]:
        """Resumes the automatic sweeps of the region; does nothing if they are not paused."""
        return Call("POST", _sweep_path(region) + "/resume", reader(SweepSchedule), body=present(reason=reason))


def _quota_path(namespace: str) -> str:
    return f"/namespaces/{part('namespace', namespace)}/quota"


def _sweep_path(region: str) -> str:
    return f"/regions/{part('region', region)}/sweep"
