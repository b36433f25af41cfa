"""Regions, BLOCKED versions, queues for space, and quotas of namespaces."""

from __future__ import annotations

from forebay._calls._call import Call, Paged, items_reader, present
from forebay._calls._paths import part
from forebay._models import BlockedVersion, Queued, Quota, Region, decode_items


def regions() -> Call[tuple[Region, ...]]:
    return Call("GET", "/regions", items_reader(Region))


def blocked(after: str | None) -> Call[Paged[BlockedVersion]]:
    return Call("GET", "/blocked", lambda value: decode_items(BlockedVersion, value), params=present(after=after))


def queue(region: str) -> Call[tuple[Queued, ...]]:
    return Call("GET", f"/regions/{part('region', region)}/queue", items_reader(Queued))


def quotas(namespace: str) -> Call[tuple[Quota, ...]]:
    return Call("GET", _quota_path(namespace), items_reader(Quota))


def set_quota(namespace: str, bytes: int, region: str | None) -> Call[tuple[Quota, ...]]:
    body = {"bytes": bytes, **present(region=region)}
    return Call("PUT", _quota_path(namespace), items_reader(Quota), body=body)


def remove_quota(namespace: str, region: str | None) -> Call[tuple[Quota, ...]]:
    return Call("DELETE", _quota_path(namespace), items_reader(Quota), params=present(region=region))


def _quota_path(namespace: str) -> str:
    return f"/namespaces/{part('namespace', namespace)}/quota"
