"""Pins."""

from __future__ import annotations

from datetime import datetime

from forebay import _calls
from forebay._api._method import Methods, method
from forebay._calls import Call, items_and_next, items_reader, present, version_path
from forebay._exchange import Operation
from forebay._models import Pin
from forebay._values import Duration


class PinMethods(Methods):
    @method
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
    ) -> Call[Pin]:
        """Pins the version in the region for ``lease``. With the id of a living pin, renews that pin.

        ``job`` is the uid of the Kubernetes Job that holds it, if there is one.
        """
        return _calls.pin(dataset, version, region, lease, holder, reason, id, job)

    @method
    def pins(self, region: str | None = None) -> Operation[tuple[Pin, ...]]:
        """Returns all pins, of one region or of all."""
        return self._exchanges.all(
            lambda after: Call("GET", "/pins", items_and_next(Pin), params=present(region=region, after=after))
        )

    @method
    def leaked_pins(self, region: str | None = None) -> Call[tuple[Pin, ...]]:
        """Returns pins that seem to have no living owner, of one region or of all.

        Each ends automatically, one lease after its last renewal.
        """
        return Call("GET", "/pins/leaked", items_reader(Pin), params=present(region=region))

    @method
    def version_pins(self, dataset: str, version: str) -> Call[tuple[Pin, ...]]:
        """Returns the pins on a version, in all regions."""
        return Call("GET", version_path(dataset, version) + "/pins", items_reader(Pin))

    @method
    def renew(
        self, dataset: str, version: str, region: str, pin_id: str, *, retry_seconds: float | None = None
    ) -> Operation[Pin]:
        """Renews the lease of a pin.

        Raises:
            NotFound: if the pin has ended.
        """
        return self._exchanges.one(_calls.renew(dataset, version, region, pin_id), retry_seconds)

    @method
    def unpin(
        self,
        dataset: str,
        version: str,
        region: str,
        pin_id: str,
        *,
        taken_at: datetime | None = None,
        retry_seconds: float | None = None,
    ) -> Operation[None]:
        """Releases a pin; does nothing if it has ended, or if it was taken again after a pin's ``taken_at``."""
        return self._exchanges.one(_calls.unpin(dataset, version, region, pin_id, taken_at), retry_seconds)
