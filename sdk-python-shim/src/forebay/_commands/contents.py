"""Versions and their aliases, objects, and differences between versions."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from forebay._client import Client
from forebay._commands import datasets
from forebay._commands._output import connect, option_of, print_json, say, say_if_deleted, stamped
from forebay._errors import ConfigurationError, NotFound
from forebay._models import Alias, Difference, Version, VersionObject, to_json
from forebay._tables import print_table
from forebay._values import human_bytes, split_version

T = TypeVar("T")


def ls(options: Namespace) -> None:
    if options.of is None:
        datasets.list_datasets(options)
    elif "@" in options.of:
        _list_objects(options)
    else:
        _list_versions(options)


def _list_versions(options: Namespace) -> None:
    if options.folder is not None:
        raise ConfigurationError("a folder is one of a version: write NS/NAME@VERSION FOLDER")
    with connect(options) as client:
        dataset = client.dataset(options.of)
        versions, more = _some(
            (each for each in client.versions(options.of) if each.version > (options.after or "")), options.limit
        )
        aliases = client.aliases(options.of)
        latest = _latest(client, options.of)
    names = {each.version: [] if each.version != latest else ["latest"] for each in versions}
    for alias in aliases:
        names.setdefault(alias.version, []).append(alias.alias)
    if options.json:
        items = [{**to_json(each), "names": names[each.version]} for each in versions]
        print_json({"items": items, "next": versions[-1].version if more else None})
        return
    print_table(
        ["VERSION", "OBJECTS", "BYTES", "ALSO", "REGIONS"],
        [_version_row(each, names[each.version]) for each in versions],
        right=("OBJECTS", "BYTES"),
    )
    _say_more(more, [each.version for each in versions])
    say_if_deleted(dataset)


def _latest(client: Client, dataset: str) -> str | None:
    try:
        return client.version(dataset, "latest").version
    except NotFound:  # no version is frozen yet
        return None


def _version_row(version: Version, names: list[str]) -> list[str]:
    manifest = version.manifest
    return [
        version.version,
        "not frozen" if manifest is None else str(manifest.objects),
        "" if manifest is None else human_bytes(manifest.bytes),
        ", ".join(names),
        ", ".join(f"{each.region} {each.state}" for each in version.regions if each.state != "ABSENT"),
    ]


def _list_objects(options: Namespace) -> None:
    name, version = split_version(options.of)
    with connect(options) as client:
        found, more = _some(client.objects(name, version, folder=options.folder, after=options.after), options.limit)
    if options.json:
        print_json({"items": found, "next": found[-1].path if more else None})
        return
    print_table(["BYTES", "MODIFIED", "PATH"], [_object_row(each) for each in found], right=("BYTES",))
    _say_more(more, [each.path for each in found])


def _object_row(found: VersionObject) -> list[str]:
    return [human_bytes(found.bytes), "" if found.modified_at is None else stamped(found.modified_at), found.path]


def diff(options: Namespace) -> None:
    name, before = split_version(options.before)
    other, version = split_version(options.version) if "@" in options.version else (name, options.version)
    if other != name:
        raise ConfigurationError(f"{options.before} and {options.version} are versions of two datasets")
    with connect(options) as client:
        found, more = _some(client.diff(name, before, version, after=options.after), options.limit)
    if options.json:
        print_json({"items": found, "next": found[-1].path if more else None})
        return
    if not found:
        behind = f" behind {options.after}" if options.after else ""
        say(f"{name}: {before} and {version} have the same objects{behind}")
        return
    print_table(
        ["CHANGE", "BEFORE", "BYTES", "PATH"], [_difference_row(each) for each in found], right=("BEFORE", "BYTES")
    )
    _say_more(more, [each.path for each in found])


def _difference_row(difference: Difference) -> list[str]:
    sizes = ["" if size is None else human_bytes(size) for size in (difference.bytes_before, difference.bytes)]
    return [difference.change, *sizes, difference.path]


def _some(found: Iterable[T], limit: int) -> tuple[list[T], bool]:
    """Returns at most ``limit`` items, and whether there are more."""
    some = list(islice(found, limit + 1))
    return some[:limit], len(some) > limit


def _say_more(more: bool, shown: list[str]) -> None:
    if more:
        after = shlex.join(option_of("--after", shown[-1]))
        say(f"there are more: {after} goes on, --limit N shows more at once")


def list_aliases(options: Namespace) -> None:
    with connect(options) as client:
        aliases = client.aliases(options.dataset)
    if options.json:
        print_json(aliases)
    else:
        _print_aliases(list(aliases))


def set_alias(options: Namespace) -> None:
    name, version = split_version(options.version)
    with connect(options) as client:
        alias = client.set_alias(name, options.alias, version)
    if options.json:
        print_json(alias)
        return
    before = "" if alias.before is None else f", and meant {alias.before} before"
    say(f"{name}@{alias.alias} means {alias.version}{before}")


def delete_alias(options: Namespace) -> None:
    with connect(options) as client:
        # The API accepts the removal of an absent alias, because requests may be repeated. A user has made a mistake.
        known = [each.alias for each in client.aliases(options.dataset)]
        if options.alias not in known:
            there = f"its aliases are {', '.join(known)}" if known else "it has none"
            raise NotFound("NOT_FOUND", 404, f"{options.dataset} has no alias '{options.alias}'; {there}")
        client.remove_alias(options.dataset, options.alias)
    if options.json:
        print_json({"removed": options.alias})
    else:
        say(f"{options.dataset} has no alias '{options.alias}' any more; the version that it meant stays")


def _print_aliases(aliases: list[Alias]) -> None:
    rows = [
        [each.alias, each.version, each.before or "", "" if each.moved_at is None else stamped(each.moved_at)]
        for each in aliases
    ]
    print_table(["ALIAS", "VERSION", "BEFORE", "MOVED"], rows)
