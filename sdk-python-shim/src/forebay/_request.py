"""What a caller asked for, to be able to ask again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from forebay._async_client import AsyncClient
from forebay._calls import new_id
from forebay._client import Client
from forebay._errors import ForebayError
from forebay._models import PinSpec, Progress, Receipt
from forebay._progress import ProgressDisplay
from forebay._values import Duration


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

    def ensure(self, lease_seconds: int | None) -> Receipt:
        """Waits for the version, held by a new pin if there is a lease."""
        pin = self._pin(lease_seconds)
        with Client(self.api) as client, self._shown() as show:
            try:
                receipt = client.ensure(
                    self.name, self.version, self.region, pin=pin, timeout=self.timeout, on_progress=show.progress
                )
            except BaseException:
                if pin is not None:
                    # Nobody will use a pin that was taken meanwhile. If this fails the lease ends it.
                    with contextlib.suppress(ForebayError):
                        client.unpin(self.name, self.version, self.region, pin.id, retry_seconds=0.0)
                raise
            show.done(receipt)
        return receipt

    async def ensure_async(self, lease_seconds: int | None) -> Receipt:
        """The same, for asyncio: to cancel it is to let go."""
        pin = self._pin(lease_seconds)
        async with AsyncClient(self.api) as client:
            with self._shown() as show:
                try:
                    receipt = await client.ensure(
                        self.name, self.version, self.region, pin=pin, timeout=self.timeout, on_progress=show.progress
                    )
                except BaseException:
                    if pin is not None:
                        with contextlib.suppress(ForebayError):
                            await client.unpin(self.name, self.version, self.region, pin.id, retry_seconds=0.0)
                    raise
                show.done(receipt)
        return receipt

    def _pin(self, lease_seconds: int | None) -> PinSpec | None:
        return None if lease_seconds is None else PinSpec(new_id(), self.holder, lease_seconds, self.reason)

    @contextlib.contextmanager
    def _shown(self) -> Iterator[_Shown]:
        if self.progress is not True:
            yield _Shown(self.progress or None, lambda receipt: None)
            return
        display = ProgressDisplay(f"{self.name}@{self.version} → {self.region}")
        try:
            yield _Shown(display, lambda receipt: display.done(receipt.bytes))
        finally:
            display.close()


@dataclass(frozen=True)
class _Shown:
    """Who is told how far a version is, and that it is there."""

    progress: Callable[[Progress], None] | None
    done: Callable[[Receipt], None]
