"""What a caller asked for, to be able to ask again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from forebay import _settings
from forebay._async_client import AsyncClient
from forebay._calls import new_id
from forebay._client import Client
from forebay._errors import ForebayError
from forebay._models import PinSpec, Progress, Receipt, Terms
from forebay._progress import ProgressDisplay
from forebay._runs import PinClaim, Run
from forebay._values import Duration


@dataclass(frozen=True)
class Ensured:
    """What the platform promised; ``claim`` is on the id of the pin, if there is one."""

    receipt: Receipt
    claim: PinClaim | None


@dataclass(frozen=True)
class EnsureRequest:
    """A version that somebody wants to have in a region, and how they wait for it."""

    api: str
    name: str
    version: str
    region: str
    holder: str
    reason: str | None
    timeout: Duration | None
    progress: bool | Callable[[Progress], None]
    run: Run | None
    terms: Terms | None = None

    def ensure(self, lease_seconds: int | None) -> Ensured:
        """Waits for the version, held by a pin if there is a lease."""
        claim = self._claim(lease_seconds)
        pin = self._pin(claim, lease_seconds)
        with Client(self.api) as client, self._shown() as show:
            try:
                receipt = client.ensure(
                    self.name,
                    self.version,
                    self.region,
                    pin=pin,
                    timeout=self.timeout,
                    on_progress=show.progress,
                    idempotency_key=self._key(pin),
                    run_id=None if self.run is None else self.run.id,
                    terms=self.terms,
                )
            except BaseException:
                if claim is not None and self._is_in_vain(claim):
                    with contextlib.suppress(ForebayError):
                        client.unpin(self.name, self.version, self.region, claim.id, retry_seconds=0.0)
                raise
            show.done(receipt)
        return Ensured(receipt, claim)

    async def ensure_async(self, lease_seconds: int | None) -> Ensured:
        """The same, for asyncio: to cancel it is to let go."""
        claim = self._claim(lease_seconds)
        pin = self._pin(claim, lease_seconds)
        async with AsyncClient(self.api) as client:
            with self._shown() as show:
                try:
                    receipt = await client.ensure(
                        self.name,
                        self.version,
                        self.region,
                        pin=pin,
                        timeout=self.timeout,
                        on_progress=show.progress,
                        idempotency_key=self._key(pin),
                        run_id=None if self.run is None else self.run.id,
                        terms=self.terms,
                    )
                except BaseException:
                    if claim is not None and self._is_in_vain(claim):
                        with contextlib.suppress(ForebayError):
                            await client.unpin(self.name, self.version, self.region, claim.id, retry_seconds=0.0)
                    raise
                show.done(receipt)
        return Ensured(receipt, claim)

    def _claim(self, lease_seconds: int | None) -> PinClaim | None:
        if lease_seconds is None:
            return None
        if self.run is None:
            return PinClaim(new_id())
        return PinClaim.of(self.run, self.name, self.version, self.region, self.holder)

    def _pin(self, claim: PinClaim | None, lease_seconds: int | None) -> PinSpec | None:
        if claim is None or lease_seconds is None:
            return None
        return PinSpec(claim.id, self.holder, lease_seconds, self.reason, _settings.job_uid())

    def _key(self, pin: PinSpec | None) -> str | None:
        if self.run is None:
            return None
        terms = () if self.terms is None else (self.terms,)
        return self.run.request_key(self.name, self.version, self.region, pin, *terms)

    def _is_in_vain(self, claim: PinClaim) -> bool:
        """Whether nobody will use the pin, which may have been taken though the request failed.

        One that belongs to a run may be that of the process before, and the next one wants it. Others end by their
        lease if they cannot be released.
        """
        claim.give_back()
        return self.run is None

    @contextlib.contextmanager
    def _shown(self) -> Iterator[_Shown]:
        if self.progress is not True:
            yield _Shown(self.progress or None, lambda receipt: None)
            return
        display = ProgressDisplay(f"{self.name}@{self.version} → {self.region}")
        try:
            yield _Shown(display, lambda receipt: display.done(receipt.bytes_verified))
        finally:
            display.close()


@dataclass(frozen=True)
class _Shown:
    """Who is told how far a version is, and that it is there."""

    progress: Callable[[Progress], None] | None
    done: Callable[[Receipt], None]
