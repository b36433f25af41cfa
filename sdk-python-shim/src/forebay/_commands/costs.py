"""Costs of versions."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay._commands._output import connect, print_json, say
from forebay._commands._parsers import Commands, add_region
from forebay._models import Cost
from forebay._tables import print_table
from forebay._values import human_bytes, split_version

_BILLED_BY = ("namespace", "dataset", "version", "region", "run", "day")


def add(commands: Commands) -> None:
    bill = commands.add("costs", costs, "show what versions cost, and would have cost without the cache")
    bill.add_argument(
        "of", metavar="NS[/NAME[@VERSION]]", nargs="?", help="namespace, dataset or version (default: all)"
    )
    bill.add_argument("--by", choices=_BILLED_BY, default="dataset", help="unit of each line (default: dataset)")
    add_region(bill, "only this region")
    bill.add_argument("--run-id", metavar="ID", help="only fills for this run")
    bill.add_argument(
        "--since", metavar="DAY", help="first day, in UTC, for example 2026-11-01 (default: the first of the month)"
    )
    bill.add_argument("--until", metavar="DAY", help="the day after the last one, in UTC (default: tomorrow)")

    commands.add("budgets", budgets, "list the budgets of namespaces for this month, and their costs so far")


def costs(options: Namespace) -> None:
    of: str | None = options.of
    dataset, version = split_version(of) if of is not None and "@" in of else (None, None)
    if of is not None and version is None and "/" in of:
        dataset = of
    with connect(options) as client:
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
        print_json(bill)
        return
    say(f"costs in {bill.currency} from {bill.since} to the day before {bill.until}")
    print()
    rows = [_cost_row(each, each.key or "(none)") for each in bill.items]
    counted = ["FROM LAKE", "REQUESTS", "FROM REGIONS", "TO NODES", "NVME GB·H", "EVICTIONS"]
    heads = [*counted, "COST", "WITHOUT CACHE", "SAVED"]
    print_table([bill.by.upper(), *heads], [*rows, _cost_row(bill.total, "total")], right=heads)
    if not bill.priced:
        say("all costs are 0, because no prices are configured: set forebay.prices", file=sys.stderr)


def budgets(options: Namespace) -> None:
    with connect(options) as client:
        found = client.budgets()
    if options.json:
        print_json(found)
        return
    rows = [
        [
            each.namespace,
            each.month[:7],
            f"{each.spent:.2f}",
            f"{each.budget:.2f}",
            each.currency,
            "wait" if each.paused else "run",
        ]
        for each in found
    ]
    print_table(["NAMESPACE", "MONTH", "SPENT", "BUDGET", "CURRENCY", "PREFETCHES"], rows, right=("SPENT", "BUDGET"))


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
