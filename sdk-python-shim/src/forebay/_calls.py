"""Every request of the REST API as a value, so that the two clients differ only in how they send one."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypedDict, TypeVar
from urllib.parse import quote

import httpx

from forebay import _settings
from forebay._errors import ConfigurationError, UnexpectedAnswer, api_error
from forebay._models import (
    Budget,
    Costs,
    Dataset,
    EnsureStatus,
    Explanation,
    Pin,
    PinSpec,
    Plan,
    Queued,
    Quota,
    Region,
    Sweep,
    SweepPlan,
    SweepSchedule,
    Tracking,
    Version,
    decode,
    decode_items,
)
from forebay._placements import Placements
from forebay._values import Duration, checked_part, seconds_of, split_dataset

T = TypeVar("T")

Paged = tuple[tuple[T, ...], str | None]
"""Some items, and where the next page begins if there is one."""

MAX_WAIT_SECONDS = 30
"""The longest the control plane holds a request open."""

_EVICTION_SECONDS = 600.0
"""An eviction is answered when it is over; dropping chunks of a large version takes a while."""

_PLAN_SECONDS = 120.0
"""A version that is not frozen yet is listed in the lake for its plan."""

_RENEWAL_SECONDS = 5.0
"""A renewal that hangs must be tried again while the pin is still alive."""

_CONNECT_SECONDS = 5.0

_BUSY = frozenset({429, 502, 503, 504})
"""What proxies answer while nobody, or too many, are behind them."""

_NO_SUCH_PLACE = frozenset({301, 302, 307, 308, 404, 405, 501})
"""What web servers answer to requests that are not for them. The control plane says why it does, with a code."""


class Request(TypedDict):
    """What httpx's ``request`` takes, of either kind of client."""

    method: str
    url: str
    params: dict[str, str]
    json: Mapping[str, Any] | None
    headers: dict[str, str]
    timeout: httpx.Timeout


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, and how to read its answer. All of them may be sent again: see ``_exchange``."""

    method: str
    path: str
    read: Callable[[object], T]
    params: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    answer_seconds: float = 30.0

    def request(self, base: httpx.URL) -> Request:
        """What to send to the API at ``base``."""
        return Request(
            method=self.method,
            url=str(base) + self.path,
            params=dict(self.params),
            json=self.body,
            headers=dict(self.headers),
            timeout=httpx.Timeout(self.answer_seconds, connect=_CONNECT_SECONDS),
        )

    def parse(self, response: httpx.Response) -> T:
        """Returns what a good answer says, and raises the typed error of a bad one."""
        if response.is_success:
            return self.read(None if response.status_code == 204 else _json(response))
        raise _problem(response)


def register_dataset(
    dataset: str,
    source: str,
    ttl: Duration | None,
    ttl_after: str | None,
    include: Sequence[str],
    exclude: Sequence[str],
    keys: str | None,
) -> Call[Dataset]:
    namespace, name = split_dataset(dataset)
    body: dict[str, Any] = {"namespace": namespace, "name": name, "source": source}
    if include:
        body["include"] = _listed("include", include)
    if exclude:
        body["exclude"] = _listed("exclude", exclude)
    if keys is not None:
        body["keys"] = keys
    if ttl is not None:
        body["ttl_seconds"] = seconds_of(ttl)
    if ttl_after is not None:
        body["ttl_after"] = ttl_after
    return Call("POST", "/datasets", _reader(Dataset), body=body)


def datasets(namespace: str | None, after: str | None) -> Call[Paged[Dataset]]:
    params = _present(namespace=namespace, after=after)
    return Call("GET", "/datasets", lambda value: decode_items(Dataset, value), params=params)


def dataset(dataset: str) -> Call[Dataset]:
    return Call("GET", _dataset_path(dataset), _reader(Dataset))


def follow(dataset: str, every: Duration | None, paused: bool | None) -> Call[Tracking]:
    body: dict[str, Any] = {}
    if every is not None:
        body["interval_seconds"] = seconds_of(every)
    if paused is not None:
        body["paused"] = paused
    return Call("PUT", _tracking_path(dataset), _reader(Tracking), body=body)


def tracking(dataset: str) -> Call[Tracking]:
    return Call("GET", _tracking_path(dataset), _reader(Tracking))


def check_drift(dataset: str) -> Call[Tracking]:
    return Call("POST", _tracking_path(dataset) + "/check", _reader(Tracking))


def unfollow(dataset: str) -> Call[None]:
    return Call("DELETE", _tracking_path(dataset), lambda _: None)


def delete_dataset(dataset: str) -> Call[None]:
    return Call("DELETE", _dataset_path(dataset), lambda _: None)


def versions(dataset: str, after: str | None) -> Call[Paged[Version]]:
    path = _dataset_path(dataset) + "/versions"
    return Call("GET", path, lambda value: decode_items(Version, value), params=_present(after=after))


def version(dataset: str, version: str) -> Call[Version]:
    return Call("GET", _path(dataset, version), _reader(Version))


def ensure(
    dataset: str,
    version: str,
    region: str,
    pin: PinSpec | None,
    wait_seconds: int,
    idempotency_key: str | None,
    run_id: str | None = None,
) -> Call[EnsureStatus]:
    body: dict[str, Any] = {"region": region}
    if run_id is not None:
        body["run_id"] = run_id
    if pin is not None:
        body["pin"] = _pin_body(pin)
    return Call(
        "POST",
        _path(dataset, version) + "/ensure",
        _reader(EnsureStatus),
        params={"wait_seconds": str(wait_seconds)},
        body=body,
        headers={"Idempotency-Key": idempotency_key or new_id()},
        answer_seconds=wait_seconds + 30.0,
    )


def prefetch(dataset: str, version: str, region: str) -> Call[EnsureStatus]:
    # One key for all who give the same hint: a thousand jobs that do are one request.
    key = "hint-" + hashlib.sha256("\0".join((dataset, version, region, "speculative")).encode()).hexdigest()[:40]
    hint = ensure(dataset, version, region, None, 0, key)
    return replace(hint, body={**(hint.body or {}), "priority": "speculative"})


def ensure_status(dataset: str, version: str, region: str, request_id: str, wait_seconds: int) -> Call[EnsureStatus]:
    return Call(
        "GET",
        f"{_path(dataset, version)}/requests/{_part('request_id', request_id)}",
        _reader(EnsureStatus),
        params={"region": region, "wait_seconds": str(wait_seconds)},
        answer_seconds=wait_seconds + 30.0,
    )


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
    return Call("POST", _path(dataset, version) + "/pins", _reader(Pin), body={"region": region, **_pin_body(spec)})


def pins(region: str | None, after: str | None) -> Call[Paged[Pin]]:
    return Call("GET", "/pins", lambda value: decode_items(Pin, value), params=_present(region=region, after=after))


def leaked_pins(region: str | None) -> Call[tuple[Pin, ...]]:
    return Call("GET", "/pins/leaked", _items_reader(Pin), params=_present(region=region))


def version_pins(dataset: str, version: str) -> Call[tuple[Pin, ...]]:
    return Call("GET", _path(dataset, version) + "/pins", _items_reader(Pin))


def renew(dataset: str, version: str, region: str, pin_id: str) -> Call[Pin]:
    path = f"{_path(dataset, version)}/pins/{_part('pin_id', pin_id)}/renew"
    return Call("POST", path, _reader(Pin), body={"region": region}, answer_seconds=_RENEWAL_SECONDS)


def unpin(dataset: str, version: str, region: str, pin_id: str) -> Call[None]:
    path = f"{_path(dataset, version)}/pins/{_part('pin_id', pin_id)}"
    return Call("DELETE", path, lambda _: None, params={"region": region})


def evict(dataset: str, version: str, region: str, reason: str | None) -> Call[Version]:
    body = _present(region=region, reason=reason)
    path = _path(dataset, version) + "/evict"
    return Call("POST", path, _reader(Version), body=body, answer_seconds=_EVICTION_SECONDS)


def set_ttl(dataset: str, version: str, ttl: Duration) -> Call[Version]:
    return Call("PUT", _path(dataset, version) + "/ttl", _reader(Version), body={"ttl_seconds": seconds_of(ttl)})


def resume(dataset: str, version: str, region: str) -> Call[Version]:
    return Call("POST", _path(dataset, version) + "/resume", _reader(Version), body={"region": region})


def plan(dataset: str, version: str, regions: Sequence[str]) -> Call[Plan]:
    body = {"regions": list(regions)} if regions else {}
    return Call("POST", _path(dataset, version) + "/plan", _reader(Plan), body=body, answer_seconds=_PLAN_SECONDS)


def placements(dataset: str, version: str, gpus: int | None) -> Call[Placements]:
    split_dataset(dataset)
    wanted = None if gpus is None else str(gpus)
    params = {"dataset": dataset, "version": version, **_present(gpus=wanted)}
    return Call("GET", "/placements", _reader(Placements), params=params, answer_seconds=_PLAN_SECONDS)


def abandon(dataset: str, version: str, region: str, reason: str | None) -> Call[Version]:
    path = _path(dataset, version) + "/abandon"
    body = _present(region=region, reason=reason)
    return Call("POST", path, _reader(Version), body=body, answer_seconds=_EVICTION_SECONDS)


def cancel(dataset: str, version: str, request_id: str) -> Call[None]:
    path = f"{_path(dataset, version)}/requests/{_part('request_id', request_id)}"
    return Call("DELETE", path, lambda _: None, answer_seconds=_EVICTION_SECONDS)


def quotas(namespace: str) -> Call[tuple[Quota, ...]]:
    return Call("GET", _quota_path(namespace), _items_reader(Quota))


def set_quota(namespace: str, bytes: int, region: str | None) -> Call[tuple[Quota, ...]]:
    body = {"bytes": bytes, **_present(region=region)}
    return Call("PUT", _quota_path(namespace), _items_reader(Quota), body=body)


def remove_quota(namespace: str, region: str | None) -> Call[tuple[Quota, ...]]:
    return Call("DELETE", _quota_path(namespace), _items_reader(Quota), params=_present(region=region))


def queue(region: str) -> Call[tuple[Queued, ...]]:
    return Call("GET", f"/regions/{_part('region', region)}/queue", _items_reader(Queued))


def regions() -> Call[tuple[Region, ...]]:
    return Call("GET", "/regions", _items_reader(Region))


def explain(dataset: str, version: str, region: str) -> Call[Explanation]:
    params = {"region": region, "version": version}
    return Call("GET", _dataset_path(dataset) + "/explain", _reader(Explanation), params=params)


def costs(query: Mapping[str, str | None]) -> Call[Costs]:
    return Call("GET", "/costs", _reader(Costs), params=_present(**query))


def budgets() -> Call[tuple[Budget, ...]]:
    return Call("GET", "/budgets", _items_reader(Budget))


def sweep_plan(region: str) -> Call[SweepPlan]:
    return Call("GET", _sweep_path(region) + "/plan", _reader(SweepPlan))


def sweep(region: str, wait_seconds: int) -> Call[Sweep]:
    params = {"wait_seconds": str(wait_seconds)}
    return Call("POST", _sweep_path(region), _reader(Sweep), params=params, answer_seconds=wait_seconds + 30.0)


def sweep_schedule(region: str) -> Call[SweepSchedule]:
    return Call("GET", _sweep_path(region), _reader(SweepSchedule))


def pause_sweeps(region: str, reason: str | None) -> Call[SweepSchedule]:
    return Call("POST", _sweep_path(region) + "/pause", _reader(SweepSchedule), body=_present(reason=reason))


def resume_sweeps(region: str, reason: str | None) -> Call[SweepSchedule]:
    return Call("POST", _sweep_path(region) + "/resume", _reader(SweepSchedule), body=_present(reason=reason))


def new_id() -> str:
    """An id of the caller's own for a pin or a request: what makes sending it twice harmless."""
    return uuid.uuid4().hex


