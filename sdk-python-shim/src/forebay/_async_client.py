"""The client for asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import TypeVar

import httpx

from forebay import _calls, _ensure, _settings
from forebay._calls import Call, Paged
from forebay._errors import ForebayError
from forebay._models import Dataset, EnsureStatus, Pin, PinSpec, Progress, Receipt, Region, Version
from forebay._retry import Attempts
from forebay._values import Duration, seconds_of

T = TypeVar("T")

_CONNECT_SECONDS = 5.0


class AsyncClient:
    """The same as ``Client``, for asyncio."""

    def __init__(
        self,
        api: str | None = None,
        *,
        token_file: str | os.PathLike[str] | None = None,
        retry_seconds: float = 30.0,
    ) -> None:
        self._base = _settings.api_address(api)
        self._retry_seconds = retry_seconds
        self._http = httpx.AsyncClient(
            auth=_settings.token_file(token_file),
            # A proxy of the machine is for the world outside, not for a control plane on the same host.
            trust_env=not _settings.is_loopback(self._base),
        )

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
        """The address requests go to."""
        return str(self._base)

    async def register_dataset(self, dataset: str, source: str, *, ttl: Duration | None = None) -> Dataset:
        """Tells the platform where a dataset's originals are, ``s3://bucket/prefix/``; does nothing if it knows."""
        return await self._send(_calls.register_dataset(dataset, source, ttl))

    async def datasets(self, namespace: str | None = None) -> AsyncIterator[Dataset]:
        """All registered datasets, page by page."""
        after: str | None = None
        while True:
            items, after = await self._send(_calls.datasets(namespace, after))
            for item in items:
                yield item
            if after is None:
                return

    async def dataset(self, dataset: str) -> Dataset:
        return await self._send(_calls.dataset(dataset))

    async def versions(self, dataset: str) -> tuple[Version, ...]:
        """The versions that were asked for, with their residency and pins."""
        return await self._all(lambda after: _calls.versions(dataset, after))

    async def version(self, dataset: str, version: str) -> Version:
        """The version with its residency in every region and its pins."""
        return await self._send(_calls.version(dataset, version))

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
    ) -> Receipt:
        """Returns when every byte of the version is in the region and verified, and the pin, if any, is held.

        Restarts of the control plane are waited out. Called again for the same version it joins the work.

        Raises:
            EnsureTimeout: if that takes longer than ``timeout``.
        """
        steps = _ensure.steps(
            dataset,
            version,
            region,
            pin=pin,
            timeout=None if timeout is None else seconds_of(timeout),
            on_progress=on_progress,
            idempotency_key=idempotency_key or _calls.new_id(),
            retry_seconds=self._retry_seconds,
        )
        try:
            step = next(steps)
            while True:
                try:
                    status = await self._send(step.call, step.retry_seconds)
                except ForebayError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(status)
        except StopIteration as done:
            receipt: Receipt = done.value
            return receipt

    async def start_ensure(
        self,
        dataset: str,
        version: str,
        region: str,
        *,
        pin: PinSpec | None = None,
        idempotency_key: str | None = None,
        wait_seconds: int = 0,
    ) -> EnsureStatus:
        """Asks for the version and returns within ``wait_seconds`` (0 to 30), done or not."""
        key = idempotency_key or _calls.new_id()
        return await self._send(_calls.ensure(dataset, version, region, pin, wait_seconds, key))

    async def ensure_status(
        self, dataset: str, version: str, region: str, request_id: str, *, wait_seconds: int = 0
    ) -> EnsureStatus:
        """How far a request is that ``start_ensure`` has begun."""
        return await self._send(_calls.ensure_status(dataset, version, region, request_id, wait_seconds))

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
    ) -> Pin:
        """Holds the version in the region for ``lease``; with the id of a living pin it renews that one."""
        spec = PinSpec(id or _calls.new_id(), holder or _settings.holder(), seconds_of(lease), reason)
        return await self._send(_calls.pin(dataset, version, region, spec))

    async def pins(self, region: str | None = None) -> tuple[Pin, ...]:
        """All pins, of one region or of all."""
        return await self._all(lambda after: _calls.pins(region, after))

    async def version_pins(self, dataset: str, version: str) -> tuple[Pin, ...]:
        return await self._send(_calls.version_pins(dataset, version))

    async def renew(
        self, dataset: str, version: str, region: str, pin_id: str, *, retry_seconds: float | None = None
    ) -> Pin:
        """Lets the pin's lease begin anew.

        Raises:
            NotFound: if the pin has ended.
        """
        return await self._send(_calls.renew(dataset, version, region, pin_id), retry_seconds)

    async def unpin(
        self, dataset: str, version: str, region: str, pin_id: str, *, retry_seconds: float | None = None
    ) -> None:
        """Lets go of a pin; does nothing if it has ended."""
        await self._send(_calls.unpin(dataset, version, region, pin_id), retry_seconds)

    async def evict(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Version:
        """Removes the version from the region, and returns when it is gone (or, if it is very large, still EVICTING).

        Raises:
            Pinned: if somebody holds it.
        """
        return await self._send(_calls.evict(dataset, version, region, reason))

    async def set_ttl(self, dataset: str, version: str, ttl: Duration) -> Version:
        """How long the version stays in a region after its last pin has ended."""
        return await self._send(_calls.set_ttl(dataset, version, ttl))

    async def resume(self, dataset: str, version: str, region: str) -> Version:
        """Lets a region that is BLOCKED try again."""
        return await self._send(_calls.resume(dataset, version, region))

    async def regions(self) -> tuple[Region, ...]:
        return await self._send(_calls.regions())

    async def _all(self, page: Callable[[str | None], Call[Paged[T]]]) -> tuple[T, ...]:
        found, after = await self._send(page(None))
        while after is not None:
            more, after = await self._send(page(after))
            found += more
        return found

    async def _send(self, call: Call[T], retry_seconds: float | None = None) -> T:
        limit = self._retry_seconds if retry_seconds is None else retry_seconds
        attempts = Attempts(call, self._base, limit)
        while True:
            try:
                response = await self._http.request(
                    call.method,
                    str(self._base) + call.path,
                    params=dict(call.params),
                    json=call.body,
                    headers=dict(call.headers),
                    timeout=httpx.Timeout(call.answer_seconds, connect=_CONNECT_SECONDS),
                )
            except httpx.TransportError as error:
                pause = attempts.failed(error)
            else:
                again = attempts.answered(response)
                if again is None:
                    return call.parse(response)
                pause = again
            await asyncio.sleep(pause)
