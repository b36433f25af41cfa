"""The pins of a held dataset: one in each region of its request, all with the same id."""

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
    """Pins the versions of the receipts without waiting for fills; returns None if one is no longer present.

    Pins that were taken before stay: the caller either requests the version with the same pin, or releases it.
    """
    held = []
    for receipt in receipts:
        try:
            held.append(replace(receipt, pin=(yield from _pin(exchanges, receipt, spec))))
        except (NotFound, Evicting):
            return None
    return tuple(held)


def _pin(exchanges: Exchanges, receipt: Receipt, spec: PinSpec) -> Operation[Pin | None]:
    """Returns the pin, or None for a cold receipt without a pin: the caller accepted cold reads."""
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
        return None  # the region has not mounted the version
    try:
        return (yield from exchanges.one(call, _COLD_RETRY_SECONDS))
    except ForebayError:
        return None


class HeldPin:
    """One pin. After ``keep``, a thread of its own renews it.

    Args:
        is_read: whether this process reads in the pin's region, and so must know when the pin is lost.
    """

    def __init__(self, pin: Pin, *, is_read: bool) -> None:
        self._pin = pin
        self._taken_at = pin.taken_at  # answers to renewals do not contain it
        self.is_read = is_read
        self._renewed_at = time.monotonic()
        self._keeper: PinKeeper | None = None

    @property
    def pin(self) -> Pin:
        """The pin as of its last renewal."""
        return self._pin if self._keeper is None else self._keeper.pin

    @property
    def lost(self) -> PinLost | None:
        """Why the pin is lost; None if it is not, or without a keeper."""
        return None if self._keeper is None else self._keeper.lost

    def renew(self, client: Client, retry_seconds: float | None) -> Pin:
        """Renews the lease.

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
        """Renews the pin in the background until ``stop``."""
        self._keeper = PinKeeper(api, self._pin, lease_seconds, self._renewed_at, is_read=self.is_read)

    def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.stop()

    def release(self, client: Client) -> None:
        pin = self.pin
        # If the control plane is away, the lease ends a little later anyway.
        with contextlib.suppress(ForebayError):
            client.unpin(
                pin.dataset,
                pin.version,
                pin.region,
                pin.id,
                taken_at=self._taken_at,
                retry_seconds=_RELEASE_RETRY_SECONDS,
            )
