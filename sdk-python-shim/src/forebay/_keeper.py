"""Renews a pin from a background thread."""

from __future__ import annotations

import os
import threading
import time

from forebay import _display
from forebay._client import Client
from forebay._errors import ForebayError, ForebayWarning, NotFound, PinLost
from forebay._models import Pin

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 15.0


class PinKeeper:
    """Renews one pin every third of its lease until it is stopped or the pin is lost.

    It retries a renewal without an answer, with growing pauses, while the pin can still live: for one lease after the
    last successful renewal. The control plane may restart in that time. After a longer outage, or when the platform
    reports that the pin has ended, it sets ``lost`` and warns.

    Args:
        renewed_at: when the lease last began, in the time of ``time.monotonic``.
        is_read: whether this process reads the version here, or only keeps it in another region.
    """

    def __init__(self, api: str, pin: Pin, lease_seconds: float, renewed_at: float, *, is_read: bool) -> None:
        # Created here, because an error in the thread would not reach the caller.
        self._client = Client(api)
        self._pin = pin
        self._lease_seconds = lease_seconds
        self._is_read = is_read
        self._owner = os.getpid()
        self._stop = threading.Event()
        self._renewed_at = renewed_at
        self.lost: PinLost | None = None
        self._thread = threading.Thread(target=self._run, name=f"forebay-pin-{pin.region}-{pin.id[:8]}", daemon=True)
        self._thread.start()

    @property
    def pin(self) -> Pin:
        """The pin as of the last renewal."""
        return self._pin

    def renewed(self, pin: Pin, sent_at: float) -> None:
        """Records a renewal by another thread, sent at this time of ``time.monotonic``."""
        self._pin = pin
        self._renewed_at = sent_at

    def stop(self) -> None:
        """Ends the thread. The pin lives until its lease ends."""
        self._stop.set()
        # A forked child has these fields but not the thread.
        if os.getpid() == self._owner and threading.current_thread() is not self._thread:
            self._thread.join(timeout=_LONGEST_PAUSE_SECONDS)

    def _run(self) -> None:
        with self._client as client:
            while self.lost is None and not self._stop.wait(self._lease_seconds / 3):
                self._renew(client)

    def _renew(self, client: Client) -> None:
        pin = self._pin
        pause = min(_FIRST_PAUSE_SECONDS, self._lease_seconds / 20)
        while not self._stop.is_set():
            sent_at = time.monotonic()
            try:
                self.renewed(client.renew(pin.dataset, pin.version, pin.region, pin.id, retry_seconds=0.0), sent_at)
            except NotFound as error:
                self._lose("it has ended", error)
                return
            except ForebayError as error:
                if time.monotonic() - self._renewed_at >= self._lease_seconds:
                    self._lose(f"it could not be renewed for a whole lease ({error})", error)
                    return
            else:
                return
            self._stop.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS, self._lease_seconds / 6)

    def _lose(self, why: str, cause: ForebayError) -> None:
        pin = self._pin
        danger = (
            "the version may be evicted while it is being read"
            if self._is_read
            else "the version may be evicted there; another pin holds it where this process reads"
        )
        lost = PinLost(
            f"the pin {pin.id} on {pin.dataset}@{pin.version} in {pin.region} is lost: {why}; "
            f"{danger}. Call ensure_dataset_cached again to pin it again"
        )
        lost.__cause__ = cause
        self.lost = lost
        _display.warn(str(lost), ForebayWarning, 2)
