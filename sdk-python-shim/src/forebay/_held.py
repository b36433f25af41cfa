"""The pins of a dataset that is held: one in each region of its request, all with one id."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import replace

from forebay import _calls
from forebay._client import Client
from forebay._errors import Evicting, ForebayError, NotFound, PinLost
from forebay._exchange import Exchanges, Operation
from forebay._keeper import PinKeeper
from forebay._models import Pin, PinSpec, Receipt

_COLD_RETRY_SECONDS = 5.0
_RELEASE_RETRY_SECONDS = 5.0


def take(exchanges: Exchanges, receipts: Sequence[Receipt], spec: PinSpec) -> Operation[tuple[Receipt, ...] | None]:
    """Pins what there are receipts of, and waits for nothing else; returns None if some of it has gone.

    Pins that were taken before that was known stay: who asks again does so with the same one, or lets go of it.
    """
    held = []
    for receipt in receipts:
        try:
            held.append(replace(receipt, pin=(yield from _pin(exchanges, receipt, spec))))
        except (NotFound, Evicting):
            return None
    return tuple(held)


def _pin(exchanges: Exchanges, receipt: Receipt, spec: PinSpec) -> Operation[Pin | None]:
    """None, of a cold receipt, if there is nothing to be held yet: to read it so is what was asked for."""
    call = _calls.pin(
        receipt.dataset,
        receipt.version,
        receipt.region,
        spec.lease_seconds,
        spec.holder,
        spec.reason,
        spec.id,
        spec.job,
    )
    if receipt.cold is None:
        return (yield from exchanges.one(call))
    if receipt.path is None:
        return None  # It is not mounted.
    try:
        return (yield from exchanges.one(call, _COLD_RETRY_SECONDS))
    except ForebayError:
        return None


class HeldPin:
    """One pin; once it is kept, a thread of its own renews it.

    Args:
        is_read: whether this process reads in the pin's region: it then must know when the pin is lost.
    """

    def __init__(self, pin: Pin, *, is_read: bool) -> None:
        self._pin = pin
        self._taken_at = pin.taken_at  # Renewals do not tell.
        self.is_read = is_read
        self._renewed_at = time.monotonic()
        self._keeper: PinKeeper | None = None

    @property
    def pin(self) -> Pin:
        """As of its last renewal."""
        return self._pin if self._keeper is None else self._keeper.pin

    @property
    def lost(self) -> PinLost | None:
        """Why it is lost; None while all is well, or nobody keeps it."""
        return None if self._keeper is None else self._keeper.lost

    def renew(self, client: Client, retry_seconds: float | None) -> Pin:
        """Lets the lease begin anew.

        Raises:
            PinLost: if the pin has ended.
        """
        pin, sent_at = self.pin, time.monotonic()
        try:
            renewed = client.renew(pin.dataset, pin.version, pin.region, pin.id, retry_seconds=retry_seconds)
        except NotFound as error:
            raise PinLost(f"the pin {pin.id} on {pin.dataset}@{pin.version} has ended: {error.detail}") from error
        self._pin = renewed
        self._renewed_at = sent_at
        if self._keeper is not None:
            self._keeper.renewed(renewed, sent_at)
        return renewed

    def keep(self, api: str, lease_seconds: int) -> None:
        """Has it renewed until ``stop``."""
        self._keeper = PinKeeper(api, self._pin, lease_seconds, self._renewed_at, is_read=self.is_read)

    def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.stop()

    def release(self, client: Client) -> None:
        pin = self.pin
        # If the control plane is away, the end of the lease does the same a little later.
        with contextlib.suppress(ForebayError):
            client.unpin(
                pin.dataset,
                pin.version,
                pin.region,
                pin.id,
                taken_at=self._taken_at,
                retry_seconds=_RELEASE_RETRY_SECONDS,
            )
