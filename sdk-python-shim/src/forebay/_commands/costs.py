"""Costs of versions."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay._commands._output import connect, print_json, say
from forebay._models import Cost
from forebay._tables import print_table
from forebay._values import human_bytes, split_version


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
    say(f"{bill.currency}, from {bill.since} until before {bill.until}")
    print()
    rows = [_cost_row(each, each.key or "(none)") for each in bill.items]
    counted = ["FROM LAKE", "REQUESTS", "FROM REGIONS", "TO NODES", "NVME GB·H", "EVICTIONS"]
    heads = [*counted, "COST", "WITHOUT CACHE", "SAVED"]
    print_table([bill.by.upper(), *heads], [*rows, _cost_row(bill.total, "total")], right=heads)
    if not bill.priced:
        say("no prices are configured (forebay.prices): costs are 0 whatever was used", file=sys.stderr)


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
            "wait" if each.paused else "go on",
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
