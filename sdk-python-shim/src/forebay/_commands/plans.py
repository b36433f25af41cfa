"""Plans for a version in regions, and the ranking of regions."""

from __future__ import annotations

from argparse import Namespace

from forebay._commands._output import connect, print_json, say, say_cause, say_if_unknown, until
from forebay._commands._parsers import Commands, add_version_or_latest
from forebay._models import Placement, PlanSpace, RegionPlan
from forebay._parser import count
from forebay._tables import print_table
from forebay._values import human_bytes, human_estimate, version_or_latest


def add(commands: Commands) -> None:
    command = commands.add(
        "plan", plan, "estimate the time, cost and evictions for a version in regions; starts nothing"
    )
    add_version_or_latest(command)
    command.add_argument(
        "--region", metavar="REGION", action="append", default=[], help="region; may be repeated (default: all)"
    )

    ranking = commands.add(
        "where", where, "rank the regions for a job: where a version is, or would be soonest, and why"
    )
    add_version_or_latest(ranking)
    ranking.add_argument("--gpus", metavar="N", type=count, help="number of GPUs that the job needs")


def plan(options: Namespace) -> None:
    name, version = version_or_latest(options.version)
    with connect(options) as client:
        found = client.plan(name, version, options.region)
        if found.manifest is None and not options.json:
            say_if_unknown(client, name, version)
    if options.json:
        print_json(found)
        return
    rows = [_plan_row(each, found.currency) for each in found.regions]
    print_table(
        ["REGION", "STATE", "MISSING", "FILES", "REQUESTS", "FROM", "COST", "ETA", "ADMISSION"],
        rows,
        right=("MISSING", "FILES", "REQUESTS", "COST", "ETA"),
    )
    for each in found.regions:
        if each.problem is not None:
            say_cause(each.region, "cannot be planned for", each.problem)
        if each.space is not None:
            _print_space(each.region, each.space)
        for source in each.sources:
            if not source.used:
                there = source.region or "the lake"
                say(f"{each.region}: {there} has it, too ({_cost(source.cost, found.currency) or 'no price stated'})")


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
        human_estimate(plan.eta_seconds, plan.eta_least_seconds, plan.eta_most_seconds),
        "" if plan.space is None else plan.space.admission,
    ]


def _cost(cost: float | None, currency: str | None) -> str:
    return "" if cost is None or currency is None else f"{cost:.4f} {currency}"


def _print_space(region: str, space: PlanSpace) -> None:
    if space.problem is not None:
        say_cause(region, space.admission.replace("_", " "), space.problem)
    for victim in space.victims:
        say(f"{region}: {victim.dataset}@{victim.version} would be evicted, {human_bytes(victim.space_bytes)}")
    if space.not_before is not None:
        say(f"{region}: the pins on the other versions end {until(space.not_before)}")


def where(options: Namespace) -> None:
    name, version = version_or_latest(options.version)
    with connect(options) as client:
        found = client.placements(name, version, gpus=options.gpus)
        if version != "latest" and not options.json:
            say_if_unknown(client, name, version)
    if options.json:
        print_json(found)
        return
    print_table(
        ["#", "REGION", "VERDICT", "CACHED", "READY IN", "COST", "FREE"],
        [_place_row(each, found.currency) for each in found.items],
        right=("#", "CACHED", "READY IN", "COST", "FREE"),
    )
    print()
    for each in found.items:
        say(f"{each.region}: {'; '.join(each.reasons)}")


def _place_row(place: Placement, currency: str | None) -> list[str]:
    return [
        str(place.rank),
        place.region,
        place.verdict.replace("_", " "),
        "" if place.coverage is None else f"{int(place.coverage * 100)} %",
        human_estimate(place.eta_seconds, place.eta_least_seconds, place.eta_most_seconds),
        "" if place.cost is None or currency is None else f"{place.cost:.4f} {currency}",
        "" if place.free_bytes is None else human_bytes(place.free_bytes),
    ]
