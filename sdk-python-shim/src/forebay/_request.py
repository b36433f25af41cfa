"""A request of a caller, which can be repeated."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from forebay import _calls, _ensure, _held, _settings
from forebay._calls import Call, new_id
from forebay._client import AsyncClient, Client
from forebay._ensure import CANCEL_SECONDS
from forebay._errors import EnsureTimeout, ForebayError
from forebay._exchange import Exchanges, Operation
from forebay._models import EnsureStatus, PinSpec, Progress, Receipt, Terms
from forebay._progress import ProgressDisplay, Reasons
from forebay._runs import PinClaim, Run
from forebay._values import Duration


@dataclass(frozen=True)
class Ensured:
    """The promise of the platform. ``claim`` is on the id of the pins, if there are any.

    Attributes:
        receipts: of each region. The first is that of the region whose files are read.
    """

    receipts: tuple[Receipt, ...]
    claim: PinClaim | None


@dataclass(frozen=True)
class EnsureRequest:
    """A request for a version in a region, with the caller's way to wait."""

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
    detach: bool = False
    create: bool = False

    def ensure(
        self, lease_seconds: int | None, claim: PinClaim | None = None, there: Sequence[Receipt] = ()
    ) -> Ensured:
        """Waits for the version, and for pins if there is a lease.

        Args:
            claim: on the id of the pins, if they had one before.
            there: receipts of an earlier call. A version without pins then only needs pins, and no wait unless it has
                left the region.
        """
        claim = claim or self._claim(lease_seconds)
        with Client(self.api) as client, self._shown() as show, _given_back(claim):
            receipts = client._run(self._operation(client._exchanges, claim, lease_seconds, there, show))
        return Ensured(receipts, claim)

    async def ensure_async(
        self, lease_seconds: int | None, claim: PinClaim | None = None, there: Sequence[Receipt] = ()
    ) -> Ensured:
        """The same, for asyncio. Cancelling the task releases the pins."""
        claim = claim or self._claim(lease_seconds)
        async with AsyncClient(self.api) as client:
            with self._shown() as show, _given_back(claim):
                receipts = await client._run(self._operation(client._exchanges, claim, lease_seconds, there, show))
        return Ensured(receipts, claim)

    def _operation(
        self,
        exchanges: Exchanges,
        claim: PinClaim | None,
        lease_seconds: int | None,
        there: Sequence[Receipt],
        show: _Shown,
    ) -> Operation[tuple[Receipt, ...]]:
        meant = _Meant(there[0].version if there else self.version)
        try:
            return (yield from self._receipts(exchanges, self._pin(claim, lease_seconds), there, show, meant))
        except (GeneratorExit, EnsureTimeout):
            raise  # after a time-out the request continues, with its pins
        except BaseException as error:
            if isinstance(error, ForebayError) or not self.detach:
                for unpin in self._unpins(claim, meant):
                    with contextlib.suppress(ForebayError):
                        yield from exchanges.one(unpin.within(CANCEL_SECONDS), 0.0)
            raise

    def _receipts(
        self, exchanges: Exchanges, pin: PinSpec | None, there: Sequence[Receipt], show: _Shown, meant: _Meant
    ) -> Operation[tuple[Receipt, ...]]:
        if there and pin is not None and all(receipt.pin is None for receipt in there):
            held = yield from _held.take(exchanges, there, pin)
            if held is not None:
                return held

        def hear(answer: EnsureStatus) -> None:
            meant.hear(answer)
            show.hear(answer)

        receipts = yield from _ensure.ensure(
            exchanges,
            self.name,
            meant.version,
            self.region,
            pin=pin,
            timeout=self.timeout,
            on_progress=show.progress,
            idempotency_key=self._key(pin),
            run_id=None if self.run is None else self.run.id,
            terms=self.terms,
            detach=self.detach,
            create=self.create,
            on_answer=hear,
        )
        show.done(receipts[0])
        return receipts

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

    def _unpins(self, claim: PinClaim | None, meant: _Meant) -> list[Call[None]]:
        """Returns the requests that release pins which a failed request may have taken.

        A pin of a run may be that of the previous process, and the next one needs it. Other pins end with their lease
        if they cannot be released.
        """
        if claim is None or self.run is not None:
            return []
        regions = [self.region, *(() if self.terms is None else self.terms.also_in)]
        return [_calls.unpin(self.name, meant.version, region, claim.id) for region in regions]

    @contextlib.contextmanager
    def _shown(self) -> Iterator[_Shown]:
        if isinstance(self.progress, Reasons):
            # Answers contain the reasons. Only a progress display asks every second.
            yield _Shown(None, lambda receipt: None, self.progress)
            return
        if self.progress is not True:
            yield _Shown(self.progress or None, lambda receipt: None)
            return
        display = ProgressDisplay(f"{self.name}@{self.version} in {self.region}")
        try:
            yield _Shown(display, lambda receipt: display.done(receipt.bytes_verified, _bytes_of_more(receipt)))
        finally:
            display.close()


@contextlib.contextmanager
def _given_back(claim: PinClaim | None) -> Iterator[None]:
    """Gives back the claim on the id of the pins if the block fails."""
    try:
        yield
    except BaseException:
        if claim is not None:
            claim.give_back()
        raise


def _bytes_of_more(receipt: Receipt) -> int | None:
    """Returns the size of the version if only a part is present, 0 if it is not known yet; None if all is present."""
    whole = receipt.cold is None and receipt.coverage >= 1
    return None if whole else receipt.bytes or 0


class _Meant:
    """The version, by its own name once that is known.

    A request for "latest" keeps its version, even if there is a later one since.
    """

    def __init__(self, version: str) -> None:
        self.version = version

    def hear(self, answer: EnsureStatus) -> None:
        self.version = answer.version or self.version


@dataclass(frozen=True)
class _Shown:
    """The receivers of progress and of the result."""

    progress: Callable[[Progress], None] | None
    done: Callable[[Receipt], None]
    reasons: Reasons | None = None

    def hear(self, answer: EnsureStatus) -> None:
        if self.reasons is not None and answer.progress is not None:
            for region in answer.regions or (answer.progress,):
                self.reasons(region)
