"""Checks of the sources that datasets follow."""

from __future__ import annotations

from argparse import Namespace

from forebay._commands._output import connect, print_json, say, stamped, until
from forebay._commands._parsers import Commands, add_dataset
from forebay._models import Tracking
from forebay._text import one_line
from forebay._values import human_seconds


def add(commands: Commands) -> None:
    tracking = commands.group("tracking", "make a dataset follow its source, and show the checks of the source")
    add_dataset(tracking.add("show", show, "show the interval of the checks, and the last check"))
    turn_on = tracking.add("on", on, "check the source regularly, and create a version of each change", changes=True)
    add_dataset(turn_on)
    turn_on.add_argument("--every", metavar="DURATION", help="time between checks (default: unchanged, at first 1h)")
    add_dataset(tracking.add("pause", pause, "pause the checks until 'tracking on'", changes=True))
    add_dataset(tracking.add("check", check, "start a check now", changes=True))
    add_dataset(tracking.add("off", off, "stop following the source; the versions stay", changes=True))


def show(options: Namespace) -> None:
    with connect(options) as client:
        _print_tracking(client.tracking(options.dataset), options)


def on(options: Namespace) -> None:
    with connect(options) as client:
        _print_tracking(client.follow(options.dataset, every=options.every, paused=False), options)


def pause(options: Namespace) -> None:
    with connect(options) as client:
        # Without this check, pausing would make the dataset follow its source.
        client.tracking(options.dataset)
        _print_tracking(client.follow(options.dataset, paused=True), options)


def check(options: Namespace) -> None:
    with connect(options) as client:
        _print_tracking(client.check_drift(options.dataset), options)


def off(options: Namespace) -> None:
    with connect(options) as client:
        client.tracking(options.dataset)  # raises NotFound if the dataset does not follow its source
        client.unfollow(options.dataset)
    if options.json:
        print_json({"unfollowed": options.dataset})
    else:
        say(f"{options.dataset} no longer follows its source; its versions stay")


def _print_tracking(found: Tracking, options: Namespace) -> None:
    if options.json:
        print_json(found)
        return
    state = "paused" if found.paused else f"next check {until(found.next_check_at)}"
    say(f"the source of {found.dataset} is checked every {human_seconds(found.interval_seconds)}; {state}")
    check = found.last_check
    if check is None:
        return
    news = f"{check.objects_changed} changed, {check.objects_added} added, {check.objects_removed} removed"
    said = "no change" if check.made is None else f"created {check.made}: {news}"
    if check.problem is not None:
        said = f"failed: {check.problem.code}: {one_line(check.problem.message)}"
    say(f"  last check {stamped(check.checked_at)}: {said}")
