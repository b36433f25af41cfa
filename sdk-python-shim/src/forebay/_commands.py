"""What each command of ``forebay`` does and prints."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from datetime import datetime, timezone
from typing import TextIO

from forebay import _settings
from forebay._client import Client
from forebay._dataset import ensure_dataset_cached, release_dataset
from forebay._errors import ConfigurationError, NotFound
from forebay._models import (
    Blocked,
    Cost,
    Dataset,
    Origin,
    Pin,
    PlanRoom,
    RegionPlan,
    Sweep,
    SweepPlan,
    SweepSchedule,
    Tracking,
    Version,
    to_json,
)
from forebay._tables import print_table
from forebay._text import one_line, shown
from forebay._values import bytes_of, human_bytes, human_seconds, human_size, split_version

_RETRY_SECONDS = 5.0
"""A person waits for a command; a job waits for ``ensure``, which is patient by itself."""


def list_datasets(options: Namespace) -> None:
    with _client(options) as client:
        found = list(client.datasets(getattr(options, "namespace", None)))
    if options.json:
        _print_json(found)
    else:
        _print_datasets(found)


def show_dataset(options: Namespace) -> None:
    with _client(options) as client:
        dataset = client.dataset(options.dataset)
        versions = client.versions(options.dataset)
    if options.json:
        _print_json({**to_json(dataset), "versions": to_json(versions)})
        return
    _print_datasets([dataset])
    if versions:
        print()
        _print_versions(versions)


def register_dataset(options: Namespace) -> None:
    with _client(options) as client:
        dataset = client.register_dataset(
            options.dataset,
            options.source,
            ttl=options.ttl,
            ttl_after=options.ttl_after,
            include=options.include,
            exclude=options.exclude,
            keys=options.keys,
        )
    if options.json:
        _print_json(dataset)
    else:
        _print_datasets([dataset])


def follow(options: Namespace) -> None:
    with _client(options) as client:
        _print_tracking(client.follow(options.dataset, every=options.every, paused=False), options)


def pause_tracking(options: Namespace) -> None:
    with _client(options) as client:
        # Pausing what does not follow anything would have it followed.
        client.tracking(options.dataset)
        _print_tracking(client.follow(options.dataset, paused=True), options)


def check_drift(options: Namespace) -> None:
    with _client(options) as client:
        _print_tracking(client.check_drift(options.dataset), options)


def tracking(options: Namespace) -> None:
    with _client(options) as client:
        _print_tracking(client.tracking(options.dataset), options)


def unfollow(options: Namespace) -> None:
    with _client(options) as client:
        client.unfollow(options.dataset)
    if options.json:
        _print_json({"unfollowed": options.dataset})
    else:
        _say(f"{options.dataset} follows its source no more")


def delete_dataset(options: Namespace) -> None:
    with _client(options) as client:
        client.delete_dataset(options.dataset)
    if options.json:
        _print_json({"deleted": options.dataset})
    else:
        _say(f"{options.dataset} is deleted; its versions go from each region once nobody holds them")


def ensure(options: Namespace) -> None:
    name, version = split_version(options.version)
    cached = ensure_dataset_cached(
        name,
        version,
        options.region,
        options.pin_for,
        holder=options.holder,
        reason=options.reason,
        run_id=options.run_id,
        timeout=options.timeout,
        progress=not (options.quiet or options.json),
        api=options.api,
    )
    if options.json:
        _print_json(cached.receipt)
        return
    receipt = cached.receipt
    if not options.quiet:
        size = human_size(receipt.objects, receipt.bytes)
        _say(f"{name}@{version}: {size} in {receipt.region}, verified", file=sys.stderr)
        if receipt.pin is not None:
            _say(f"held until {_until(receipt.pin.expires_at)} by pin {receipt.pin.id}", file=sys.stderr)
    # Only the path on stdout, so that a shell can say DATA=$(forebay ensure ...).
    _say(str(cached.expected_path))


def plan(options: Namespace) -> None:
    name, version = split_version(options.version)
    with _client(options) as client:
        found = client.plan(name, version, options.region)
    if options.json:
        _print_json(found)
        return
    rows = [_plan_row(each, found.currency) for each in found.regions]
    print_table(
        ["REGION", "STATE", "MISSING", "FILES", "REQUESTS", "FROM", "COST", "ETA", "ADMISSION"],
        rows,
        right=("MISSING", "FILES", "REQUESTS", "COST", "ETA"),
    )
    for each in found.regions:
        if each.problem is not None:
            _say_cause(each.region, "cannot be planned for", each.problem)
        if each.room is not None:
            _print_room(each.region, each.room)
        for source in each.sources:
            if not source.used:
                there = source.region or "the lake"
                _say(f"{each.region}: {there} has it too ({_cost(source.cost, found.currency) or 'no price stated'})")


def _plan_row(plan: RegionPlan, currency: str | None) -> list[str]:
    needs, source = plan.needs, plan.source
    if needs is None:
        return [plan.region, plan.state, "", "", "", "", "", "", ""]
    about = "more than " if needs.at_least else "" if needs.exact else "about "
    return [
        plan.region,
        plan.state,
        about + human_bytes(needs.bytes_missing),
        str(needs.objects_missing),
        str(needs.lake_requests),
        "" if source is None else source.region or source.kind,
        "" if source is None else _cost(source.cost, currency),
        "" if plan.eta_seconds is None else human_seconds(plan.eta_seconds),
        "" if plan.room is None else plan.room.admission,
    ]


def _cost(cost: float | None, currency: str | None) -> str:
    return "" if cost is None or currency is None else f"{cost:.4f} {currency}"


def _print_room(region: str, room: PlanRoom) -> None:
    if room.problem is not None:
        _say_cause(region, room.admission.replace("_", " "), room.problem)
    for victim in room.victims:
        _say(f"{region}: {victim.dataset}@{victim.version} would go, {human_bytes(victim.room_bytes)}")
    if room.not_before is not None:
        _say(f"{region}: the pins that hold others there end {_until(room.not_before)}")


def prefetch(options: Namespace) -> None:
    region = _settings.region(options.region)
    wanted = [(text, *split_version(text)) for text in options.versions]
    with _client(options) as client:
        begun = [(text, client.prefetch(name, version, region)) for text, name, version in wanted]
    if options.json:
        _print_json([answer for _, answer in begun])
        return
    for text, answer in begun:
        state = "CACHED" if answer.done else answer.progress.state if answer.progress is not None else "accepted"
        _say(f"{text} in {region}: {state}")


def status(options: Namespace) -> None:
    with _client(options) as client:
        if "@" not in options.dataset:
            versions = client.versions(options.dataset)
            if options.json:
                _print_json(versions)
            else:
                _print_versions(versions)
            return
        version = client.version(*split_version(options.dataset))
    if options.json:
        _print_json(version)
    else:
        _print_version(version)


def pins(options: Namespace) -> None:
    with _client(options) as client:
        found = client.leaked_pins(options.region) if options.leaked else client.pins(options.region)
    if options.json:
        _print_json(found)
        return
    _print_pins(found)
    for pin in found:
        if pin.leak is not None:
            _say_cause(f"pin {pin.id} in {pin.region}", "seems to be leaked", pin.leak)


def pin(options: Namespace) -> None:
    name, version = split_version(options.version)
    region = _settings.region(options.region)
    with _client(options) as client:
        taken = client.pin(
            name,
            version,
            region,
            lease=options.lease,
            holder=options.holder,
            reason=options.reason,
            id=options.id,
            job=options.job,
        )
    if options.json:
        _print_json(taken)
    else:
        _print_pins([taken])


def unpin(options: Namespace) -> None:
    name, version = split_version(options.version)
    region = _settings.region(options.region)
    if (options.pin is None) == (options.run_id is None):
        raise ConfigurationError("write either the id of a pin or --run-id")
    if options.run_id is not None:
        release_dataset(name, version, region, run_id=options.run_id, api=options.api)
        _print_json({"released": options.run_id}) if options.json else _say(f"released what run {options.run_id} held")
        return
    with _client(options) as client:
        # To let go of what is not held is no error of the API, which may be asked twice; of a person it is a typo.
        held = client.version_pins(name, version)
        if (options.pin, region) not in {(each.id, each.region) for each in held}:
            raise _no_such_pin(options.pin, options.version, region, held)
        client.unpin(name, version, region, options.pin)
    if options.json:
        _print_json({"released": options.pin})
    else:
        _say(f"released {options.pin}")


def _no_such_pin(id: str, version: str, region: str, held: tuple[Pin, ...]) -> NotFound:
    pins = ", ".join(f"{each.id} in {each.region} (held by {each.holder})" for each in held)
    there = f"its pins are {pins}" if pins else "nobody holds it in any region"
    return NotFound("NOT_FOUND", 404, f"there is no pin {id} on {version} in {region}; {there}")


def evict(options: Namespace) -> None:
    name, version = split_version(options.version)
    region = _settings.region(options.region)
    with _client(options) as client:
        left = client.evict(name, version, region, reason=options.reason)
    if options.json:
        _print_json(left)
        return
    state = left.residency(region).state
    # A very large version takes longer than one request may.
    _say(f"{options.version} is gone from {region}" if state == "ABSENT" else f"{options.version} in {region}: {state}")


def set_ttl(options: Namespace) -> None:
    with _client(options) as client:
        version = client.set_ttl(*split_version(options.version), options.ttl)
    if options.json:
        _print_json(version)
    else:
        stays = "" if version.ttl_seconds is None else human_seconds(version.ttl_seconds)
        _say(f"{options.version} stays {stays} after its last pin")


def resume(options: Namespace) -> None:
    name, wanted = split_version(options.version)
    region = _settings.region(options.region)
    with _client(options) as client:
        version = client.resume(name, wanted, region)
    if options.json:
        _print_json(version)
    else:
        _say(f"{options.version} in {region}: {version.residency(region).state}")


def abandon(options: Namespace) -> None:
    name, wanted = split_version(options.version)
    region = _settings.region(options.region)
    with _client(options) as client:
        version = client.abandon(name, wanted, region, reason=options.reason)
    if options.json:
        _print_json(version)
    else:
        _say(f"{options.version} in {region}: {version.residency(region).state}")


def cancel(options: Namespace) -> None:
    name, version = split_version(options.version)
    with _client(options) as client:
        client.cancel(name, version, options.request)
    if options.json:
        _print_json({"cancelled": options.request})
    else:
        _say(f"{options.request} is taken back, or was answered before")


def sweep(options: Namespace) -> None:
    region = _settings.region(options.region)
    with _client(options) as client:
        if options.dry_run:
            _show_sweep_plan(client.sweep_plan(region), options.json)
        elif options.schedule:
            _show_schedule(client.sweep_schedule(region), options.json)
        elif options.pause:
            _show_schedule(client.pause_sweeps(region, reason=options.reason), options.json)
        elif options.resume:
            _show_schedule(client.resume_sweeps(region, reason=options.reason), options.json)
        else:
            _show_sweep(client.sweep(region), options.json)


def _show_sweep_plan(plan: SweepPlan, as_json: bool) -> None:
    if as_json:
        _print_json(plan)
        return
    rows = [[f"{each.dataset}@{each.version}", each.reason, human_bytes(each.bytes), each.why] for each in plan.victims]
    if rows:
        print_table(["VERSION", "REASON", "FREES", "WHY"], rows, right=("FREES",))
    else:
        _say(f"nothing has to go from {plan.region}")
    for note in plan.notes:
        _say(f"not decided: {note}", file=sys.stderr)


def _show_schedule(schedule: SweepSchedule, as_json: bool) -> None:
    if as_json:
        _print_json(schedule)
        return
    if schedule.paused:
        _say(f"{schedule.region} is not swept by itself: {schedule.note}")
    else:
        _say(
            f"{schedule.region} is swept every {human_seconds(schedule.interval_seconds)}, "
            f"next at {_until(schedule.next_at)}"
        )


def _show_sweep(swept: Sweep, as_json: bool) -> None:
    if as_json:
        _print_json(swept)
        return
    if not swept.done:
        _say(f"the sweep of {swept.region} goes on: {swept.workflow_url or swept.workflow_id}")
        return
    rows = [
        [f"{each.dataset}@{each.version}", "evicted" if each.evicted else "kept", each.reason or "", each.why]
        for each in swept.outcomes
    ]
    if rows:
        print_table(["VERSION", "OUTCOME", "REASON", "WHY"], rows)
    else:
        _say(f"nothing had to go from {swept.region}")


def queue(options: Namespace) -> None:
    region = _settings.region(options.region)
    with _client(options) as client:
        found = client.queue(region)
    if options.json:
        _print_json(found)
        return
    rows = [
        [
            "" if each.position is None else str(each.position),
            f"{each.dataset}@{each.version}",
            human_bytes(each.bytes),
            each.priority,
            "" if each.since is None else each.since.astimezone().strftime("%Y-%m-%d %H:%M:%S"),
            _until(each.not_before),
            one_line(each.reason),
        ]
        for each in found
    ]
    print_table(["#", "VERSION", "NEEDS", "PRIORITY", "SINCE", "NOT BEFORE", "REASON"], rows, right=("#", "NEEDS"))


def quota(options: Namespace) -> None:
    with _client(options) as client:
        if options.bytes is None:
            found = client.quotas(options.namespace)
        elif options.bytes == "none":
            found = client.remove_quota(options.namespace, region=options.region)
        else:
            found = client.set_quota(options.namespace, bytes_of(options.bytes), region=options.region)
    if options.json:
        _print_json(found)
        return
    rows = [[options.namespace, each.region or "(all others)", human_bytes(each.bytes)] for each in found]
    print_table(["NAMESPACE", "REGION", "ROOM"], rows, right=("ROOM",))


def regions(options: Namespace) -> None:
    with _client(options) as client:
        found = client.regions()
    if options.json:
        _print_json(found)
        return
    rows = []
    for region in found:
        live = [worker for worker in region.workers if worker.live]
        used = sum(worker.used_bytes or 0 for worker in live)
        capacity = sum(worker.capacity_bytes for worker in live)
        rows.append(
            [
                region.name,
                _answers(region.reachable),
                _answers(region.etcd_reachable),
                f"{len(live)}/{len(region.workers)}",
                human_bytes(used),
                human_bytes(capacity),
                region.mount_root or "",
            ]
        )
    print_table(
        ["REGION", "REACHABLE", "ETCD", "WORKERS", "USED", "CAPACITY", "MOUNT ROOT"], rows, right=("USED", "CAPACITY")
    )
    for region in found:
        if region.problem is not None:
            _say_cause(region.name, "takes nothing on", region.problem)


def explain(options: Namespace) -> None:
    name, _, version = options.dataset.partition("@")
    region = _settings.region(options.region)
    with _client(options) as client:
        told = client.explain(name, region, version=version or "latest")
    if options.json:
        _print_json(told)
        return
    for sentence in told.sentences:
        _say(sentence)
    if told.history:
        print()
        rows = [
            [_stamp(each.at), each.kind, human_bytes(each.bytes), each.code or "", one_line(each.text)]
            for each in told.history
        ]
        print_table(["AT", "WHAT", "THERE", "CODE", "WHY, OR WHO"], rows, right=("THERE",))


def costs(options: Namespace) -> None:
    of: str | None = options.of
    dataset, version = split_version(of) if of is not None and "@" in of else (None, None)
    if of is not None and version is None and "/" in of:
        dataset = of
    with _client(options) as client:
        bill = client.costs(
            dataset,
            namespace=of if dataset is None else None,
            version=version,
            region=options.region,
            run_id=options.run_id,
            since=options.since,
            until=options.until,
            by=options.by,
        )
    if options.json:
        _print_json(bill)
        return
    _say(f"{bill.currency}, from {bill.since} until before {bill.until}")
    print()
    rows = [_cost_row(each, each.key or "(none)") for each in bill.items]
    counted = ["FROM LAKE", "REQUESTS", "FROM REGIONS", "TO NODES", "NVME GB·H", "EVICTIONS"]
    heads = [*counted, "COST", "WITHOUT CACHE", "SAVED"]
    print_table([bill.by.upper(), *heads], [*rows, _cost_row(bill.total, "total")], right=heads)
    if not bill.priced:
        _say("no prices are configured (forebay.prices): costs are 0 whatever was used", file=sys.stderr)


def _cost_row(line: Cost, name: str) -> list[str]:
    money = line.cost
    return [
        name,
        human_bytes(line.lake.bytes),
        str(line.lake.requests),
        human_bytes(line.sibling.bytes + line.on_premises.bytes),
        human_bytes(line.readers.bytes),
        f"{line.nvme_gb_hours:.2f}",
        str(line.evictions),
        f"{money.total:.2f}",
        f"{money.without_cache:.2f}",
        f"{money.saved:.2f}",
    ]


def budgets(options: Namespace) -> None:
    with _client(options) as client:
        found = client.budgets()
    if options.json:
        _print_json(found)
        return
    rows = [
        [
            each.namespace,
            each.month[:7],
            f"{each.spent:.2f}",
            f"{each.budget:.2f}",
            each.currency,
            "wait" if each.paused else "go on",
        ]
        for each in found
    ]
    print_table(["NAMESPACE", "MONTH", "SPENT", "BUDGET", "CURRENCY", "PREFETCHES"], rows, right=("SPENT", "BUDGET"))


def _answers(reachable: bool | None) -> str:
    return "" if reachable is None else "yes" if reachable else "no"


def _say_cause(region: str, what: str, cause: Blocked) -> None:
    print()
    _say(f"{region} {what}: {cause.code}: {one_line(cause.message)}")


def _client(options: Namespace) -> Client:
    return Client(options.api, retry_seconds=_RETRY_SECONDS)


def _say(line: str, file: TextIO | None = None) -> None:
    print(shown(line), file=file)


def _print_json(value: object) -> None:
    print(json.dumps(to_json(value), indent=2))


def _print_datasets(found: list[Dataset]) -> None:
    rows = [
        [each.dataset, _chosen(each), "" if each.ttl_seconds is None else human_seconds(each.ttl_seconds)]
        for each in found
    ]
    print_table(["DATASET", "SOURCE", "TTL"], rows, right=("TTL",))


def _print_tracking(found: Tracking, options: Namespace) -> None:
    if options.json:
        _print_json(found)
        return
    state = "paused" if found.paused else f"next check {_until(found.next_check_at)}"
    _say(f"{found.dataset} is checked every {human_seconds(found.interval_seconds)}; {state}")
    check = found.last_check
    if check is None:
        return
    news = f"{check.objects_changed} changed, {check.objects_added} added, {check.objects_removed} removed"
    said = "nothing had changed" if check.made is None else f"made {check.made}: {news}"
    if check.problem is not None:
        said = f"given up: {check.problem.code}: {one_line(check.problem.message)}"
    stamp = check.checked_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    _say(f"  last check {stamp}: {said}")


def _chosen(source: Dataset | Origin) -> str:
    patterns = [f"+{each}" for each in source.include] + [f"-{each}" for each in source.exclude]
    listed = [] if source.keys is None else [f"keys {source.keys}"]
    return " ".join([source.source, *patterns, *listed])


def _print_origin(origin: Origin) -> None:
    _say(f"  from {_chosen(origin)}")
    if origin.before is not None:
        news = f"{origin.objects_changed} changed, {origin.objects_added} added, {origin.objects_removed} removed"
        _say(f"  since {origin.before}: {news}, {human_bytes(origin.bytes_new)} to fetch")


def _print_versions(found: tuple[Version, ...]) -> None:
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
    _say(f"{version.dataset}@{version.version}")
    manifest = version.manifest
    if manifest is not None:
        _say(f"  {human_size(manifest.objects, manifest.bytes)}, manifest {manifest.digest}")
    if version.origin is not None:
        _print_origin(version.origin)
    if version.ttl_seconds is not None:
        _say(f"  stays {human_seconds(version.ttl_seconds)} after its last pin")
    if version.workflow_url is not None:
        _say(f"  {version.workflow_url}")
    total = manifest.bytes if manifest is not None else None
    rows = []
    for region in version.regions:
        share = "" if not total else f"{region.bytes_cached / total:.0%}"
        rows.append(
            [
                region.region,
                region.state,
                human_bytes(region.bytes_cached),
                share,
                human_bytes(region.bytes_from_lake),
                _until(region.evictable_at),
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
            _say_cause(region.region, "is blocked", region.blocked)
        if region.waiting is not None:
            _say_cause(region.region, "waits", region.waiting)
    if version.pins:
        print()
        _print_pins(version.pins)


def _print_pins(found: tuple[Pin, ...] | list[Pin]) -> None:
    rows = [
        [
            pin.id,
            pin.region,
            f"{pin.dataset}@{pin.version}",
            pin.holder,
            _until(pin.expires_at),
            pin.reason or "",
        ]
        for pin in found
    ]
    print_table(["PIN", "REGION", "VERSION", "HOLDER", "EXPIRES", "REASON"], rows)


def _stamp(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _until(moment: datetime | None) -> str:
    if moment is None:
        return ""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    left = (moment - datetime.now(timezone.utc)).total_seconds()
    stamp = _stamp(moment)
    return f"{stamp} (in {human_seconds(left)})" if left > 0 else f"{stamp} (now)"
