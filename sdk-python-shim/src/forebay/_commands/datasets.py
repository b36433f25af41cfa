"""Datasets."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from forebay._commands._output import chosen, connect, print_json, say, say_if_deleted, stamped
from forebay._commands._parsers import Commands, add_dataset
from forebay._commands.versions import print_versions
from forebay._errors import NotFound
from forebay._models import Dataset, to_json
from forebay._tables import print_table
from forebay._text import one_line
from forebay._values import human_seconds


def add(commands: Commands) -> None:
    datasets = commands.group("datasets", "list, show, register and delete datasets", list_datasets)

    listing = datasets.add("list", list_datasets, "list datasets (the default action)")
    listing.add_argument("namespace", nargs="?", metavar="NAMESPACE", help="list only this namespace")

    add_dataset(datasets.add("show", show_dataset, "show a dataset and its versions"))

    register = datasets.add("register", register_dataset, "register the objects of a dataset in the lake", changes=True)
    add_dataset(register)
    register.add_argument("source", metavar="S3_URI", help="where its objects are: s3://bucket/prefix/")
    register.add_argument("--ttl", metavar="DURATION", help="how long a version stays in a region after its last pin")
    register.add_argument(
        "--include",
        metavar="PATTERN",
        action="append",
        default=[],
        help="use only keys that match, for example 'train/**'; may be repeated",
    )
    register.add_argument(
        "--exclude",
        metavar="PATTERN",
        action="append",
        default=[],
        help="leave out keys that match, for example '**/*.tmp'; may be repeated",
    )
    register.add_argument("--keys", metavar="S3_URI", help="an object that lists the keys, one per line")
    _add_ttl_after(register, "pin")

    ttl = datasets.add("ttl", set_dataset_ttl, "change how long its versions stay in regions", changes=True)
    add_dataset(ttl)
    ttl.add_argument("--ttl", metavar="DURATION", help="for versions that are created later (default: unchanged)")
    _add_ttl_after(ttl, "unchanged")

    add_dataset(
        datasets.add(
            "delete",
            delete_dataset,
            "delete a dataset: regions evict its versions, and its objects stay in the lake",
            changes=True,
        )
    )


def _add_ttl_after(parser: ArgumentParser, default: str) -> None:
    about = f"what the time to live counts from: the last pin, or the last pin or read (default: {default})"
    parser.add_argument("--ttl-after", choices=("pin", "read"), help=about)


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
            raise NotFound("NOT_FOUND", 404, f"{options.dataset} was deleted already, at {stamped(deleted_at)}")
        client.delete_dataset(options.dataset)
    if options.json:
        print_json({"deleted": options.dataset})
    else:
        say(f"{options.dataset} is deleted. Each region evicts its versions when no pin holds them.")


def _print_datasets(found: list[Dataset]) -> None:
    rows = [
        [each.dataset, chosen(each), "" if each.ttl_seconds is None else human_seconds(each.ttl_seconds)]
        for each in found
    ]
    print_table(["DATASET", "SOURCE", "TTL"], rows, right=("TTL",))
