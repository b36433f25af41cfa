"""The blocking client."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, TypeVar

import httpx

from forebay import _calls, _costs, _ensure, _freeze, _proxies, _settings
from forebay._calls import Call, Paged, Request
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


class Client:
    """Speaks the control plane's API. Safe to share between threads.

    Datasets are named ``namespace/name``. Connection failures and "not now" answers are retried for
    ``retry_seconds``; every request may safely be sent twice.

    Args:
        api: the control plane's address; default ``FOREBAY_API``.
        token_file: a file with the bearer token; default ``FOREBAY_TOKEN_FILE``; none if neither is given.
        retry_seconds: how long to go on trying a request that gets no answer.
    """

    def __init__(
        self,
        api: str | None = None,
        *,
        token_file: str | os.PathLike[str] | None = None,
        retry_seconds: float = 30.0,
    ) -> None:
        base = _settings.api_address(api)
        self._exchanges = Exchanges(base, retry_seconds, _proxies.route_to(base))
        self._http = httpx.Client(**_settings.http_options(base, token_file))

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    @property
    def api(self) -> str:
        """The address requests go to."""
        return str(self._exchanges.base)

    def register_dataset(
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
        """Tells the platform where a dataset's originals are, ``s3://bucket/prefix/``; does nothing if it knows.

        An unpinned version stays in a region for ``ttl`` after its last pin or, with ``ttl_after="read"``, after its
        last pin or read, whichever is later.

        Args:
            include: patterns of keys relative to the prefix, of which one must match: ``*`` and ``?`` within a
                component, ``**`` for any number of components; all keys if there is none.
            exclude: patterns of keys that do not belong to it, whatever includes them.
            keys: an object that lists the keys, ``s3://bucket/key``, one a line, if not all below the prefix are meant.
        """
        return self._send(_calls.register_dataset(dataset, source, ttl, ttl_after, include, exclude, keys))

    def set_dataset_ttl(self, dataset: str, *, ttl: Duration | None = None, ttl_after: str | None = None) -> Dataset:
        """Changes how long versions that are made from now on stay, or from what that counts for all versions.

        Args:
            ttl: as it is, if None. Versions that are there keep theirs: see :meth:`set_ttl`.
            ttl_after: ``pin`` or ``read``; as it is, if None.
        """
        return self._send(_calls.set_dataset_ttl(dataset, ttl, ttl_after))

    def delete_dataset(self, dataset: str) -> None:
        """Has the dataset's versions go from every region once nobody holds them; its originals stay in the lake.

        Registered again, with the same source, it is back.
        """
        self._send(_calls.delete_dataset(dataset))

    def datasets(self, namespace: str | None = None) -> Iterator[Dataset]:
        """All registered datasets, page by page."""
        after: str | None = None
        while True:
            items, after = self._send(_calls.datasets(namespace, after))
            yield from items
            if after is None:
                return

    def dataset(self, dataset: str) -> Dataset:
        return self._send(_calls.dataset(dataset))

    def follow(self, dataset: str, *, every: Duration | None = None, paused: bool | None = None) -> Tracking:
        """Has a dataset follow its source: what has changed there becomes a new version, which ``latest`` then means.

        Args:
            every: the time between checks, 10 s to 30 days; as it is, or an hour by default, if None. Each check
                lists the source, which costs the lake one request for 1,000 objects.
            paused: whether it pauses; as it is, or not, if None.
        """
        return self._send(_calls.follow(dataset, every, paused))

    def tracking(self, dataset: str) -> Tracking:
        """How a dataset follows its source, and what the last check found.

        Raises:
            NotFound: if it does not.
        """
        return self._send(_calls.tracking(dataset))

    def check_drift(self, dataset: str) -> Tracking:
        """Has a dataset that follows its source checked now, and does not wait for it."""
        return self._send(_calls.check_drift(dataset))

    def unfollow(self, dataset: str) -> None:
        """Has a dataset follow its source no more; its versions stay."""
        self._send(_calls.unfollow(dataset))

    def versions(self, dataset: str) -> tuple[Version, ...]:
        """The versions that were asked for, with their residency and pins."""
        return self._all(lambda after: _calls.versions(dataset, after))

    def version(self, dataset: str, version: str) -> Version:
        """The version with its residency in every region and its pins."""
        return self._send(_calls.version(dataset, version))

    def aliases(self, dataset: str) -> tuple[Alias, ...]:
        """Names that people move from version to version, such as ``prod``."""
        return self._send(_calls.aliases(dataset))

    def set_alias(self, dataset: str, alias: str, version: str) -> Alias:
        """Has an alias mean a version from now on, wherever a version is asked for by it; does nothing if it does.

        Requests that are under way keep what they meant. ``version`` is a name, a digest, ``latest``, or what another
        alias means now.
        """
        return self._send(_calls.set_alias(dataset, alias, version))

    def remove_alias(self, dataset: str, alias: str) -> None:
        """Removes an alias; what it means stays."""
        self._send(_calls.remove_alias(dataset, alias))

    def objects(
        self, dataset: str, version: str, *, folder: str | None = None, after: str | None = None
    ) -> Iterator[VersionObject]:
        """The objects of a version by path, page by page; of ``folder`` only, and behind the path ``after``."""
        after_path = after
        while True:
            items, after_path = self._send(_calls.objects(dataset, version, folder, after_path))
            yield from items
            if after_path is None:
                return

    def diff(self, dataset: str, before: str, version: str, *, after: str | None = None) -> Iterator[Difference]:
        """What was added, removed or changed from ``before`` to ``version``, by path, page by page."""
        after_path = after
        while True:
            items, after_path = self._send(_calls.diff(dataset, before, version, after_path))
            yield from items
            if after_path is None:
                return

    def freeze(self, dataset: str, version: str, *, on_answer: Callable[[Version], None] | None = None) -> Version:
        """Creates a version: its source is listed now, and what is there is the version for good; nothing is brought.

        Returns when it is frozen; does nothing if it was. ``on_answer`` is told how it is until then, every few
        seconds: its ``freezing`` says why it does not get on.

        Raises:
            LakeEmpty, InvalidKey, LakeDenied, LakeUnavailable: if the source cannot be listed.
        """
        return self._run(_freeze.freeze(self._exchanges, dataset, version, on_answer))

    def ensure(
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
        """Returns when every byte of the version is in the region and verified, and the pin, if any, is held.

        With ``terms`` it is less of it, or in more regions, each of which then has the pin, or after a deadline in any
        case.

        Restarts of the control plane are waited out, and what passes by itself once the platform has accepted the
        request. Called again for the same version it joins the work.

        What is filled because of it goes to the account of ``run_id``, in `costs`.

        Ctrl-C, or any other exception from outside that ends the wait, cancels the request, so that it takes no pin
        later; others who wait for the version go on waiting. With ``detach`` the request goes on. One with an
        ``idempotency_key`` is cancelled by Ctrl-C and by a cancelled task only: after any other end the process that
        replaces this one joins it.

        The first version of a dataset is created by the first call for it; a later one only with ``create``.

        Raises:
            NotFound: if the dataset has no such version; the message names those that are like it.
            EnsureTimeout: if that takes longer than ``timeout``.
            DeadlineExceeded: if the deadline of the terms has passed, and they do not say ``run_cold``.
        """
        receipts = self._run(
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

    def start_ensure(
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
        """Asks for the version and returns within ``wait_seconds`` (0 to 30), done or not.

        What it costs goes to the account of the run ``run_id``.
        """
        return self._send(
            _calls.ensure(dataset, version, region, pin, wait_seconds, idempotency_key, run_id, terms, create)
        )

    def ensure_status(
        self, dataset: str, version: str, region: str, request_id: str, *, wait_seconds: int = 0
    ) -> EnsureStatus:
        """How far a request is that ``start_ensure`` has begun."""
        return self._send(_calls.ensure_status(dataset, version, region, request_id, wait_seconds))

    def prefetch(self, dataset: str, version: str, region: str, *, create: bool = False) -> EnsureStatus:
        """Has the version brought into the region without waiting for it and without holding it: a hint."""
        return self._run(_ensure.prefetch(self._exchanges, dataset, version, region, create))

    def plan(self, dataset: str, version: str, regions: Sequence[str] = ()) -> Plan:
        """What it would take to have the version in these regions, or in all: nothing begins and nothing changes."""
        return self._send(_calls.plan(dataset, version, regions))

    def placements(self, dataset: str, version: str = "latest", *, gpus: int | None = None) -> Placements:
        """Where a job that reads the version, and needs as many GPUs, would best run: all regions, the best first."""
        return self._send(_calls.placements(dataset, version, gpus))

    def pin(
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
        """Holds the version in the region for ``lease``; with the id of a living pin it renews that one.

        ``job`` is the uid of the Kubernetes Job that holds it, if one does.
        """
        return self._send(_calls.pin(dataset, version, region, lease, holder, reason, id, job))

    def pins(self, region: str | None = None) -> tuple[Pin, ...]:
        """All pins, of one region or of all."""
        return self._all(lambda after: _calls.pins(region, after))

    def leaked_pins(self, region: str | None = None) -> tuple[Pin, ...]:
        """Pins that hold a version though nobody seems to stand behind them, of one region or of all.

        Each ends by itself, one lease after its last renewal.
        """
        return self._send(_calls.leaked_pins(region))

    def version_pins(self, dataset: str, version: str) -> tuple[Pin, ...]:
        return self._send(_calls.version_pins(dataset, version))

    def renew(self, dataset: str, version: str, region: str, pin_id: str, *, retry_seconds: float | None = None) -> Pin:
        """Lets the pin's lease begin anew.

        Raises:
            NotFound: if the pin has ended.
        """
        return self._send(_calls.renew(dataset, version, region, pin_id), retry_seconds)

    def unpin(
        self,
        dataset: str,
        version: str,
        region: str,
        pin_id: str,
        *,
        taken_at: datetime | None = None,
        retry_seconds: float | None = None,
    ) -> None:
        """Lets go of a pin; does nothing if it has ended, nor if it was taken again after a pin's ``taken_at``."""
        self._send(_calls.unpin(dataset, version, region, pin_id, taken_at), retry_seconds)

    def evict(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Version:
        """Removes the version from the region, and returns when it is gone (or, if it is very large, still EVICTING).

        Raises:
            Pinned: if somebody holds it.
        """
        return self._send(_calls.evict(dataset, version, region, reason))

    def set_ttl(self, dataset: str, version: str, ttl: Duration) -> Version:
        """How long the version stays in a region after its last pin has ended."""
        return self._send(_calls.set_ttl(dataset, version, ttl))

    def resume(self, dataset: str, version: str, region: str) -> Version:
        """Lets a region that is BLOCKED try again."""
        return self._send(_calls.resume(dataset, version, region))

    def abandon(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Version:
        """Gives up a region that is BLOCKED, with what it holds; does nothing if it is not.

        Raises:
            Pinned: if somebody holds it.
        """
        return self._send(_calls.abandon(dataset, version, region, reason))

    def cancel(self, dataset: str, version: str, request_id: str) -> None:
        """Takes a request back: whoever waits for it gets ``Cancelled``, and what nobody else wants of it is removed.

        Args:
            request_id: of ``start_ensure``, of an ``EnsureTimeout``, or the ``idempotency_key`` of ``ensure``.
        """
        self._send(_calls.cancel(dataset, version, request_id))

    def quotas(self, namespace: str) -> tuple[Quota, ...]:
        """How much room the namespace may have in regions; any amount where there is no quota."""
        return self._send(_calls.quotas(namespace))

    def set_quota(self, namespace: str, bytes: int, *, region: str | None = None) -> tuple[Quota, ...]:
        """Sets how much room the namespace may have in a region, or in all that have no quota of their own."""
        return self._send(_calls.set_quota(namespace, bytes, region))

    def remove_quota(self, namespace: str, *, region: str | None = None) -> tuple[Quota, ...]:
        """Removes the quota of a region, or the one for all others, and returns what is left."""
        return self._send(_calls.remove_quota(namespace, region))

    def blocked(self) -> tuple[BlockedVersion, ...]:
        """What is BLOCKED anywhere: in which region, why, and what to do."""
        return self._all(_calls.blocked)

    def queue(self, region: str) -> tuple[Queued, ...]:
        """The versions that wait for room in the region, in the order in which they are let in."""
        return self._send(_calls.queue(region))

    def regions(self) -> tuple[Region, ...]:
        return self._send(_calls.regions())

    def explain(self, dataset: str, region: str, *, version: str = "latest") -> Explanation:
        """Why a version (the newest, if none is named) is, or is not, in a region."""
        return self._send(_calls.explain(dataset, version, region))

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
    ) -> Costs:
        """What versions cost, and what they would have cost without the cache.

        Args:
            dataset: only this one, ``namespace/name``; with ``version`` only that version of it.
            since: the first day, in UTC: ``2026-11-01``. Default: of the month that the last day is in.
            until: the day after the last. Default: tomorrow.
            by: what costs are added up by: namespace, dataset, version, region, run or day.
        """
        query = CostQuery(by, namespace, dataset, version, region, run_id, since, until)
        return self._run(_costs.costs(self._exchanges, query))

    def budgets(self) -> tuple[Budget, ...]:
        """What namespaces may cost this month, and have cost."""
        return self._send(_calls.budgets())

    def restore_catalogue(self, *, after: str | None = None) -> Restored:
        """Enters some versions that the catalogue has lost; call it again with ``next`` until that is None."""
        return self._send(_calls.restore_catalogue(after))

    def fsck(
        self, of: str | None = None, *, repair: bool = False, deep: bool = False, after: str | None = None
    ) -> Findings:
        """Compares the stores with each other, some versions at a time; call it again with ``next`` until that is None.

        Args:
            of: a namespace, ``namespace/name`` or ``namespace/name@version``; everything if None.
            repair: mend what can be mended.
            deep: compare stored chunks with their checksums, too. Damaged ones are fetched again in any case.
        """
        return self._send(_calls.fsck(of, repair, deep, after))

    def sweep_plan(self, region: str) -> SweepPlan:
        """What a sweep would evict from the region now, and why; changes nothing."""
        return self._send(_calls.sweep_plan(region))

    def sweep(self, region: str, *, wait_seconds: int = 30) -> Sweep:
        """Evicts from the region what has to go, also while its schedule is paused.

        Returns within ``wait_seconds`` (0 to 30), done or not; asked again meanwhile it is the same sweep.
        """
        return self._send(_calls.sweep(region, wait_seconds))

    def sweep_schedule(self, region: str) -> SweepSchedule:
        """When the region is swept by itself."""
        return self._send(_calls.sweep_schedule(region))

    def pause_sweeps(self, region: str, *, reason: str | None = None) -> SweepSchedule:
        """Has the region not swept by itself until ``resume_sweeps``; what is asked for is evicted all the same."""
        return self._send(_calls.pause_sweeps(region, reason))

    def resume_sweeps(self, region: str, *, reason: str | None = None) -> SweepSchedule:
        """Has the region swept by itself again; does nothing if it is."""
        return self._send(_calls.resume_sweeps(region, reason))

    def _send(self, call: Call[T], retry_seconds: float | None = None) -> T:
        return self._run(self._exchanges.one(call, retry_seconds))

    def _all(self, page: Callable[[str | None], Call[Paged[T]]]) -> tuple[T, ...]:
        return self._run(self._exchanges.all(page))

    def _run(self, operation: Operation[T]) -> T:
        try:
            return self._carry_out(operation, operation.send, None)
        except BaseException as error:
            if not is_interrupted(operation):
                raise
            with ending(operation, error):
                return self._carry_out(operation, operation.throw, error)

    def _carry_out(self, operation: Operation[T], go_on: Callable[[Any], Request | Pause], outcome: Any) -> T:
        while True:
            try:
                step = go_on(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            go_on, outcome = operation.send, None
            if isinstance(step, Pause):
                time.sleep(step.seconds)
            else:
                try:
                    outcome = self._http.request(**step)
                except httpx.RequestError as error:
                    outcome = error
