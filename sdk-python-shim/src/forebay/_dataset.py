"""``ensure_dataset_cached`` and what it returns."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from forebay import _mounts, _settings
from forebay._client import Client
from forebay._errors import ConfigurationError, ForebayError, NotFound, PinLost
from forebay._keeper import PinKeeper
from forebay._models import Pin, Progress, Receipt, Terms
from forebay._request import Ensured, EnsureRequest
from forebay._runs import PinClaim, Run
from forebay._values import Duration, checked_part, seconds_of, split_dataset

HELD_LEASE_SECONDS = 300
"""The lease of a pin that a ``with`` block takes when the caller named none: renewed, so short is safe."""

_ENTRY_RETRY_SECONDS = 5.0
_RELEASE_RETRY_SECONDS = 5.0


def ensure_dataset_cached(
    name: str,
    version: str,
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
    progress: bool | Callable[[Progress], None] = True,
    api: str | None = None,
    mount_root: str | os.PathLike[str] | None = None,
) -> CachedDataset:
    """Returns when every byte of a version is in the region and verified.

    Args:
        name: ``namespace/name`` of the dataset.
        version: the version's name.
        region: where; default ``FOREBAY_REGION``.
        pin_for: hold the version for this long (``"12h"``, ``"90s"``, a ``timedelta``, seconds). In a ``with`` block
            the pin is renewed in the background, so this is only how long it outlives a job that dies; without one,
            the pin simply lives this long. Default: no pin; a ``with`` block then takes a renewed one of five minutes.
        holder: who holds the pin, for people; default ``user@host``, or the run if there is one.
        reason: what for, for people.
        run_id: what a process that is started again after a crash has in common with the one before, and with no other
            run; default ``FOREBAY_RUN_ID``. It then takes over that one's request and pin, instead of holding the
            version twice until the first lease ends. Ranks of a distributed job may share it.
        timeout: how long to wait; default: as long as it takes.
        min_coverage: the part of the bytes, 0 to 1, that will do to begin with; the filling goes on.
        deadline: by when the platform is to answer in any case; unlike ``timeout`` it counts restarts of this process.
        on_deadline: what it then is if not enough is there: ``"fail"`` (default), or ``"run_cold"``: what is missing
            is fetched when it is read, and ``receipt.cold`` says why.
        priority: ``"interactive"`` (the default), or ``"speculative"`` for what nobody waits for.
        also_in: further regions that must have the version before this returns, without a path here.
        progress: show progress, on stderr or in the notebook; or a function that is called with each ``Progress``.
        api: the control plane's address; default ``FOREBAY_API``.
        mount_root: where this machine mounts datasets; default ``FOREBAY_MOUNT_ROOT``, else what the region says.

    Raises:
        EnsureTimeout: if ``timeout`` passed; the platform goes on, and a later call joins the work.
        DeadlineExceeded: if ``deadline`` passed and ``on_deadline`` is not ``"run_cold"``.
        ConnectionFailed: if the control plane does not answer.
        ApiError: if it refuses: see the package's documentation for the tree of errors.
        ConfigurationError: if an argument or environment variable is missing or wrong.
    """
    terms = _terms(min_coverage, deadline, on_deadline, priority, also_in)
    asked = _asked(name, version, region, holder, reason, run_id, timeout, terms, progress, api)
    lease, root = _lease(pin_for), _settings.mount_root(mount_root)
    got = asked.ensure(lease)
    return CachedDataset(got.receipt, mount_root=root, _asked=asked, _lease_seconds=lease, _claim=got.claim)


async def ensure_dataset_cached_async(
    name: str,
    version: str,
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
    progress: bool | Callable[[Progress], None] = True,
    api: str | None = None,
    mount_root: str | os.PathLike[str] | None = None,
) -> CachedDataset:
    """The same as ``ensure_dataset_cached``, for asyncio; hold the version by ``async with``."""
    terms = _terms(min_coverage, deadline, on_deadline, priority, also_in)
    asked = _asked(name, version, region, holder, reason, run_id, timeout, terms, progress, api)
    lease, root = _lease(pin_for), _settings.mount_root(mount_root)
    got = await asked.ensure_async(lease)
    return CachedDataset(got.receipt, mount_root=root, _asked=asked, _lease_seconds=lease, _claim=got.claim)


def release_dataset(
    name: str,
    version: str,
    region: str | None = None,
    *,
    run_id: str | None = None,
    holder: str | None = None,
    api: str | None = None,
) -> None:
    """Lets go of what a run holds, from whatever process: for the last step of a pipeline whose first one holds.

    Does nothing if the run holds nothing there (any more).

    Args:
        name: ``namespace/name`` of the dataset.
        version: the version's name.
        region: where; default ``FOREBAY_REGION``.
        run_id: the run, as ``ensure_dataset_cached`` was told; default ``FOREBAY_RUN_ID``.
        holder: the holder, if ``ensure_dataset_cached`` was told one.
        api: the control plane's address; default ``FOREBAY_API``.
    """
    run = Run.of_process(run_id)
    if run is None:
        raise ConfigurationError("no run is named: pass run_id, or set FOREBAY_RUN_ID")
    region = _settings.region(region)
    pin_id = run.pin_id(name, version, region, holder or run.holder)
    with Client(api) as client, contextlib.suppress(NotFound):
        if version == "latest":
            # What it meant when the pin was taken; there may be a later one since.
            held = [pin.version for pin in client.pins(region) if (pin.dataset, pin.id) == (name, pin_id)]
        else:
            held = [version]
        for each in held:
            client.unpin(name, each, region, pin_id)


def _asked(
    name: str,
    version: str,
    region: str | None,
    holder: str | None,
    reason: str | None,
    run_id: str | None,
    timeout: Duration | None,
    terms: Terms | None,
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
        region=_settings.region(region),
        holder=holder or (_settings.holder() if run is None else run.holder),
        reason=reason,
        timeout=timeout,
        progress=progress,
        run=run,
        terms=terms,
    )


def _terms(
    min_coverage: float | None,
    deadline: Duration | None,
    on_deadline: str | None,
    priority: str | None,
    also_in: Sequence[str],
) -> Terms | None:
    """None if nothing is said, so that a run's request keeps the key that it has."""
    if isinstance(also_in, str):
        raise ConfigurationError(f"also_in is a list of regions, not {also_in!r}")
    seconds = None if deadline is None else seconds_of(deadline)
    terms = Terms(min_coverage, seconds, on_deadline, priority, tuple(also_in))
    return None if terms == Terms() else terms


