"""The client for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, TypeVar

import httpx

from forebay import _calls, _costs, _ensure, _freeze, _proxies, _settings
from forebay._calls import Call, Paged, Request
from forebay._client import Client
from forebay._costs import CostQuery
from forebay._exchange import Exchanges, Operation, Pause, ending, is_interrupted
from forebay._models import (
    Alias,
    BlockedVersion,
    Budget,
    Costs,
    Dataset,
    Difference,
    EnsureStatus,
    Explanation,
    Findings,
    Pin,
    PinSpec,
    Placements,
    Plan,
    Progress,
    Queued,
    Quota,
    Receipt,
    Region,
    Restored,
    Sweep,
    SweepPlan,
    SweepSchedule,
    Terms,
    Tracking,
    Version,
    VersionObject,
)
from forebay._values import Duration

T = TypeVar("T")


class AsyncClient:
    """The same as ``Client``, for asyncio."""

    def __init__(
        self,
        api: str | None = None,
        *,
        token_file: str | os.PathLike[str] | None = None,
        retry_seconds: float = 30.0,
    ) -> None:
        base = _settings.api_address(api)
        self._exchanges = Exchanges(base, retry_seconds, _proxies.route_to(base))
        self._http = httpx.AsyncClient(**_settings.http_options(base, token_file))

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    @property
    def api(self) -> str:
        return str(self._exchanges.base)

    async def register_dataset(
        self,
        dataset: str,
        source: str,
        *,
        ttl: Duration | None = None,
        ttl_after: str | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        keys: str | None = None,
    ) -> Dataset:
        return await self._send(_calls.register_dataset(dataset, source, ttl, ttl_after, include, exclude, keys))

    async def set_dataset_ttl(
        self, dataset: str, *, ttl: Duration | None = None, ttl_after: str | None = None
    ) -> Dataset:
        return await self._send(_calls.set_dataset_ttl(dataset, ttl, ttl_after))

    async def delete_dataset(self, dataset: str) -> None:
        await self._send(_calls.delete_dataset(dataset))

    async def datasets(self, namespace: str | None = None) -> AsyncIterator[Dataset]:
        after: str | None = None
        while True:
            items, after = await self._send(_calls.datasets(namespace, after))
            for item in items:
                yield item
            if after is None:
                return

    async def dataset(self, dataset: str) -> Dataset:
        return await self._send(_calls.dataset(dataset))

    async def follow(self, dataset: str, *, every: Duration | None = None, paused: bool | None = None) -> Tracking:
        return await self._send(_calls.follow(dataset, every, paused))

    async def tracking(self, dataset: str) -> Tracking:
        return await self._send(_calls.tracking(dataset))

    async def check_drift(self, dataset: str) -> Tracking:
        return await self._send(_calls.check_drift(dataset))

    async def unfollow(self, dataset: str) -> None:
        await self._send(_calls.unfollow(dataset))

    async def versions(self, dataset: str) -> tuple[Version, ...]:
        return await self._all(lambda after: _calls.versions(dataset, after))

    async def version(self, dataset: str, version: str) -> Version:
        return await self._send(_calls.version(dataset, version))

    async def aliases(self, dataset: str) -> tuple[Alias, ...]:
        return await self._send(_calls.aliases(dataset))

    async def set_alias(self, dataset: str, alias: str, version: str) -> Alias:
        return await self._send(_calls.set_alias(dataset, alias, version))

    async def remove_alias(self, dataset: str, alias: str) -> None:
        await self._send(_calls.remove_alias(dataset, alias))

    async def objects(
        self, dataset: str, version: str, *, folder: str | None = None, after: str | None = None
    ) -> AsyncIterator[VersionObject]:
        after_path = after
        while True:
            items, after_path = await self._send(_calls.objects(dataset, version, folder, after_path))
            for item in items:
                yield item
            if after_path is None:
                return

    async def diff(
        self, dataset: str, before: str, version: str, *, after: str | None = None
    ) -> AsyncIterator[Difference]:
        after_path = after
        while True:
            items, after_path = await self._send(_calls.diff(dataset, before, version, after_path))
            for item in items:
                yield item
            if after_path is None:
                return

    async def freeze(
        self, dataset: str, version: str, *, on_answer: Callable[[Version], None] | None = None
    ) -> Version:
        return await self._run(_freeze.freeze(self._exchanges, dataset, version, on_answer))

    async def ensure(
        self,
        dataset: str,
        version: str,
        region: str,
        *,
        pin: PinSpec | None = None,
        timeout: Duration | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        idempotency_key: str | None = None,
        run_id: str | None = None,
        terms: Terms | None = None,
        detach: bool = False,
        create: bool = False,
    ) -> Receipt:
        receipts = await self._run(
            _ensure.ensure(
                self._exchanges,
                dataset,
                version,
                region,
                pin=pin,
                timeout=timeout,
                on_progress=on_progress,
                idempotency_key=idempotency_key,
                run_id=run_id,
                terms=terms,
                detach=detach,
                create=create,
            )
        )
        return receipts[0]

    async def start_ensure(
        self,
        dataset: str,
        version: str,
        region: str,
        *,
        pin: PinSpec | None = None,
        idempotency_key: str | None = None,
        wait_seconds: int = 0,
        run_id: str | None = None,
        terms: Terms | None = None,
        create: bool = False,
    ) -> EnsureStatus:
        return await self._send(
            _calls.ensure(dataset, version, region, pin, wait_seconds, idempotency_key, run_id, terms, create)
        )

    async def ensure_status(
        self, dataset: str, version: str, region: str, request_id: str, *, wait_seconds: int = 0
    ) -> EnsureStatus:
        return await self._send(_calls.ensure_status(dataset, version, region, request_id, wait_seconds))

    async def prefetch(self, dataset: str, version: str, region: str, *, create: bool = False) -> EnsureStatus:
        return await self._run(_ensure.prefetch(self._exchanges, dataset, version, region, create))

    async def plan(self, dataset: str, version: str, regions: Sequence[str] = ()) -> Plan:
        return await self._send(_calls.plan(dataset, version, regions))

    async def placements(self, dataset: str, version: str = "latest", *, gpus: int | None = None) -> Placements:
        return await self._send(_calls.placements(dataset, version, gpus))

    async def pin(
        self,
        dataset: str,
        version: str,
        region: str,
        *,
        lease: Duration,
        holder: str | None = None,
        reason: str | None = None,
        id: str | None = None,
        job: str | None = None,
    ) -> Pin:
        return await self._send(_calls.pin(dataset, version, region, lease, holder, reason, id, job))

    async def pins(self, region: str | None = None) -> tuple[Pin, ...]:
        return await self._all(lambda after: _calls.pins(region, after))

    async def leaked_pins(self, region: str | None = None) -> tuple[Pin, ...]:
        return await self._send(_calls.leaked_pins(region))

    async def version_pins(self, dataset: str, version: str) -> tuple[Pin, ...]:
        return await self._send(_calls.version_pins(dataset, version))

    async def renew(
        self, dataset: str, version: str, region: str, pin_id: str, *, retry_seconds: float | None = None
    ) -> Pin:
        return await self._send(_calls.renew(dataset, version, region, pin_id), retry_seconds)

    async def unpin(
        self,
        dataset: str,
        version: str,
        region: str,
        pin_id: str,
        *,
        taken_at: datetime | None = None,
        retry_seconds: float | None = None,
    ) -> None:
        await self._send(_calls.unpin(dataset, version, region, pin_id, taken_at), retry_seconds)

    async def evict(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Version:
        return await self._send(_calls.evict(dataset, version, region, reason))

    async def set_ttl(self, dataset: str, version: str, ttl: Duration) -> Version:
        return await self._send(_calls.set_ttl(dataset, version, ttl))

    async def resume(self, dataset: str, version: str, region: str) -> Version:
        return await self._send(_calls.resume(dataset, version, region))

    async def abandon(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Version:
        return await self._send(_calls.abandon(dataset, version, region, reason))

    async def cancel(self, dataset: str, version: str, request_id: str) -> None:
        await self._send(_calls.cancel(dataset, version, request_id))

    async def quotas(self, namespace: str) -> tuple[Quota, ...]:
        return await self._send(_calls.quotas(namespace))

    async def set_quota(self, namespace: str, bytes: int, *, region: str | None = None) -> tuple[Quota, ...]:
        return await self._send(_calls.set_quota(namespace, bytes, region))

    async def remove_quota(self, namespace: str, *, region: str | None = None) -> tuple[Quota, ...]:
        return await self._send(_calls.remove_quota(namespace, region))

    async def blocked(self) -> tuple[BlockedVersion, ...]:
        return await self._all(_calls.blocked)

    async def queue(self, region: str) -> tuple[Queued, ...]:
        return await self._send(_calls.queue(region))

    async def regions(self) -> tuple[Region, ...]:
        return await self._send(_calls.regions())

    async def explain(self, dataset: str, region: str, *, version: str = "latest") -> Explanation:
        return await self._send(_calls.explain(dataset, version, region))

    async def costs(
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
    ) -> Costs:
        query = CostQuery(by, namespace, dataset, version, region, run_id, since, until)
        return await self._run(_costs.costs(self._exchanges, query))

    async def budgets(self) -> tuple[Budget, ...]:
        return await self._send(_calls.budgets())

    async def restore_catalogue(self, *, after: str | None = None) -> Restored:
        return await self._send(_calls.restore_catalogue(after))

    async def fsck(
        self, of: str | None = None, *, repair: bool = False, deep: bool = False, after: str | None = None
    ) -> Findings:
        return await self._send(_calls.fsck(of, repair, deep, after))

    async def sweep_plan(self, region: str) -> SweepPlan:
        return await self._send(_calls.sweep_plan(region))

    async def sweep(self, region: str, *, wait_seconds: int = 30) -> Sweep:
        return await self._send(_calls.sweep(region, wait_seconds))

    async def sweep_schedule(self, region: str) -> SweepSchedule:
        return await self._send(_calls.sweep_schedule(region))

    async def pause_sweeps(self, region: str, *, reason: str | None = None) -> SweepSchedule:
        return await self._send(_calls.pause_sweeps(region, reason))

    async def resume_sweeps(self, region: str, *, reason: str | None = None) -> SweepSchedule:
        return await self._send(_calls.resume_sweeps(region, reason))

    async def _send(self, call: Call[T], retry_seconds: float | None = None) -> T:
        return await self._run(self._exchanges.one(call, retry_seconds))

    async def _all(self, page: Callable[[str | None], Call[Paged[T]]]) -> tuple[T, ...]:
        return await self._run(self._exchanges.all(page))

    async def _run(self, operation: Operation[T]) -> T:
        try:
            return await self._carry_out(operation, operation.send, None)
        except BaseException as error:
            if not is_interrupted(operation):
                raise
            with ending(operation, error):
                return await self._carry_out(operation, operation.throw, error)

    async def _carry_out(self, operation: Operation[T], go_on: Callable[[Any], Request | Pause], outcome: Any) -> T:
        while True:
            try:
                step = go_on(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            go_on, outcome = operation.send, None
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            else:
                try:
                    outcome = await self._http.request(**step)
                except httpx.RequestError as error:
                    outcome = error


# The docstrings are those of Client.
for _name, _method in inspect.getmembers(AsyncClient, inspect.isfunction):
    if not _name.startswith("_"):
        _method.__doc__ = getattr(Client, _name).__doc__
AsyncClient.api.__doc__ = Client.api.__doc__
