"""``ensure_dataset_cached`` and its result."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from forebay import _display, _mounts, _region, _settings
from forebay._client import Client
from forebay._errors import ConfigurationError, ForebayError, ForebayWarning, PinLost
from forebay._held import HeldPin
from forebay._models import Pin, Progress, Receipt, Terms
from forebay._request import Ensured, EnsureRequest
from forebay._runs import PinClaim, Run
from forebay._values import Duration, checked_part, seconds_of, split_dataset

HELD_LEASE_SECONDS = 300
"""The lease of a pin that a ``with`` block takes by default. It is renewed, so a short lease is safe."""

_ENTRY_RETRY_SECONDS = 5.0


def ensure_dataset_cached(
    name: str,
    version: str = "latest",
    region: str | None = None,
    pin_for: Duration | None = None,
    *,
    holder: str | None = None,
    reason: str | None = None,
    run_id: str | None = None,
    timeout: Duration | None = None,
    min_coverage: float | None = None,
    deadline: Duration | None = None,
    on_deadline: str | None = None,
    priority: str | None = None,
    also_in: Sequence[str] = (),
    detach: bool = False,
    create: bool = False,
    progress: bool | Callable[[Progress], None] = True,
    api: str | None = None,
    mount_root: str | os.PathLike[str] | None = None,
) -> CachedDataset:
    """Waits until every byte of a version is in the region and verified.

    Args:
        name: ``namespace/name`` of the dataset.
        version: the version's name; default: the one that was frozen last.
        region: where; default ``FOREBAY_REGION``.
        pin_for: how long to hold the version (``"12h"``, ``"90s"``, a ``timedelta``, seconds). In a ``with`` block the
            pin is renewed in the background, so this is only how long it outlives a job that dies. Without one, it is
            the lifetime of the pin. Default: no pin; a ``with`` block then takes a renewed one of five minutes.
        holder: the owner of the pin, for people; default ``user@host``, or the run if there is one.
        reason: the purpose, for people.
        run_id: identifies a run across restarts of its process; default ``FOREBAY_RUN_ID``. A process that replaces a
            crashed one takes over its request and pin. Without it, the version would be held twice until the first
            lease ends. Different runs need different ids. Ranks of a distributed job may share one.
        timeout: how long to wait; default: without limit.
        min_coverage: the part of the bytes, 0 to 1, that is enough to return; the fill continues.
        deadline: the time after which the platform answers in any case. Unlike ``timeout``, it includes restarts of
            this process.
        on_deadline: what to do at the deadline if too few bytes are present: ``"fail"`` (default), or ``"run_cold"``.
            Then missing bytes are fetched when they are read, and ``receipt.cold`` says why.
        priority: ``"interactive"`` (the default), or ``"speculative"`` for fills that no job waits for.
        also_in: further regions that must have the version before this returns, without a path here. They get pins,
            too, with the same lease as in ``region``.
        detach: let the request continue if the wait is interrupted. By default Ctrl-C, or any exception from outside,
            cancels it, and other callers continue to wait for the version. With a run id only Ctrl-C and a cancelled
            task do. After any other end, the process that replaces this one joins the request.
        create: create the version if the dataset does not have it. The first version of a dataset is created in any
            case. Otherwise an unknown name is refused, because it may be mistyped.
        progress: show progress, on stderr or in the notebook; or a function that is called with each ``Progress``.
        api: the control plane's address; default ``FOREBAY_API``.
        mount_root: where this machine mounts datasets; default ``FOREBAY_MOUNT_ROOT``, else the region's path.

    Raises:
        EnsureTimeout: if ``timeout`` passed; the platform continues, and a later call joins the work.
        DeadlineExceeded: if ``deadline`` passed and ``on_deadline`` is not ``"run_cold"``.
        ConnectionFailed: if the control plane does not answer.
        NotFound: if there is no such dataset or version; the message names similar ones.
        ApiError: if it refuses: see the package's documentation for the tree of errors.
        ConfigurationError: if an argument or environment variable is missing or wrong.
    """
    terms = _terms(min_coverage, deadline, on_deadline, priority, also_in)
    asked = _asked(name, version, region, holder, reason, run_id, timeout, terms, detach, create, progress, api)
    lease, root = _lease(pin_for), _settings.mount_root(mount_root)
    got = asked.ensure(lease)
    return CachedDataset(got.receipts[0], mount_root=root, _asked=asked, _lease_seconds=lease, _ensured=got)


async def ensure_dataset_cached_async(
    name: str,
    version: str = "latest",
    region: str | None = None,
    pin_for: Duration | None = None,
    *,
    holder: str | None = None,
    reason: str | None = None,
    run_id: str | None = None,
    timeout: Duration | None = None,
    min_coverage: float | None = None,
    deadline: Duration | None = None,
    on_deadline: str | None = None,
    priority: str | None = None,
    also_in: Sequence[str] = (),
    detach: bool = False,
    create: bool = False,
    progress: bool | Callable[[Progress], None] = True,
    api: str | None = None,
    mount_root: str | os.PathLike[str] | None = None,
) -> CachedDataset:
    """The same as ``ensure_dataset_cached``, for asyncio. Hold the version by ``async with``."""
    terms = _terms(min_coverage, deadline, on_deadline, priority, also_in)
    asked = _asked(name, version, region, holder, reason, run_id, timeout, terms, detach, create, progress, api)
    lease, root = _lease(pin_for), _settings.mount_root(mount_root)
    got = await asked.ensure_async(lease)
    return CachedDataset(got.receipts[0], mount_root=root, _asked=asked, _lease_seconds=lease, _ensured=got)


def _asked(
    name: str,
    version: str,
    region: str | None,
    holder: str | None,
    reason: str | None,
    run_id: str | None,
    timeout: Duration | None,
    terms: Terms | None,
    detach: bool,
    create: bool,
    progress: bool | Callable[[Progress], None],
    api: str | None,
) -> EnsureRequest:
    split_dataset(name, "name")
    checked_part("version", version)
    run = Run.of_process(run_id)
    return EnsureRequest(
        api=str(_settings.api_address(api)),
        name=name,
        version=version,
        region=_region.named(region, api),
        holder=holder or (_settings.holder() if run is None else run.holder),
        reason=reason,
        timeout=timeout,
        progress=progress,
        run=run,
        terms=terms,
        detach=detach,
        create=create,
    )


def _terms(
    min_coverage: float | None,
    deadline: Duration | None,
    on_deadline: str | None,
    priority: str | None,
    also_in: Sequence[str],
) -> Terms | None:
    """Returns None for default terms, so that a run's request keeps its key."""
    if isinstance(also_in, str):
        raise ConfigurationError(f"also_in is a list of regions, not {also_in!r}")
    seconds = None if deadline is None else seconds_of(deadline)
    terms = Terms(min_coverage, seconds, on_deadline, priority, tuple(also_in))
    return None if terms == Terms() else terms


