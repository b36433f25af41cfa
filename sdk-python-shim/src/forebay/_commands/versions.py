"""Versions and their life in regions."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay import _region
from forebay._client import Client
from forebay._commands._output import (
    chosen,
    connect,
    print_json,
    print_pins,
    say,
    say_cause,
    say_if_deleted,
    stamped,
    until,
)
from forebay._commands._parsers import Commands, add_region, add_version, add_version_or_latest
from forebay._errors import NotFound
from forebay._models import BlockedVersion, Origin, Version
from forebay._progress import Told
from forebay._tables import print_table
from forebay._text import one_line
from forebay._values import human_bytes, human_seconds, human_size, split_version, version_or_latest


def add(commands: Commands) -> None:
    add_version(
        commands.add("freeze", freeze, "create a version from a listing of its source; fills no region", changes=True)
    )

    shown = commands.add("status", status, "show a version, the versions of a dataset, or all BLOCKED versions")
    shown.add_argument(
        "dataset", metavar="NS/NAME[@VERSION]", nargs="?", help="dataset or version (default: all BLOCKED versions)"
    )

    why = commands.add("explain", explain, "explain why a version is, or is not, in a region")
    add_version_or_latest(why)
    add_region(why)

    eviction = commands.add("evict", evict, "evict a version from a region, unless it is pinned", changes=True)
    add_version(eviction)
    add_region(eviction)
    eviction.add_argument("--reason", metavar="WHY", help="reason, kept in the version's history")

    ttl = commands.add("ttl", set_ttl, "set how long a version stays in a region after its last pin", changes=True)
    add_version(ttl)
    ttl.add_argument("ttl", metavar="DURATION", help="the time to live")

    again = commands.add("resume", resume, "retry a fill that is BLOCKED in a region", changes=True)
    add_version(again)
    add_region(again)

    end = commands.add(
        "abandon", abandon, "give up a version that is BLOCKED in a region, and remove its bytes", changes=True
    )
    add_version(end)
    add_region(end)
    end.add_argument("--reason", metavar="WHY", help="reason, kept in the version's history")


def freeze(options: Namespace) -> None:
    name, version = split_version(options.version)
    with connect(options) as client:
        frozen = client.freeze(name, version, on_answer=None if options.json else _Listing(options.version).show)
    if options.json:
        print_json(frozen)
        return
    size = "" if frozen.manifest is None else f": {human_size(frozen.manifest.objects, frozen.manifest.bytes)}"
    say(f"{options.version} is frozen{size}")
    if frozen.origin is not None:
        _print_origin(frozen.origin)


class _Listing:
    """Prints what delays a listing, each reason once."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._told = Told()

    def show(self, seen: Version) -> None:
        cause = seen.freezing
        if cause is not None and self._told.is_new(cause):
            say(f"{self._version} waits: {cause.code}: {one_line(cause.message)}", file=sys.stderr)


def status(options: Namespace) -> None:
    with connect(options) as client:
        if options.dataset is None:
            _show_blocked(client.blocked(), options.json)
            return
        if "@" not in options.dataset:
            versions = client.versions(options.dataset)
            if options.json:
                print_json(versions)
            else:
                print_versions(versions)
                say_if_deleted(client.dataset(options.dataset))
            return
        version = client.version(*split_version(options.dataset))
        if options.json:
            print_json(version)
            return
        _print_version(version)
        say_if_deleted(client.dataset(version.dataset))


