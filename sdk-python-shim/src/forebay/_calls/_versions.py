"""Versions and their life in regions."""

from __future__ import annotations

from forebay._calls._call import EVICTION_SECONDS, Call, Paged, items_reader, present, reader
from forebay._calls._paths import dataset_path, part, version_path
from forebay._models import Alias, Difference, Explanation, Restored, Version, VersionObject, decode_items
from forebay._values import Duration, seconds_of

_PAGE = "1000"


def versions(dataset: str, after: str | None) -> Call[Paged[Version]]:
    path = dataset_path(dataset) + "/versions"
    return Call("GET", path, lambda value: decode_items(Version, value), params=present(after=after))


def version(dataset: str, version: str) -> Call[Version]:
    return Call("GET", version_path(dataset, version), reader(Version))


def freeze(dataset: str, version: str, wait_seconds: int) -> Call[Version]:
    return Call(
        "POST",
        version_path(dataset, version) + "/freeze",
        reader(Version),
        params={"wait_seconds": str(wait_seconds)},
        answer_seconds=wait_seconds + 30.0,
    )


def evict(dataset: str, version: str, region: str, reason: str | None) -> Call[Version]:
    body = present(region=region, reason=reason)
    path = version_path(dataset, version) + "/evict"
    return Call("POST", path, reader(Version), body=body, answer_seconds=EVICTION_SECONDS)


def set_ttl(dataset: str, version: str, ttl: Duration) -> Call[Version]:
    return Call("PUT", version_path(dataset, version) + "/ttl", reader(Version), body={"ttl_seconds": seconds_of(ttl)})


def resume(dataset: str, version: str, region: str) -> Call[Version]:
    return Call("POST", version_path(dataset, version) + "/resume", reader(Version), body={"region": region})


def abandon(dataset: str, version: str, region: str, reason: str | None) -> Call[Version]:
    path = version_path(dataset, version) + "/abandon"
    body = present(region=region, reason=reason)
    return Call("POST", path, reader(Version), body=body, answer_seconds=EVICTION_SECONDS)


def explain(dataset: str, version: str, region: str) -> Call[Explanation]:
    params = {"region": region, "version": version}
    return Call("GET", dataset_path(dataset) + "/explain", reader(Explanation), params=params)


def restore_catalogue(after: str | None) -> Call[Restored]:
    return Call("POST", "/catalogue/restore", reader(Restored), params=present(after=after), answer_seconds=120.0)


def aliases(dataset: str) -> Call[tuple[Alias, ...]]:
    return Call("GET", dataset_path(dataset) + "/aliases", items_reader(Alias))


def set_alias(dataset: str, alias: str, version: str) -> Call[Alias]:
    return Call("PUT", _alias_path(dataset, alias), reader(Alias), body={"version": version})


def remove_alias(dataset: str, alias: str) -> Call[None]:
    return Call("DELETE", _alias_path(dataset, alias), lambda _: None)


def objects(dataset: str, version: str, folder: str | None, after: str | None) -> Call[Paged[VersionObject]]:
    params = {"limit": _PAGE} | present(folder=folder, after=after)
    path = version_path(dataset, version) + "/objects"
    return Call("GET", path, lambda value: decode_items(VersionObject, value), params=params)


def diff(dataset: str, before: str, version: str, after: str | None) -> Call[Paged[Difference]]:
    params = {"limit": _PAGE, "from": before} | present(after=after)
    path = version_path(dataset, version) + "/diff"
    return Call("GET", path, lambda value: decode_items(Difference, value), params=params)


def _alias_path(dataset: str, alias: str) -> str:
    return f"{dataset_path(dataset)}/aliases/{part('alias', alias)}"
