"""Datasets, and how they follow their sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forebay._calls._call import Call, Paged, present, reader
from forebay._calls._paths import dataset_path
from forebay._errors import ConfigurationError
from forebay._models import Dataset, Tracking, decode_items
from forebay._values import Duration, seconds_of, split_dataset


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
    return Call("POST", "/datasets", reader(Dataset), body=body)


def set_dataset_ttl(dataset: str, ttl: Duration | None, ttl_after: str | None) -> Call[Dataset]:
    body: dict[str, Any] = {}
    if ttl is not None:
        body["ttl_seconds"] = seconds_of(ttl)
    if ttl_after is not None:
        body["ttl_after"] = ttl_after
    if not body:
        raise ConfigurationError("ttl or ttl_after is needed: neither was given")
    return Call("PUT", dataset_path(dataset) + "/ttl", reader(Dataset), body=body)


def delete_dataset(dataset: str) -> Call[None]:
    return Call("DELETE", dataset_path(dataset), lambda _: None)


def datasets(namespace: str | None, after: str | None) -> Call[Paged[Dataset]]:
    params = present(namespace=namespace, after=after)
    return Call("GET", "/datasets", lambda value: decode_items(Dataset, value), params=params)


def dataset(dataset: str) -> Call[Dataset]:
    return Call("GET", dataset_path(dataset), reader(Dataset))


def follow(dataset: str, every: Duration | None, paused: bool | None) -> Call[Tracking]:
    body: dict[str, Any] = {}
    if every is not None:
        body["interval_seconds"] = seconds_of(every)
    if paused is not None:
        body["paused"] = paused
    return Call("PUT", _tracking_path(dataset), reader(Tracking), body=body)


def tracking(dataset: str) -> Call[Tracking]:
    return Call("GET", _tracking_path(dataset), reader(Tracking))


def check_drift(dataset: str) -> Call[Tracking]:
    return Call("POST", _tracking_path(dataset) + "/check", reader(Tracking))


def unfollow(dataset: str) -> Call[None]:
    return Call("DELETE", _tracking_path(dataset), lambda _: None)


def _listed(argument: str, patterns: Sequence[str]) -> list[str]:
    if isinstance(patterns, str):
        raise ConfigurationError(f"{argument} is a list of patterns, not one: [{patterns!r}]")
    return list(patterns)


def _tracking_path(dataset: str) -> str:
    return dataset_path(dataset) + "/tracking"
