"""Requests for versions."""

from __future__ import annotations

import hashlib
from typing import Any

from forebay._calls._call import EVICTION_SECONDS, Call, items_reader, new_id, nothing, reader
from forebay._calls._paths import dataset_path, part, version_path
from forebay._calls._pins import pin_body
from forebay._models import Alias, EnsureStatus, PinSpec, Terms


def ensure(
    dataset: str,
    version: str,
    region: str,
    pin: PinSpec | None,
    wait_seconds: int,
    idempotency_key: str | None,
    run_id: str | None = None,
    terms: Terms | None = None,
    create: bool = False,
) -> Call[EnsureStatus]:
    asked = terms or Terms()
    body: dict[str, Any] = {"regions": [region, *asked.also_in]} if asked.also_in else {"region": region}
    for name in ("min_coverage", "deadline_seconds", "on_deadline", "priority"):
        value = getattr(asked, name)
        if value is not None:
            body[name] = value
    if run_id is not None:
        body["run_id"] = run_id
    if pin is not None:
        body["pin"] = pin_body(pin)
    if create:
        body["create"] = True
    return Call(
        "POST",
        version_path(dataset, version) + "/ensure",
        reader(EnsureStatus),
        params={"wait_seconds": str(wait_seconds)},
        body=body,
        headers={"Idempotency-Key": idempotency_key or new_id()},
        answer_seconds=wait_seconds + 30.0,
    )


def prefetch(dataset: str, version: str, region: str, create: bool = False) -> Call[EnsureStatus]:
    # All callers share one key for the same hint, so a thousand jobs cause one request. A hint for "latest" needs a new
    # key: the platform remembers what it meant under a key, and a hint is for the version that is the latest now.
    shared = "\0".join((dataset, version, region, "speculative"))
    key = "hint-" + (new_id() if version == "latest" else hashlib.sha256(shared.encode()).hexdigest()[:40])
    return ensure(dataset, version, region, None, 0, key, terms=Terms(priority="speculative"), create=create)


def ensure_status(dataset: str, version: str, region: str, request_id: str, wait_seconds: int) -> Call[EnsureStatus]:
    return Call(
        "GET",
        f"{version_path(dataset, version)}/requests/{part('request_id', request_id)}",
        reader(EnsureStatus),
        params={"region": region, "wait_seconds": str(wait_seconds)},
        answer_seconds=wait_seconds + 30.0,
    )


def cancel(dataset: str, version: str, request_id: str) -> Call[None]:
    path = f"{version_path(dataset, version)}/requests/{part('request_id', request_id)}"
    return Call("DELETE", path, nothing, answer_seconds=EVICTION_SECONDS)


def aliases(dataset: str) -> Call[tuple[Alias, ...]]:
    return Call("GET", dataset_path(dataset) + "/aliases", items_reader(Alias))
