"""Pins."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from forebay import _settings
from forebay._calls._call import Call, new_id, nothing, reader
from forebay._calls._paths import part, version_path
from forebay._models import Pin, PinSpec
from forebay._values import Duration, seconds_of

_RENEWAL_SECONDS = 5.0
"""Short, so that a renewal that hangs is retried while the pin still lives."""


def pin(
    dataset: str,
    version: str,
    region: str,
    lease: Duration,
    holder: str | None,
    reason: str | None,
    id: str | None,
    job: str | None,
) -> Call[Pin]:
    spec = PinSpec(id or new_id(), holder or _settings.holder(), seconds_of(lease), reason, job)
    path = version_path(dataset, version) + "/pins"
    return Call("POST", path, reader(Pin), body={"region": region, **pin_body(spec)})


def renew(dataset: str, version: str, region: str, pin_id: str) -> Call[Pin]:
    path = f"{version_path(dataset, version)}/pins/{part('pin_id', pin_id)}/renew"
    return Call("POST", path, reader(Pin), body={"region": region}, answer_seconds=_RENEWAL_SECONDS)


def unpin(dataset: str, version: str, region: str, pin_id: str, taken_at: datetime | None = None) -> Call[None]:
    path = f"{version_path(dataset, version)}/pins/{part('pin_id', pin_id)}"
    params = {"region": region}
    if taken_at is not None:
        params["taken_at"] = taken_at.isoformat()
    return Call("DELETE", path, nothing, params=params)


def pin_body(spec: PinSpec) -> dict[str, Any]:
    body: dict[str, Any] = {"id": spec.id, "holder": spec.holder, "lease_seconds": spec.lease_seconds}
    if spec.reason is not None:
        body["reason"] = spec.reason
    if spec.job is not None:
        body["job"] = spec.job
    return body