def _lease(pin_for: Duration | None) -> int | None:
    return None if pin_for is None else seconds_of(pin_for)


class CachedDataset:
    """A version that is complete in a region.

    As a context manager, by ``with`` or ``async with``, it holds the version. A thread of its own renews the pin, so
    that no training loop can delay renewals, and the end of the block releases it.

        with ensure_dataset_cached("vision/digits", "2026-11-20") as ds:
            train(ds.path)

    Attributes:
        receipt: what the platform promised.
    """

    def __init__(
        self,
        receipt: Receipt,
        *,
        mount_root: Path | None = None,
        _asked: EnsureRequest | None = None,
        _lease_seconds: int | None = None,
        _ensured: Ensured | None = None,
    ) -> None:
        self._mount_root = mount_root
        self._asked = _asked
        self._lease_seconds = _lease_seconds
        self._claim: PinClaim | None
        self._taken(_ensured or Ensured((receipt,), None))
        self._is_kept = False
        self._blocks = 0
        self._path: Path | None = None
        self._released = False
        self._owner = os.getpid()

    @property
    def name(self) -> str:
        """``namespace/name``."""
        return self.receipt.dataset

    @property
    def version(self) -> str:
        return self.receipt.version

    @property
    def region(self) -> str:
        return self.receipt.region

    @property
    def path(self) -> Path:
        """The directory of the version on this machine.

        Raises:
            MountMissing: if this machine does not see it.
        """
        if self._path is None:
            path = self.expected_path
            _mounts.wait_for(path, self.receipt, self._mount_root)
            self._path = path
        return self._path

    @property
    def expected_path(self) -> Path:
        """The path on machines of the region. It is not checked, because this machine may be outside the region."""
        return _mounts.path_of(self.receipt, self._mount_root)

    @property
    def pin(self) -> Pin | None:
        """The pin in ``region``, as of its last renewal; None if there is none.

        A cold receipt may have no pin, because there is nothing to pin before the region has mounted the version.
        """
        return None if self._own is None else self._own.pin

    @property
    def pin_lost(self) -> PinLost | None:
        """Why the pin is lost; None if it is not.

        This is only about the pin in ``region``, whose files are read. A ``ForebayWarning`` reports lost pins in the
        regions of ``also_in``.
        """
        return None if self._own is None else self._own.lost

    def check(self) -> None:
        """Does nothing while the pin is held. Call it between epochs.

        Raises:
            PinLost: if the pin has ended before its release.
        """
        if self.pin_lost is not None:
            raise self.pin_lost

    def renew(self) -> Pin:
        """Renews the leases of all pins, for programs that hold pins without a ``with`` block.

        Raises:
            PinLost: if there is no pin in ``region`` (any more).
        """
        if self._own is None or self._asked is None or self._released:
            raise PinLost(f"there is no pin on {self.name}@{self.version} to renew: it was released, or never taken")
        with Client(self._asked.api) as client:
            renewed = self._own.renew(client, None)
            for held in self._others():
                try:
                    held.renew(client, None)
                except ForebayError as error:
                    _display.warn(
                        f"{error} (in {held.pin.region}; this process reads nothing there)", ForebayWarning, 2
                    )
        return renewed

    def release(self) -> None:
        """Stops renewals and releases all pins; does nothing if there is none. The files stay until eviction."""
        # A forked child has a copy of this object, but the pin belongs to its parent.
        if self._asked is None or self._released or os.getpid() != self._owner:
            return
        self._released = True
        atexit.unregister(self.release)
        for held in self._held:
            held.stop()
        if self._claim is not None:
            self._claim.give_back()
        alive = [held for held in self._held if held.lost is None]
        if alive:
            with contextlib.suppress(ForebayError), Client(self._asked.api) as client:
                for held in alive:
                    held.release(client)

    def __enter__(self) -> CachedDataset:
        asked = self._to_hold()
        if not self._is_kept:
            if not self._still_held():
                # A failed ensure gives the claim back, so this object must not keep it.
                claim, self._claim = self._claim, None
                self._taken(asked.ensure(self._held_lease(), claim, self._receipts))
            self._keep(asked)
        self._blocks += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_left():
            self.release()

    async def __aenter__(self) -> CachedDataset:
        asked = self._to_hold()
        if not self._is_kept:
            if not await asyncio.to_thread(self._still_held):
                claim, self._claim = self._claim, None
                self._taken(await asked.ensure_async(self._held_lease(), claim, self._receipts))
            self._keep(asked)
        self._blocks += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_left():
            await asyncio.to_thread(self.release)

    def _is_left(self) -> bool:
        """Returns whether the outermost block ends. An inner block must not release the pin."""
        self._blocks -= 1
        return self._blocks == 0

    def _to_hold(self) -> EnsureRequest:
        if self._asked is None or self._released:
            raise ForebayError(f"{self.name}@{self.version} has been released: call ensure_dataset_cached again")
        return self._asked

    def _still_held(self) -> bool:
        """Returns whether the pins of the receipts still live. One may have ended since, and the version with it."""
        if self._asked is None or self._claim is None:
            return False  # no pin was requested
        with Client(self._asked.api) as client:
            for held in self._held:
                try:
                    held.renew(client, _ENTRY_RETRY_SECONDS)
                except PinLost:
                    return False
                except ForebayError:
                    pass  # the control plane does not answer; the keeper retries while the pin can live
        # A version that was mounted at the deadline can be pinned, although the region gave no pin in time.
        return self._own is not None or (self.receipt.cold is not None and self.receipt.path is None)

    def _has_what_it_can(self) -> bool:
        # A version that was not mounted at the deadline is read cold and cannot be pinned.
        return self._own is not None or self.receipt.cold is not None

    def _held_lease(self) -> int:
        self._lease_seconds = self._lease_seconds or HELD_LEASE_SECONDS
        return self._lease_seconds

    def _taken(self, ensured: Ensured) -> None:
        # Receipt and pin must come together, because the version could be evicted in between.
        self._receipts = ensured.receipts
        self.receipt = ensured.receipts[0]
        self._claim = ensured.claim
        pins = [receipt.pin for receipt in ensured.receipts if receipt.pin is not None]
        self._held = [HeldPin(pin, is_read=pin.region == self.region) for pin in pins]
        self._own = next((held for held in self._held if held.is_read), None)

    def _others(self) -> list[HeldPin]:
        return [held for held in self._held if not held.is_read and held.lost is None]

    def _keep(self, asked: EnsureRequest) -> None:
        if not self._has_what_it_can():
            raise ForebayError(
                f"the platform gave no pin on {self.name}@{self.version}: call ensure_dataset_cached again"
            )
        for held in self._held:
            held.keep(asked.api, self._held_lease())
        self._is_kept = True
        atexit.register(self.release)

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"<CachedDataset {self.name}@{self.version} in {self.region}, {self.receipt.bytes_verified} bytes>"

    def __reduce__(
        self,
    ) -> tuple[Callable[[Receipt, Path | None], CachedDataset], tuple[Receipt, Path | None]]:
        # Data loaders send datasets to other processes. Those only read, and this process keeps the pin.
        return _reader_of, (self.receipt, self._mount_root)


def _reader_of(receipt: Receipt, mount_root: Path | None) -> CachedDataset:
    return CachedDataset(receipt, mount_root=mount_root)
