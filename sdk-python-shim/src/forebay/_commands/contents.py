"""Lists of datasets, versions and objects, and differences between versions."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from forebay._client import Client
from forebay._commands import datasets
from forebay._commands._output import connect, option_of, print_json, say, say_if_deleted, stamped
from forebay._commands._parsers import Commands, add_page
from forebay._errors import ConfigurationError, NotFound
from forebay._models import Difference, Version, VersionObject, to_json
from forebay._tables import print_table
from forebay._values import human_bytes, split_version

T = TypeVar("T")


def add(commands: Commands) -> None:
    listing = commands.add("ls", ls, "list datasets, the versions of a dataset, or the objects of a version")
    listing.add_argument(
        "of", metavar="NS/NAME[@VERSION]", nargs="?", help="dataset or version (default: all datasets)"
    )
    listing.add_argument("folder", metavar="FOLDER", nargs="?", help="list only objects below this path of the version")
    add_page(listing)

    comparison = commands.add("diff", diff, "list objects that were added, removed or changed between two versions")
    comparison.add_argument("before", metavar="NS/NAME@VERSION", help="the earlier version")
    comparison.add_argument("version", metavar="[NS/NAME@]VERSION", help="the later version, of the same dataset")
    add_page(comparison)


def ls(options: Namespace) -> None:
    if options.of is None:
        datasets.list_datasets(options)
    elif "@" in options.of:
        _list_objects(options)
    else:
        _list_versions(options)


def _list_versions(options: Namespace) -> None:
    if options.folder is not None:
        raise ConfigurationError("only a version has folders: write NS/NAME@VERSION FOLDER")
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
        raise ConfigurationError(
            f"{options.before} and {options.version} are versions of two datasets: name versions of one dataset"
        )
    with connect(options) as client:
        found, more = _some(client.diff(name, before, version, after=options.after), options.limit)
    if options.json:
        print_json({"items": found, "next": found[-1].path if more else None})
        return
    if not found:
        behind = f" after {options.after}" if options.after else ""
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
        say(f"there are more: {after} shows the next ones, --limit N shows more at once")