def _lease(pin_for: Duration | None) -> int | None:
    return None if pin_for is None else seconds_of(pin_for)


class CachedDataset:
    """A version that is complete in a region.

    As a context manager, by ``with`` or ``async with``, it holds the version: a pin is renewed in the background, by a
    thread of its own that no training loop can starve, and released at the end.

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
        _claim: PinClaim | None = None,
    ) -> None:
        self._mount_root = mount_root
        self._asked = _asked
        self._lease_seconds = _lease_seconds
        self._pin: Pin | None
        self._taken(Ensured(receipt, _claim))
        self._keeper: PinKeeper | None = None
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
        """Where a machine of the region sees the version; not checked, as this need not be one."""
        return _mounts.path_of(self.receipt, self._mount_root)

    @property
    def pin(self) -> Pin | None:
        """The pin that holds the version, as of its last renewal."""
        return self._keeper.pin if self._keeper is not None else self._pin

    @property
    def pin_lost(self) -> PinLost | None:
        """Why the pin is lost; None while all is well."""
        return self._keeper.lost if self._keeper is not None else None

    def check(self) -> None:
        """Does nothing while the pin is held; call it between epochs.

        Raises:
            PinLost: if the pin has ended though nobody released it.
        """
        if self.pin_lost is not None:
            raise self.pin_lost

    def renew(self) -> Pin:
        """Lets the pin's lease begin anew: for programs that hold one without a ``with`` block.

        Raises:
            PinLost: if there is no pin (any more).
        """
        return self._renew(None)

    def _renew(self, retry_seconds: float | None) -> Pin:
        pin = self.pin
        if pin is None or self._asked is None or self._released:
            raise PinLost(f"there is no pin on {self.name}@{self.version} to renew: it was released, or never taken")
        try:
            with Client(self._asked.api) as client:
                sent_at = time.monotonic()
                renewed = client.renew(self.name, self.version, self.region, pin.id, retry_seconds=retry_seconds)
        except NotFound as error:
            raise PinLost(f"the pin {pin.id} on {self.name}@{self.version} has ended: {error.detail}") from error
        self._pin = renewed
        self._renewed_at = sent_at
        if self._keeper is not None:
            self._keeper.renewed(renewed, sent_at)
        return renewed

    def release(self) -> None:
        """Stops renewing and lets go of the pin; does nothing if there is none. The files stay until eviction."""
        # A forked child has a copy of us; the pin is its parent's.
        if self._asked is None or self._released or os.getpid() != self._owner:
            return
        self._released = True
        atexit.unregister(self.release)
        pin, lost = self.pin, self.pin_lost
        if self._keeper is not None:
            self._keeper.stop()
        if pin is None:
            return
        if self._claim is not None:
            self._claim.give_back()
        if lost is not None:
            return
        # If the control plane is away, the end of the lease does the same a little later.
        with contextlib.suppress(ForebayError), Client(self._asked.api) as client:
            client.unpin(self.name, self.version, self.region, pin.id, retry_seconds=_RELEASE_RETRY_SECONDS)

    def __enter__(self) -> CachedDataset:
        asked = self._to_hold()
        if self._keeper is None:
            if not self._still_held():
                self._taken(asked.ensure(self._held_lease()))
            self._keep(asked)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    async def __aenter__(self) -> CachedDataset:
        asked = self._to_hold()
        if self._keeper is None:
            if not await asyncio.to_thread(self._still_held):
                self._taken(await asked.ensure_async(self._held_lease()))
            self._keep(asked)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.release)

    def _to_hold(self) -> EnsureRequest:
        if self._asked is None or self._released:
            raise ForebayError(f"{self.name}@{self.version} has been released: call ensure_dataset_cached again")
        return self._asked

    def _still_held(self) -> bool:
        """Whether the pin that came with the receipt lives: it may have ended since, and with it the version."""
        if self._pin is None:
            return False
        try:
            self._renew(_ENTRY_RETRY_SECONDS)
        except PinLost:
            if self._claim is not None:
                self._claim.give_back()
            return False
        except ForebayError:
            pass  # Nobody answers; the keeper goes on asking for as long as the pin can live.
        return True

    def _held_lease(self) -> int:
        self._lease_seconds = self._lease_seconds or HELD_LEASE_SECONDS
        return self._lease_seconds

    def _taken(self, ensured: Ensured) -> None:
        # A receipt and its pin come together: in between the version could be evicted.
        self.receipt = ensured.receipt
        self._pin = ensured.receipt.pin
        self._claim = ensured.claim
        self._renewed_at = time.monotonic()

    def _keep(self, asked: EnsureRequest) -> None:
        if self._pin is None:
            raise ForebayError(f"the platform gave no pin on {self.name}@{self.version}")
        self._keeper = PinKeeper(asked.api, self._pin, self._held_lease(), self._renewed_at)
        atexit.register(self.release)

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"<CachedDataset {self.name}@{self.version} in {self.region}, {self.receipt.bytes_verified} bytes>"

    def __reduce__(
        self,
    ) -> tuple[Callable[[Receipt, Path | None], CachedDataset], tuple[Receipt, Path | None]]:
        # Data loaders send datasets to other processes: these read, while we go on holding the pin.
        return _reader_of, (self.receipt, self._mount_root)


def _reader_of(receipt: Receipt, mount_root: Path | None) -> CachedDataset:
    return CachedDataset(receipt, mount_root=mount_root)
