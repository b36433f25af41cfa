"""Pins: leases on versions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forebay._models.problems import Blocked


@dataclass(frozen=True)
class Pin:
    """A lease on a version in a region. The version stays there while the pin lives.

    ``job`` is the uid of the Kubernetes Job that holds it, if there is one. ``taken_at`` is when it was taken,
    or when another process last took it over; None if unknown. ``leak``, only of leaked pins, says why the pin seems to
    have no living owner: its code is UNKNOWN or NOT_RENEWED.
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
    """A pin to take together with ``ensure``. The caller chooses the id, so that a retry renews the pin.

    ``job`` is the uid of the Kubernetes Job that holds it, if there is one.
    """

    id: str
    holder: str
    lease_seconds: int
    reason: str | None = None
    job: str | None = None
