"""Datasets, and how they follow their sources."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay._commands._output import chosen, connect, print_json, say, say_if_deleted, stamped, until
from forebay._commands.versions import print_versions
from forebay._errors import NotFound
from forebay._models import Dataset, Tracking, to_json
from forebay._tables import print_table
from forebay._text import one_line
from forebay._values import human_seconds


def list_datasets(options: Namespace) -> None:
    with connect(options) as client:
        found = list(client.datasets(getattr(options, "namespace", None)))
    if options.json:
        print_json(found)
    else:
        _print_datasets(found)


def show_dataset(options: Namespace) -> None:
    with connect(options) as client:
        dataset = client.dataset(options.dataset)
        versions = client.versions(options.dataset)
    if options.json:
        print_json({**to_json(dataset), "versions": to_json(versions)})
        return
    _print_datasets([dataset])
    say_if_deleted(dataset)
    if versions:
        print()
        print_versions(versions)


def register_dataset(options: Namespace) -> None:
    with connect(options) as client:
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
        print_json(dataset)
    else:
        _print_datasets([dataset])
        if dataset.note is not None:
            say(f"note: {one_line(dataset.note)}", file=sys.stderr)


def set_dataset_ttl(options: Namespace) -> None:
    with connect(options) as client:
        dataset = client.set_dataset_ttl(options.dataset, ttl=options.ttl, ttl_after=options.ttl_after)
    if options.json:
        print_json(dataset)
    else:
        _print_datasets([dataset])


def delete_dataset(options: Namespace) -> None:
    with connect(options) as client:
        # The API accepts a second deletion, because requests may be repeated. A user should learn about it.
        deleted_at = client.dataset(options.dataset).deleted_at
        if deleted_at is not None:
            raise NotFound("NOT_FOUND", 404, f"{options.dataset} was deleted before, at {stamped(deleted_at)}")
        client.delete_dataset(options.dataset)
    if options.json:
        print_json({"deleted": options.dataset})
    else:
        say(f"{options.dataset} is deleted; its versions go from each region once nobody holds them")


def tracking(options: Namespace) -> None:
    with connect(options) as client:
        _print_tracking(client.tracking(options.dataset), options)


def follow(options: Namespace) -> None:
    with connect(options) as client:
        _print_tracking(client.follow(options.dataset, every=options.every, paused=False), options)


def pause_tracking(options: Namespace) -> None:
    with connect(options) as client:
        # Without this check, pausing would make the dataset follow its source.
        client.tracking(options.dataset)
        _print_tracking(client.follow(options.dataset, paused=True), options)


def check_drift(options: Namespace) -> None:
    with connect(options) as client:
        _print_tracking(client.check_drift(options.dataset), options)


def unfollow(options: Namespace) -> None:
    with connect(options) as client:
        client.tracking(options.dataset)  # raises NotFound if the dataset does not follow its source
        client.unfollow(options.dataset)
    if options.json:
        print_json({"unfollowed": options.dataset})
    else:
        say(f"{options.dataset} follows its source no more")


def _print_datasets(found: list[Dataset]) -> None:
    rows = [
        [each.dataset, chosen(each), "" if each.ttl_seconds is None else human_seconds(each.ttl_seconds)]
        for each in found
    ]
    print_table(["DATASET", "SOURCE", "TTL"], rows, right=("TTL",))


def _print_tracking(found: Tracking, options: Namespace) -> None:
    if options.json:
        print_json(found)
        return
    state = "paused" if found.paused else f"next check {until(found.next_check_at)}"
    say(f"{found.dataset} is checked every {human_seconds(found.interval_seconds)}; {state}")
    check = found.last_check
    if check is None:
        return
    news = f"{check.objects_changed} changed, {check.objects_added} added, {check.objects_removed} removed"
    said = "nothing had changed" if check.made is None else f"made {check.made}: {news}"
    if check.problem is not None:
        said = f"given up: {check.problem.code}: {one_line(check.problem.message)}"
    say(f"  last check {stamped(check.checked_at)}: {said}")