def _pin_body(spec: PinSpec) -> dict[str, Any]:
    body: dict[str, Any] = {"id": spec.id, "holder": spec.holder, "lease_seconds": spec.lease_seconds}
    if spec.reason is not None:
        body["reason"] = spec.reason
    if spec.job is not None:
        body["job"] = spec.job
    return body


def _listed(argument: str, patterns: Sequence[str]) -> list[str]:
    if isinstance(patterns, str):
        raise ConfigurationError(f"{argument} is a list of patterns, not one: [{patterns!r}]")
    return list(patterns)


def _present(**values: str | None) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}


def _part(argument: str, value: str) -> str:
    return quote(checked_part(argument, value), safe="")


def _sweep_path(region: str) -> str:
    return f"/regions/{_part('region', region)}/sweep"


def _dataset_path(dataset: str) -> str:
    namespace, name = split_dataset(dataset)
    return f"/datasets/{quote(namespace, safe='')}/{quote(name, safe='')}"


def _tracking_path(dataset: str) -> str:
    return _dataset_path(dataset) + "/tracking"


def _quota_path(namespace: str) -> str:
    return f"/namespaces/{_part('namespace', namespace)}/quota"


def _path(dataset: str, version: str) -> str:
    return f"{_dataset_path(dataset)}/versions/{_part('version', version)}"