def _show_blocked(found: tuple[BlockedVersion, ...], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    print_table(
        ["VERSION", "REGION", "CODE"],
        [[f"{each.dataset}@{each.version}", each.region, each.blocked.code] for each in found],
    )
    for each in found:
        say_cause(f"{each.dataset}@{each.version} in {each.region}", "is BLOCKED", each.blocked)


def explain(options: Namespace) -> None:
    name, version = version_or_latest(options.version)
    region = _region.named(options.region, options.api)
    with connect(options) as client:
        told = client.explain(name, region, version=version)
    if options.json:
        print_json(told)
        return
    for sentence in told.sentences:
        say(sentence)
    if told.history:
        print()
        rows = [
            [stamped(each.at), each.kind, human_bytes(each.bytes), each.code or "", one_line(each.text)]
            for each in told.history
        ]
        print_table(["AT", "EVENT", "CACHED", "CODE", "REASON"], rows, right=("CACHED",))


def evict(options: Namespace) -> None:
    name, version = split_version(options.version)
    region = _region.named(options.region, options.api)
    with connect(options) as client:
        # The API accepts the eviction of an absent version, because requests may be repeated. A user has made a
        # mistake.
        _require_there(client, client.version(name, version), region)
        left = client.evict(name, version, region, reason=options.reason)
    if options.json:
        print_json(left)
        return
    state = left.residency(region).state
    # The eviction of a very large version takes longer than one request may.
    say(
        f"{options.version} was evicted from {region}"
        if state == "ABSENT"
        else f"{options.version} in {region}: {state}"
    )


def _require_there(client: Client, version: Version, region: str) -> None:
    states = {each.region: each.state for each in version.regions if each.state != "ABSENT"}
    if region not in states:
        _region.require_known(client, region)
        where = ", ".join(f"{each} ({state})" for each, state in states.items())
        raise NotFound(
            "NOT_FOUND",
            404,
            f"{version.dataset}@{version.version} is not in {region}, so nothing was evicted; "
            + (f"it is in {where}" if states else "it is in no region"),
        )


def _require_blocked(client: Client, version: Version, region: str, what: str) -> None:
    state = version.residency(region).state
    if state != "BLOCKED":
        _region.require_known(client, region)
        named = f"{version.dataset}@{version.version}"
        instead = {
            "ABSENT": f"'forebay ensure {named} --region {region}' fills it",
            "CACHED": f"'forebay evict {named} --region {region}' removes it",
        }.get(state, f"'forebay explain {named} --region {region}' explains its state")
        raise NotFound(
            "NOT_FOUND", 404, f"{named} is {state} in {region}, not BLOCKED, so nothing was {what}; {instead}"
        )


def set_ttl(options: Namespace) -> None:
    with connect(options) as client:
        version = client.set_ttl(*split_version(options.version), options.ttl)
    if options.json:
        print_json(version)
    else:
        stays = "" if version.ttl_seconds is None else human_seconds(version.ttl_seconds)
        say(f"{options.version} stays for {stays} after its last pin")


def resume(options: Namespace) -> None:
    name, wanted = split_version(options.version)
    region = _region.named(options.region, options.api)
    with connect(options) as client:
        _require_blocked(client, client.version(name, wanted), region, "resumed")
        version = client.resume(name, wanted, region)
    if options.json:
        print_json(version)
    else:
        say(f"{options.version} in {region}: {version.residency(region).state}")


def abandon(options: Namespace) -> None:
    name, wanted = split_version(options.version)
    region = _region.named(options.region, options.api)
    with connect(options) as client:
        _require_blocked(client, client.version(name, wanted), region, "given up")
        version = client.abandon(name, wanted, region, reason=options.reason)
    if options.json:
        print_json(version)
    else:
        say(f"{options.version} in {region}: {version.residency(region).state}")


def print_versions(found: tuple[Version, ...]) -> None:
    rows = []
    for version in found:
        manifest = version.manifest
        regions = ", ".join(f"{r.region} {r.state}" for r in version.regions if r.state != "ABSENT")
        rows.append(
            [
                f"{version.dataset}@{version.version}",
                "" if manifest is None else str(manifest.objects),
                "" if manifest is None else human_bytes(manifest.bytes),
                str(len(version.pins)),
                regions,
            ]
        )
    print_table(["VERSION", "OBJECTS", "BYTES", "PINS", "REGIONS"], rows, right=("OBJECTS", "BYTES", "PINS"))


def _print_version(version: Version) -> None:
    say(f"{version.dataset}@{version.version}")
    manifest = version.manifest
    if manifest is not None:
        say(f"  {human_size(manifest.objects, manifest.bytes)}, manifest {manifest.digest}")
    if version.origin is not None:
        _print_origin(version.origin)
    if version.freezing is not None:
        say(f"  is not frozen yet: {version.freezing.code}: {one_line(version.freezing.message)}")
    if version.ttl_seconds is not None:
        say(f"  stays for {human_seconds(version.ttl_seconds)} after its last pin")
    if version.workflow_url is not None:
        say(f"  {version.workflow_url}")
    total = manifest.bytes if manifest is not None else None
    rows = []
    for region in version.regions:
        share = "" if not total or region.percent is None else f"{region.percent}%"
        rows.append(
            [
                region.region,
                region.state,
                human_bytes(region.bytes_cached),
                share,
                human_bytes(region.bytes_from_lake),
                until(region.evictable_at),
                region.path or "",
            ]
        )
    if rows:
        print()
        print_table(
            ["REGION", "STATE", "CACHED", "%", "FROM LAKE", "EVICTABLE", "PATH"],
            rows,
            right=("CACHED", "%", "FROM LAKE"),
        )
    for region in version.regions:
        if region.blocked is not None:
            say_cause(region.region, "is BLOCKED", region.blocked)
        if region.waiting is not None:
            say_cause(region.region, "waits", region.waiting)
    if version.pins:
        print()
        print_pins(version.pins)


def _print_origin(origin: Origin) -> None:
    say(f"  from {chosen(origin)}")
    if origin.before is not None:
        news = f"{origin.objects_changed} changed, {origin.objects_added} added, {origin.objects_removed} removed"
        say(f"  since {origin.before}: {news}, {human_bytes(origin.bytes_new)} to fetch")
