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
    """Calls the control plane's API. Safe to share between threads.

    Datasets are named ``namespace/name``. The client retries connection failures and temporary refusals for
    ``retry_seconds``. Every request may safely be sent twice.

    Args:
        api: the control plane's address; default ``FOREBAY_API``.
        token_file: a file with the bearer token; default ``FOREBAY_TOKEN_FILE``; no token if neither is given.
        retry_seconds: how long to retry a request without an answer.
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
        """The address of the API."""
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
        """Registers a dataset whose objects are at ``s3://bucket/prefix/``; does nothing if it is registered already.

        An unpinned version stays in a region for ``ttl`` after its last pin or, with ``ttl_after="read"``, after its
        last pin or read, whichever is later.

        Args:
            include: patterns of keys relative to the prefix, of which one must match: ``*`` and ``?`` within a
                component, ``**`` for any number of components; all keys if there is none.
            exclude: patterns of keys that do not belong to the dataset, even if an include pattern matches.
            keys: an object that lists the keys, ``s3://bucket/key``, one a line, if the dataset is not all keys below
                the prefix.
        """
        return self._send(_calls.register_dataset(dataset, source, ttl, ttl_after, include, exclude, keys))

    def set_dataset_ttl(self, dataset: str, *, ttl: Duration | None = None, ttl_after: str | None = None) -> Dataset:
        """Changes how long later versions stay in regions, or from which event that time counts for all versions.

        Args:
            ttl: the time for versions that are created later; unchanged if None. For existing versions see
                :meth:`set_ttl`.
            ttl_after: ``pin`` or ``read``; unchanged if None.
        """
        return self._send(_calls.set_dataset_ttl(dataset, ttl, ttl_after))

    def delete_dataset(self, dataset: str) -> None:
        """Deletes a dataset. Its versions leave every region when no pin holds them; its objects stay in the lake.

        Registering it again with the same source restores it.
        """
        self._send(_calls.delete_dataset(dataset))

    def datasets(self, namespace: str | None = None) -> Iterator[Dataset]:
        """Yields all registered datasets, page by page."""
        after: str | None = None
        while True:
            items, after = self._send(_calls.datasets(namespace, after))
            yield from items
            if after is None:
                return

    def dataset(self, dataset: str) -> Dataset:
        return self._send(_calls.dataset(dataset))

    def follow(self, dataset: str, *, every: Duration | None = None, paused: bool | None = None) -> Tracking:
        """Makes a dataset follow its source: a change there creates a new version, which becomes ``latest``.

        Args:
            every: the time between checks, 10 s to 30 days; if None, unchanged or an hour. Each check lists the source,
                which costs the lake one request for 1,000 objects.
            paused: whether checks are paused; if None, unchanged or False.
        """
        return self._send(_calls.follow(dataset, every, paused))

    def tracking(self, dataset: str) -> Tracking:
        """Returns how a dataset follows its source, and the result of the last check.

        Raises:
            NotFound: if it does not follow its source.
        """
        return self._send(_calls.tracking(dataset))

    def check_drift(self, dataset: str) -> Tracking:
        """Starts a check of a dataset that follows its source, without waiting for the result."""
        return self._send(_calls.check_drift(dataset))

    def unfollow(self, dataset: str) -> None:
        """Stops a dataset from following its source. Its versions stay."""
        self._send(_calls.unfollow(dataset))

    def versions(self, dataset: str) -> tuple[Version, ...]:
        """Returns the versions that were requested, with their residency and pins."""
        return self._all(lambda after: _calls.versions(dataset, after))

    def version(self, dataset: str, version: str) -> Version:
        """Returns a version with its residency in every region and its pins."""
        return self._send(_calls.version(dataset, version))

    def aliases(self, dataset: str) -> tuple[Alias, ...]:
        """Returns the aliases of a dataset: names that users move from version to version, such as ``prod``."""
        return self._send(_calls.aliases(dataset))

    def set_alias(self, dataset: str, alias: str, version: str) -> Alias:
        """Points an alias to a version; does nothing if it points there already.

        Later requests by the alias are for that version. Running requests keep theirs. ``version`` is a name, a digest,
        ``latest``, or another alias, whose present version counts.
        """
        return self._send(_calls.set_alias(dataset, alias, version))

    def remove_alias(self, dataset: str, alias: str) -> None:
        """Removes an alias. Its version stays."""
        self._send(_calls.remove_alias(dataset, alias))

    def objects(
        self, dataset: str, version: str, *, folder: str | None = None, after: str | None = None
    ) -> Iterator[VersionObject]:
        """Yields the objects of a version by path, page by page, in ``folder`` and after the path ``after`` only."""
        after_path = after
        while True:
            items, after_path = self._send(_calls.objects(dataset, version, folder, after_path))
            yield from items
            if after_path is None:
                return

    def diff(self, dataset: str, before: str, version: str, *, after: str | None = None) -> Iterator[Difference]:
        """Yields the objects that were added, removed or changed from ``before`` to ``version``, by path."""
        after_path = after
        while True:
            items, after_path = self._send(_calls.diff(dataset, before, version, after_path))
            yield from items
            if after_path is None:
                return

    def freeze(self, dataset: str, version: str, *, on_answer: Callable[[Version], None] | None = None) -> Version:
        """Creates a version: lists its source now and fixes the result for good. Transfers no data.

        Returns when the version is frozen; does nothing if it was. Until then ``on_answer`` receives its state every
        few seconds, in which ``freezing`` says what delays it.

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
        """Waits until every byte of the version is in the region and verified, and the pin, if any, is held.

        ``terms`` can reduce the coverage, add regions, which get the same pin, or set a deadline for the answer.

        The call waits during restarts of the control plane and, once the platform has accepted the request, during
        other temporary failures. A second call for the same version joins the work.

        The costs of its fills go to the account of ``run_id``, see `costs`.

        Ctrl-C, or any other exception that interrupts the wait, cancels the request, so that it takes no pin later.
        Other callers continue to wait for the version. With ``detach`` the request continues. A request with an
        ``idempotency_key`` is cancelled only by Ctrl-C and by a cancelled task. After any other end, the process that
        replaces this one joins it.

        The first call for a dataset creates its first version. Later ones are created only with ``create``.

        Raises:
            NotFound: if the dataset has no such version; the message names similar ones.
            EnsureTimeout: if it takes longer than ``timeout``.
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
        """Requests the version and returns within ``wait_seconds`` (0 to 30), whether it is complete or not.

        The costs go to the account of the run ``run_id``.
        """
        return self._send(
            _calls.ensure(dataset, version, region, pin, wait_seconds, idempotency_key, run_id, terms, create)
        )

    def ensure_status(
        self, dataset: str, version: str, region: str, request_id: str, *, wait_seconds: int = 0
    ) -> EnsureStatus:
        """Returns the progress of a request that ``start_ensure`` has started."""
        return self._send(_calls.ensure_status(dataset, version, region, request_id, wait_seconds))

    def prefetch(self, dataset: str, version: str, region: str, *, create: bool = False) -> EnsureStatus:
        """Requests a fill of the region as a hint, without waiting for it and without a pin."""
        return self._run(_ensure.prefetch(self._exchanges, dataset, version, region, create))

    def plan(self, dataset: str, version: str, regions: Sequence[str] = ()) -> Plan:
        """Returns what it would take to have the version in these regions, or in all. Changes nothing."""
        return self._send(_calls.plan(dataset, version, regions))

    def placements(self, dataset: str, version: str = "latest", *, gpus: int | None = None) -> Placements:
        """Ranks all regions for a job that reads the version and needs this many GPUs, the best first."""
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
        """Pins the version in the region for ``lease``. With the id of a living pin, renews that pin.

        ``job`` is the uid of the Kubernetes Job that holds it, if there is one.
        """
        return self._send(_calls.pin(dataset, version, region, lease, holder, reason, id, job))

    def pins(self, region: str | None = None) -> tuple[Pin, ...]:
        """Returns all pins, of one region or of all."""
        return self._all(lambda after: _calls.pins(region, after))

    def leaked_pins(self, region: str | None = None) -> tuple[Pin, ...]:
        """Returns pins that seem to have no living owner, of one region or of all.

        Each ends automatically, one lease after its last renewal.
        """
        return self._send(_calls.leaked_pins(region))

    def version_pins(self, dataset: str, version: str) -> tuple[Pin, ...]:
        return self._send(_calls.version_pins(dataset, version))

    def renew(self, dataset: str, version: str, region: str, pin_id: str, *, retry_seconds: float | None = None) -> Pin:
        """Renews the lease of a pin.

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
        """Releases a pin; does nothing if it has ended, or if it was taken again after a pin's ``taken_at``."""
        self._send(_calls.unpin(dataset, version, region, pin_id, taken_at), retry_seconds)

    def evict(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Version:
        """Evicts the version from the region. Returns when it is gone, or still EVICTING if it is very large.

        Raises:
            Pinned: if a pin holds it.
        """
        return self._send(_calls.evict(dataset, version, region, reason))

    def set_ttl(self, dataset: str, version: str, ttl: Duration) -> Version:
        """Sets how long the version stays in a region after its last pin has ended."""
        return self._send(_calls.set_ttl(dataset, version, ttl))

    def resume(self, dataset: str, version: str, region: str) -> Version:
        """Retries a fill that is BLOCKED in a region."""
        return self._send(_calls.resume(dataset, version, region))

    def abandon(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Version:
        """Gives up a version that is BLOCKED in a region, and removes its bytes; does nothing if it is not BLOCKED.

        Raises:
            Pinned: if a pin holds it.
        """
        return self._send(_calls.abandon(dataset, version, region, reason))

    def cancel(self, dataset: str, version: str, request_id: str) -> None:
        """Cancels a request: its callers get ``Cancelled``, and bytes that no other request needs are removed.

        Args:
            request_id: of ``start_ensure``, of an ``EnsureTimeout``, or the ``idempotency_key`` of ``ensure``.
        """
        self._send(_calls.cancel(dataset, version, request_id))

    def quotas(self, namespace: str) -> tuple[Quota, ...]:
        """Returns the quotas of the namespace in regions. Without a quota, its space is not limited."""
        return self._send(_calls.quotas(namespace))

    def set_quota(self, namespace: str, bytes: int, *, region: str | None = None) -> tuple[Quota, ...]:
        """Sets the quota of the namespace in one region, or in all regions that have no quota of their own."""
        return self._send(_calls.set_quota(namespace, bytes, region))

    def remove_quota(self, namespace: str, *, region: str | None = None) -> tuple[Quota, ...]:
        """Removes the quota of a region, or the one for all others, and returns the remaining quotas."""
        return self._send(_calls.remove_quota(namespace, region))

    def blocked(self) -> tuple[BlockedVersion, ...]:
        """Returns all BLOCKED versions: in which region, why, and what to do."""
        return self._all(_calls.blocked)

    def queue(self, region: str) -> tuple[Queued, ...]:
        """Returns the versions that wait for space in the region, in the order of their admission."""
        return self._send(_calls.queue(region))

    def regions(self) -> tuple[Region, ...]:
        return self._send(_calls.regions())

    def explain(self, dataset: str, region: str, *, version: str = "latest") -> Explanation:
        """Explains why a version (by default the newest) is, or is not, in a region."""
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
        """Returns what versions cost, and what they would have cost without the cache.

        Args:
            dataset: only this one, ``namespace/name``; with ``version`` only that version of it.
            since: the first day, in UTC: ``2026-11-01``. Default: the first of the month of the last day.
            until: the day after the last. Default: tomorrow.
            by: the unit of each line: namespace, dataset, version, region, run or day.
        """
        query = CostQuery(by, namespace, dataset, version, region, run_id, since, until)
        return self._run(_costs.costs(self._exchanges, query))

    def budgets(self) -> tuple[Budget, ...]:
        """Returns the budgets of namespaces for this month, and their costs so far."""
        return self._send(_calls.budgets())

    def restore_catalogue(self, *, after: str | None = None) -> Restored:
        """Restores a page of versions that the catalogue has lost. Call it again with ``next`` until that is None."""
        return self._send(_calls.restore_catalogue(after))

    def fsck(
        self, of: str | None = None, *, repair: bool = False, deep: bool = False, after: str | None = None
    ) -> Findings:
        """Compares the stores with each other, for a page of versions. Call it again with ``next`` until that is None.

        Args:
            of: a namespace, ``namespace/name`` or ``namespace/name@version``; everything if None.
            repair: repair what can be repaired.
            deep: compare stored chunks with their checksums, too. Damaged ones are fetched again in any case.
        """
        return self._send(_calls.fsck(of, repair, deep, after))

    def sweep_plan(self, region: str) -> SweepPlan:
        """Returns what a sweep would evict from the region now, and why. Changes nothing."""
        return self._send(_calls.sweep_plan(region))

    def sweep(self, region: str, *, wait_seconds: int = 30) -> Sweep:
        """Sweeps the region, also while its schedule is paused.

        Returns within ``wait_seconds`` (0 to 30), whether the sweep has ended or not. Another call meanwhile joins it.
        """
        return self._send(_calls.sweep(region, wait_seconds))

    def sweep_schedule(self, region: str) -> SweepSchedule:
        """Returns when the region is swept automatically."""
        return self._send(_calls.sweep_schedule(region))

    def pause_sweeps(self, region: str, *, reason: str | None = None) -> SweepSchedule:
        """Pauses the automatic sweeps of the region until ``resume_sweeps``. Requested evictions still happen."""
        return self._send(_calls.pause_sweeps(region, reason))

    def resume_sweeps(self, region: str, *, reason: str | None = None) -> SweepSchedule:
        """Resumes the automatic sweeps of the region; does nothing if they are not paused."""
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
