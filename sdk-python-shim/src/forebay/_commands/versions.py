"""Versions, their fills and evictions."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay import _region
from forebay._client import Client
from forebay._commands._output import (
    chosen,
    connect,
    print_json,
    print_path,
    print_pins,
    say,
    say_cause,
    say_if_deleted,
    stamped,
    until,
)
from forebay._dataset import ensure_dataset_cached
from forebay._errors import ForebayError, NotFound
from forebay._models import BlockedVersion, Origin, Receipt, Version
from forebay._progress import Reasons, Told
from forebay._tables import print_table
from forebay._text import one_line
from forebay._values import human_bytes, human_seconds, human_size, split_version, version_or_latest


def ensure(options: Namespace) -> None:
    name, version = version_or_latest(options.version)
    cached = ensure_dataset_cached(
        name,
        version,
        options.region,
        options.pin_for,
        holder=options.holder,
        reason=options.reason,
        run_id=options.run_id,
        timeout=options.timeout,
        min_coverage=options.min_coverage,
        deadline=options.deadline,
        on_deadline=options.on_deadline,
        priority=options.priority,
        also_in=options.also_in,
        detach=options.detach,
        create=options.create,
        progress=Reasons(f"{name}@{version}", options.json) if options.quiet or options.json else True,
        api=options.api,
    )
    if options.json:
        print_json(cached.receipt)
        return
    receipt = cached.receipt
    if not options.quiet:
        say(f"{name}@{receipt.version}: {_held(receipt)} in {receipt.region}, verified", file=sys.stderr)
        if receipt.cold is not None:
            say(f"cold: {receipt.cold.message}", file=sys.stderr)
        if receipt.pin is not None:
            say(f"held until {until(receipt.pin.expires_at)} by pin {receipt.pin.id}", file=sys.stderr)
    # Only the path goes to stdout, so that a shell can say DATA=$(forebay ensure ...).
    print_path(cached.expected_path)


def _held(receipt: Receipt) -> str:
    if receipt.objects is None or receipt.bytes is None:
        return "nothing yet"
    size = human_size(receipt.objects, receipt.bytes)
    if receipt.coverage >= 1:
        return size
    # Below 100 %, because rounding must not turn an incomplete version into a complete one.
    return f"{min(receipt.coverage, 0.999):.1%} of {size}"


def prefetch(options: Namespace) -> None:
    region = _region.named(options.region, options.api)
    wanted = [(text, *version_or_latest(text)) for text in options.versions]
    with connect(options) as client:
        begun = [
            (text, client.prefetch(name, version, region, create=options.create)) for text, name, version in wanted
        ]
    if options.json:
        print_json([answer for _, answer in begun])
        return
    for text, answer in begun:
        state = "CACHED" if answer.done else answer.progress.state if answer.progress is not None else "accepted"
        say(f"{text} in {region}: {state}")


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
        say_cause(f"{each.dataset}@{each.version} in {each.region}", "is blocked", each.blocked)


def explain(options: Namespace) -> None:
    name, _, version = options.dataset.partition("@")
    region = _region.named(options.region, options.api)
    with connect(options) as client:
        told = client.explain(name, region, version=version or "latest")
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
        print_table(["AT", "WHAT", "THERE", "CODE", "WHY, OR WHO"], rows, right=("THERE",))


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
    say(f"{options.version} is gone from {region}" if state == "ABSENT" else f"{options.version} in {region}: {state}")


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
            "ABSENT": f"'forebay ensure {named} --region {region}' brings it",
            "CACHED": f"'forebay evict {named} --region {region}' removes it",
        }.get(state, f"'forebay explain {named} --region {region}' says how far it is")
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
        say(f"{options.version} stays {stays} after its last pin")


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


def cancel(options: Namespace) -> None:
    name, version = split_version(options.version)
    with connect(options) as client:
        client.cancel(name, version, options.request)
    if options.json:
        print_json({"cancelled": options.request})
    else:
        say(f"{options.request} is taken back, or was answered before")


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
        say(f"  stays {human_seconds(version.ttl_seconds)} after its last pin")
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
            say_cause(region.region, "is blocked", region.blocked)
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


def restore_catalogue(options: Namespace) -> None:
    """Prints progress, because there may be many versions."""
    restored = unchanged = 0
    problems: list[str] = []
    after: str | None = None
    with connect(options) as client:
        while True:
            page = client.restore_catalogue(after=after)
            restored += page.restored
            unchanged += page.unchanged
            problems += page.problems
            after = page.next
            if after is None:
                break
            say(f"{restored} restored so far", file=sys.stderr)
    if options.json:
        print_json({"restored": restored, "unchanged": unchanged, "problems": problems})
    else:
        say(f"{restored} versions were restored, {unchanged} were there")
    for problem in problems:
        say(f"not restored: {problem}", file=sys.stderr)
    if problems:
        raise ForebayError("not all versions could be restored; 'forebay restore-catalogue' tries them again")