def _reader(kind: type[T]) -> Callable[[object], T]:
    return lambda value: decode(kind, value)


def _items_reader(kind: type[T]) -> Callable[[object], tuple[T, ...]]:
    return lambda value: decode_items(kind, value)[0]


def _json(response: httpx.Response) -> object:
    try:
        return response.json()
    except ValueError:
        kind = response.headers.get("Content-Type", "something without a type")
        raise _somebody_else(response, f"{kind} instead of JSON") from None


def _somebody_else(response: httpx.Response, answer: str) -> UnexpectedAnswer:
    return UnexpectedAnswer(
        f"{response.request.url} answered with {answer}: is FOREBAY_API the address of Forebay's control plane?"
    )


def _problem(response: httpx.Response) -> Exception:
    """Reads an RFC 9457 problem; an answer without one came from a proxy or another server."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {}

    def text(name: str) -> str | None:
        value = problem.get(name)
        return value if isinstance(value, str) and value else None

    if text("code") is None and response.status_code in _NO_SUCH_PLACE:
        return _somebody_else(response, f"{response.status_code} {response.reason_phrase} and no reason")
    detail = text("detail") or text("title")
    if detail is None:
        detail = f"{response.request.url.host} answered {response.status_code} {response.reason_phrase}"
    retryable = problem.get("retryable")
    return api_error(
        response.status_code,
        text("code"),
        detail,
        retryable=retryable if isinstance(retryable, bool) else response.status_code in _BUSY,
        field=text("field"),
    )
