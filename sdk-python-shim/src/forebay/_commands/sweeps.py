"""Sweeps, which evict versions that are due."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay import _region
from forebay._commands._output import connect, print_json, say, until
from forebay._commands._parsers import Commands, add_region
from forebay._models import Sweep, SweepPlan, SweepSchedule
from forebay._tables import print_table
from forebay._values import human_bytes, human_seconds


def add(commands: Commands) -> None:
    command = commands.add("sweep", sweep, "evict the versions of a region that are due", changes=True)
    add_region(command)
    instead = command.add_mutually_exclusive_group()
    instead.add_argument("--dry-run", action="store_true", help="show what a sweep would evict, and why")
    instead.add_argument("--schedule", action="store_true", help="show when the next automatic sweep runs")
    instead.add_argument("--pause", action="store_true", help="pause the automatic sweeps")
    instead.add_argument("--resume", action="store_true", help="resume the automatic sweeps")
    command.add_argument("--reason", metavar="WHY", help="why the sweeps are paused or resumed, for people")


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


def _show_sweep_plan(plan: SweepPlan, as_json: bool) -> None:
    if as_json:
        print_json(plan)
        return
    rows = [[f"{each.dataset}@{each.version}", each.reason, human_bytes(each.bytes), each.why] for each in plan.victims]
    if rows:
        print_table(["VERSION", "REASON", "FREES", "WHY"], rows, right=("FREES",))
    else:
        say(f"a sweep would evict nothing from {plan.region}")
    for note in plan.notes:
        say(f"note: {note}", file=sys.stderr)


def _show_schedule(schedule: SweepSchedule, as_json: bool) -> None:
    if as_json:
        print_json(schedule)
        return
    if schedule.paused:
        say(f"{schedule.region} has no automatic sweeps: {schedule.note}")
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
        say(f"the sweep of {swept.region} still runs: {swept.workflow_url or swept.workflow_id}")
        return
    rows = [
        [f"{each.dataset}@{each.version}", "evicted" if each.evicted else "kept", each.reason, each.why]
        for each in swept.outcomes
    ]
    if rows:
        print_table(["VERSION", "OUTCOME", "REASON", "WHY"], rows)
    else:
        say(f"the sweep evicted nothing from {swept.region}")
