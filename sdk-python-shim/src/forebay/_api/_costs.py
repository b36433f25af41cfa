"""Costs and budgets of versions."""

from __future__ import annotations

from dataclasses import replace

from forebay._api._method import Methods, method
from forebay._calls import Call, items_reader, present, reader
from forebay._exchange import Operation
from forebay._models import Budget, Cost, Costs


class CostMethods(Methods):
    @method
    def costs(
        self,
        dataset: str | None = None,
        *,
        namespace: str | None = None,
        version: str | None = None,
        region: str | None = None,
        run_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        by: str = "dataset",
    ) -> Operation[Costs]:
        """Returns what versions cost, and what they would have cost without the cache.

        Args:
            dataset: only this one, ``namespace/name``; with ``version`` only that version of it.
            since: the first day, in UTC: ``2026-11-01``. Default: the first of the month of the last day.
            until: the day after the last. Default: tomorrow.
            by: the unit of each line: namespace, dataset, version, region, run or day.
        """
        query = present(
            by=by,
            namespace=namespace,
            dataset=dataset,
            version=version,
            region=region,
            run_id=run_id,
            since=since,
            until=until,
        )
        items: tuple[Cost, ...] = ()
        after: str | None = None
        while True:
            params = query | present(after=after)
            page = yield from self._exchanges.one(Call("GET", "/costs", reader(Costs), params=params))
            items += page.items
            after = page.next
            if after is None:
                return replace(page, items=items)

    @method
    def budgets(self) -> Call[tuple[Budget, ...]]:
        """Returns the budgets of namespaces for this month, and their costs so far."""
        return Call("GET", "/budgets", items_reader(Budget))
