"""Regions, their space and its use."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay import _region
from forebay._commands._output import connect, print_json, say, say_cause, until
from forebay._errors import NotFound
from forebay._models import Quota, Sweep, SweepPlan, SweepSchedule
from forebay._tables import print_table
from forebay._text import one_line
from forebay._values import bytes_of, human_bytes, human_seconds


def regions(options: Namespace) -> None:
    with connect(options) as client:
        found = client.regions()
    if options.json:
        print_json(found)
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
            say_cause(region.name, "takes nothing on", region.problem)


def sweep(options: Namespace) -> None:
    region = _region.named(options.region, options.api)
    with connect(options) as client:
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


def queue(options: Namespace) -> None:
    region = _region.named(options.region, options.api)
    with connect(options) as client:
        found = client.queue(region)
    if options.json:
        print_json(found)
        return
    rows = [
        [
            "" if each.position is None else str(each.position),
            f"{each.dataset}@{each.version}",
            human_bytes(each.bytes),
            each.priority,
            "" if each.since is None else each.since.astimezone().strftime("%Y-%m-%d %H:%M:%S"),
            until(each.not_before),
            one_line(each.reason),
        ]
        for each in found
    ]
    print_table(["#", "VERSION", "NEEDS", "PRIORITY", "SINCE", "NOT BEFORE", "REASON"], rows, right=("#", "NEEDS"))


def quota(options: Namespace) -> None:
    with connect(options) as client:
        if options.bytes is None:
            found = client.quotas(options.namespace)
        elif options.bytes == "none":
            _require_quota(client.quotas(options.namespace), options)
            found = client.remove_quota(options.namespace, region=options.region)
        else:
            found = client.set_quota(options.namespace, bytes_of(options.bytes), region=options.region)
    if options.json:
        print_json(found)
        return
    rows = [[options.namespace, each.region or "(all others)", human_bytes(each.bytes)] for each in found]
    print_table(["NAMESPACE", "REGION", "ROOM"], rows, right=("ROOM",))


def _require_quota(quotas: tuple[Quota, ...], options: Namespace) -> None:
    # The API accepts the removal of an absent quota, because requests may be repeated. A user has made a mistake.
    if options.region not in {each.region for each in quotas}:
        of = "" if options.region is None else f" in {options.region}"
        there = ", ".join(each.region or "all others" for each in quotas)
        it_has = f"it has one in {there}" if there else "it has none"
        raise NotFound("NOT_FOUND", 404, f"namespace {options.namespace} has no quota of its own{of}; {it_has}")


def _show_sweep_plan(plan: SweepPlan, as_json: bool) -> None:
    if as_json:
        print_json(plan)
        return
    rows = [[f"{each.dataset}@{each.version}", each.reason, human_bytes(each.bytes), each.why] for each in plan.victims]
    if rows:
        print_table(["VERSION", "REASON", "FREES", "WHY"], rows, right=("FREES",))
    else:
        say(f"nothing has to go from {plan.region}")
    for note in plan.notes:
        say(f"not decided: {note}", file=sys.stderr)


def _show_schedule(schedule: SweepSchedule, as_json: bool) -> None:
    if as_json:
        print_json(schedule)
        return
    if schedule.paused:
        say(f"{schedule.region} is not swept by itself: {schedule.note}")
    else:
        say(
            f"{schedule.region} is swept every {human_seconds(schedule.interval_seconds)}, "
            f"next at {until(schedule.next_at)}"
        )


def _show_sweep(swept: Sweep, as_json: bool) -> None:
    if as_json:
        print_json(swept)
        return
    if not swept.done:
        say(f"the sweep of {swept.region} goes on: {swept.workflow_url or swept.workflow_id}")
        return
    rows = [
        [f"{each.dataset}@{each.version}", "evicted" if each.evicted else "kept", each.reason, each.why]
        for each in swept.outcomes
    ]
    if rows:
        print_table(["VERSION", "OUTCOME", "REASON", "WHY"], rows)
    else:
        say(f"nothing had to go from {swept.region}")


def _answers(reachable: bool | None) -> str:
    return "" if reachable is None else "yes" if reachable else "no"
