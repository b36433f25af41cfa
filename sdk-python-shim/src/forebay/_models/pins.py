"""Pins: leases on versions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Pin:
    """A lease on a version in a region: the version stays there while it lives.

    ``job`` is the uid of the Kubernetes Job that holds it, if one does. ``taken_at`` names the take: it is later once
    another process has taken it over; None where that is not known. ``leak`` tells, of leaked pins only, why nobody
    seems to stand behind it: its code is UNKNOWN or NOT_RENEWED.
    """

    id: str
    region: str
    dataset: str
    version: str
    holder: str
    reason: str | None = None
    expires_at: datetime | None = None
    job: str | None = None
    leak: Blocked | None = None
    taken_at: datetime | None = None


@dataclass(frozen=True)
class PinSpec:
    """A pin to be taken together with ``ensure``: the id is the caller's own, so that a retry renews it.

    ``job`` is the uid of the Kubernetes Job that holds it, if one does.
    """

    id: str
    holder: str
    lease_seconds: int
    reason: str | None = None
    job: str | None = None

    def __repr__(self) -> str:
        # Keys of requests are made of it: what is not said must not change the key that an earlier release gave.
        job = "" if self.job is None else f", job={self.job!r}"
        return (
            f"PinSpec(id={self.id!r}, holder={self.holder!r}, lease_seconds={self.lease_seconds!r}, "
            f"reason={self.reason!r}{job})"
        )
