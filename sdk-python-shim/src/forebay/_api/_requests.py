"""Requests for versions in regions, plans for them, and the ranking of regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forebay import _calls, _ensure
from forebay._api._method import Methods, method
from forebay._calls import Call, present, reader, version_path
from forebay._exchange import Operation
from forebay._models import EnsureStatus, PinSpec, Placements, Plan, Progress, Receipt, Terms
from forebay._values import Duration, split_dataset

_PLAN_SECONDS = 120.0
"""A plan for a version that is not frozen lists the lake."""


class RequestMethods(Methods):
    @method
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
    ) -> Operation[Receipt]:
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
        receipts = yield from _ensure.ensure(
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
        return receipts[0]

    @method
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
    ) -> Call[EnsureStatus]:
        """Requests the version and returns within ``wait_seconds`` (0 to 30), whether it is complete or not.

        The costs go to the account of the run ``run_id``.
        """
        return _calls.ensure(dataset, version, region, pin, wait_seconds, idempotency_key, run_id, terms, create)

    @method
    def ensure_status(
        self, dataset: str, version: str, region: str, request_id: str, *, wait_seconds: int = 0
    ) -> Call[EnsureStatus]:
        """Returns the progress of a request that ``start_ensure`` has started."""
        return _calls.ensure_status(dataset, version, region, request_id, wait_seconds)

    @method
    def prefetch(self, dataset: str, version: str, region: str, *, create: bool = False) -> Operation[EnsureStatus]:
        """Requests a fill of the region as a hint, without waiting for it and without a pin."""
        return _ensure.prefetch(self._exchanges, dataset, version, region, create)

    @method
    def cancel(self, dataset: str, version: str, request_id: str) -> Call[None]:
        """Cancels a request: its callers get ``Cancelled``, and bytes that no other request needs are removed.

        Args:
            request_id: of ``start_ensure``, of an ``EnsureTimeout``, or the ``idempotency_key`` of ``ensure``.
        """
        return _calls.cancel(dataset, version, request_id)

    @method
    def plan(self, dataset: str, version: str, regions: Sequence[str] = ()) -> Call[Plan]:
        """Returns what it would take to have the version in these regions, or in all. Changes nothing."""
        return Call(
            "POST",
            version_path(dataset, version) + "/plan",
            reader(Plan),
            body={"regions": list(regions)} if regions else {},
            answer_seconds=_PLAN_SECONDS,
        )

    @method
    def placements(self, dataset: str, version: str = "latest", *, gpus: int | None = None) -> Call[Placements]:
        """Ranks all regions for a job that reads the version and needs this many GPUs, the best first."""
        split_dataset(dataset)
        params = {"dataset": dataset, "version": version, **present(gpus=None if gpus is None else str(gpus))}
        return Call("GET", "/placements", reader(Placements), params=params, answer_seconds=_PLAN_SECONDS)
