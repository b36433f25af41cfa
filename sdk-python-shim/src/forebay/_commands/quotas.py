"""Quotas of namespaces."""

from __future__ import annotations

from argparse import Namespace

from forebay._commands._output import connect, print_json
from forebay._commands._parsers import Commands, add_region
from forebay._errors import NotFound
from forebay._models import Quota
from forebay._tables import print_table
from forebay._values import bytes_of, human_bytes


def add(commands: Commands) -> None:
    command = commands.add("quota", quota, "show or set how much space a namespace may use", changes=True)
    command.add_argument("namespace", metavar="NAMESPACE", help="the namespace")
    command.add_argument(
        "bytes",
        metavar="BYTES",
        nargs="?",
        help="new quota: bytes, or 64K, 10G, 1.5T; 'none' removes it (default: show the quotas)",
    )
    add_region(command, "only in this region (default: in all regions without a quota of their own)")


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
    print_table(["NAMESPACE", "REGION", "QUOTA"], rows, right=("QUOTA",))


def _require_quota(quotas: tuple[Quota, ...], options: Namespace) -> None:
    # The API accepts the removal of an absent quota, because requests may be repeated. A user has made a mistake.
    if options.region not in {each.region for each in quotas}:
        of = "" if options.region is None else f" in {options.region}"
        there = ", ".join(each.region or "all others" for each in quotas)
        it_has = f"it has one in {there}" if there else "it has none"
        raise NotFound("NOT_FOUND", 404, f"namespace {options.namespace} has no quota of its own{of}; {it_has}")
