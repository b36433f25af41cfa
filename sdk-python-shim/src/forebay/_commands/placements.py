"""Regions where a version is warm, or would be soonest."""

from __future__ import annotations

from argparse import Namespace

from forebay._commands._output import connect, print_json, say, say_if_unknown
from forebay._models import Placement
from forebay._tables import print_table
from forebay._values import human_bytes, human_estimate


def where(options: Namespace) -> None:
    name, _, version = options.dataset.partition("@")
    with connect(options) as client:
        found = client.placements(name, version or "latest", gpus=options.gpus)
        if version and not options.json:
            say_if_unknown(client, name, version)
    if options.json:
        print_json(found)
        return
    print_table(
        ["#", "REGION", "VERDICT", "THERE", "WARM IN", "COST", "FREE"],
        [_row(each, found.currency) for each in found.items],
        right=("#", "THERE", "WARM IN", "COST", "FREE"),
    )
    print()
    for each in found.items:
        say(f"{each.region}: {'; '.join(each.reasons)}")


def _row(place: Placement, currency: str | None) -> list[str]:
    return [
        str(place.rank),
        place.region,
        place.verdict.replace("_", " "),
        "" if place.coverage is None else f"{int(place.coverage * 100)} %",
        human_estimate(place.eta_seconds, place.eta_least_seconds, place.eta_most_seconds),
        "" if place.cost is None or currency is None else f"{place.cost:.4f} {currency}",
        "" if place.free_bytes is None else human_bytes(place.free_bytes),
    ]
