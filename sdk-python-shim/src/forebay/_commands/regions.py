"""Regions and their queues."""

from __future__ import annotations

from argparse import Namespace

from forebay import _region
from forebay._commands._output import connect, print_json, say_cause, stamped, until
from forebay._commands._parsers import Commands, add_region
from forebay._tables import print_table
from forebay._text import one_line
from forebay._values import human_bytes


def add(commands: Commands) -> None:
    commands.add("regions", regions, "list regions and their workers")
    add_region(commands.add("queue", queue, "list the versions that wait for space in a region, with the reasons"))


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
            say_cause(region.name, "accepts no fills", region.problem)


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
            "" if each.since is None else stamped(each.since),
            until(each.not_before),
            one_line(each.reason),
        ]
        for each in found
    ]
    print_table(["#", "VERSION", "NEEDS", "PRIORITY", "SINCE", "NOT BEFORE", "REASON"], rows, right=("#", "NEEDS"))


def _answers(reachable: bool | None) -> str:
    return "" if reachable is None else "yes" if reachable else "no"
