"""Carries out an ``ensure``."""

from __future__ import annotations

import time
from asyncio import CancelledError
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from forebay import _calls
from forebay._calls import MAX_WAIT_SECONDS, Call
from forebay._errors import ApiError, Cancelled, EnsureTimeout, ForebayError, NotFound, UnexpectedAnswer, add_note
from forebay._exchange import Exchanges, Operation, Pause, Pauses, is_not_now, may_pass
from forebay._models import EnsureStatus, PinSpec, Progress, Receipt, Terms
from forebay._values import Duration, human_bytes, seconds_of

ACCEPTED_RETRY_SECONDS = 900.0
"""How long an accepted request survives an absent or refusing control plane before the caller gets an error."""

CANCEL_SECONDS = 5.0
"""How long an interrupted caller waits for the answer to a cancellation."""

_MAX_RESENDS = 5
_FIRST_WAIT_SECONDS = 1
_ACCEPTED_WITHIN = (0.5, 1.0)
"""Pauses between cancellations of a request without an answer so far, because it may still be arriving."""


def ensure(
    exchanges: Exchanges,
    dataset: str,
    version: str,
    region: str,
    *,
    pin: PinSpec | None,
    timeout: Duration | None,
    on_progress: Callable[[Progress], None] | None,
    idempotency_key: str | None,
    run_id: str | None,
    terms: Terms | None,
    detach: bool,
    create: bool = False,
    on_answer: Callable[[EnsureStatus], None] | None = None,
) -> Operation[tuple[Receipt, ...]]:
    """Requests a version, follows the request, and returns a receipt of each region, ``region`` first.

    A failure of the first request ends it like any other call. Once it is accepted, outages of up to
    ``ACCEPTED_RETRY_SECONDS`` do not end it, because the platform continues the work. ``on_answer`` receives each
    answer first.

    An interrupted wait cancels the request, unless ``detach`` is set, and the exception has a note of the result. A
    request with an ``idempotency_key`` is shared with the process that replaces this one. It is cancelled only by a
    decision about the work, Ctrl-C or a cancelled task, and not when just this process ends.

    Raises:
        EnsureTimeout: if it takes longer than ``timeout``.
    """
    asked = _Asked(dataset, version, region, pin, idempotency_key or _calls.new_id(), run_id, terms, create)
    wait = _Wait(exchanges, asked, None if timeout is None else seconds_of(timeout), on_progress, on_answer)
    return _cancelling(wait, detach=detach, shared=idempotency_key is not None)


def _cancelling(wait: _Wait, *, detach: bool, shared: bool) -> Operation[tuple[Receipt, ...]]:
    try:
        return (yield from wait.run())
    except (GeneratorExit, ForebayError):
        raise
    except BaseException as interruption:
        goes_on = detach or (shared and not isinstance(interruption, (KeyboardInterrupt, CancelledError)))
        try:
            add_note(interruption, wait.note_of_continuing() if goes_on else (yield from wait.cancel()))
        except BaseException as again:
            for each in (interruption, again):
                add_note(each, wait.note_of_no_answer())
            raise
        raise


def prefetch(exchanges: Exchanges, dataset: str, version: str, region: str, create: bool) -> Operation[EnsureStatus]:
    """Sends a hint for the version of an alias, because the shared key of a hint would fix the alias forever."""
    meant = version
    if version != "latest":
        aliases = yield from exchanges.one(_calls.aliases(dataset))
        meant = next((each.version for each in aliases if each.alias == version), version)
    return (yield from exchanges.one(_calls.prefetch(dataset, meant, region, create)))


@dataclass(frozen=True)
class _Asked:
    """A request with one key, so that it stays one request however often it is sent."""

    dataset: str
    version: str
    region: str
    pin: PinSpec | None
    key: str
    run_id: str | None
    terms: Terms | None
    create: bool

    def send(self, wait: int) -> Call[EnsureStatus]:
        return _calls.ensure(
            self.dataset, self.version, self.region, self.pin, wait, self.key, self.run_id, self.terms, self.create
        )

    def look(self, request_id: str, wait: int) -> Call[EnsureStatus]:
        return _calls.ensure_status(self.dataset, self.version, self.region, request_id, wait)

    @property
    def answered_within(self) -> float:
        """Returns the seconds within which the platform must answer."""
        seconds = None if self.terms is None else self.terms.deadline_seconds
        return inf if seconds is None else seconds


class _Wait:
    """The wait of one caller for one request."""

    def __init__(
        self,
        exchanges: Exchanges,
        asked: _Asked,
        seconds: int | None,
        on_progress: Callable[[Progress], None] | None,
        on_answer: Callable[[EnsureStatus], None] | None,
    ) -> None:
        self._exchanges = exchanges
        self._asked = asked
        self._seconds = seconds
        self._begun = time.monotonic()
        self._on_progress = on_progress
        self._on_answer = on_answer
        # A progress display needs figures every second. Other callers send fewer, longer requests.
        self._longest = MAX_WAIT_SECONDS if on_progress is None else 1
        self._seen: EnsureStatus | None = None
        self._told: Progress | None = None
        self._is_under_way = False
        self._resends = 0
        self._setbacks = _Setbacks()

    def run(self) -> Operation[tuple[Receipt, ...]]:
        while True:
            if self._seen is not None and self._left() <= 0:
                raise self._timeout(self._seen)
            try:
                status = yield from self._answer()
            except NotFound as error:
                self._forgotten(error)
            except ForebayError as error:
                yield Pause(self._pause_after(error))
            else:
                if self._on_answer is not None:
                    self._on_answer(status)
                if status.done:
                    return _receipts(status)
                self._goes_on(status)

    def note_of_continuing(self) -> str:
        return f"{self._named()} continues; {self._how_to_cancel()}"

    def note_of_no_answer(self) -> str:
        return f"{self._named()} may continue, because its cancellation was interrupted; {self._how_to_cancel()}"

    def cancel(self) -> Operation[str]:
        """Cancels the request, and returns the result in words."""
        call = _calls.cancel(self._asked.dataset, self._version(), self._request_id()).within(CANCEL_SECONDS)
        for pause in (*_ACCEPTED_WITHIN, None):
            try:
                yield from self._exchanges.one(call, 0.0)
            except NotFound:
                # The platform may not have recorded a request that was just sent.
                if self._seen is not None or pause is None:
                    return f"{self._named()} is not known to the platform"
                yield Pause(pause)
            except ForebayError as error:
                if (yield from self._is_cancelled()):
                    break
                return (
                    f"{self._named()} may continue, because its cancellation failed ({error}); {self._how_to_cancel()}"
                )
            else:
                break
        return f"{self._named()} is cancelled; other requests for the version continue"

    def _is_cancelled(self) -> Operation[bool]:
        """Returns whether the platform knows of the cancellation, which it answers only when the bytes are gone."""
        look = self._asked.look(self._request_id(), 0).within(CANCEL_SECONDS)
        try:
            yield from self._exchanges.one(look, 0.0, until_answered=True)
        except Cancelled:
            return True
        except ForebayError:
            pass
        return False

    def _named(self) -> str:
        return f"request {self._request_id()} of {self._asked.dataset}@{self._version()}"

    def _how_to_cancel(self) -> str:
        return f"'forebay cancel {self._asked.dataset}@{self._version()} {self._request_id()}' cancels it"

    def _request_id(self) -> str:
        return self._asked.key if self._seen is None else self._seen.request_id

    def _version(self) -> str:
        """Returns the version's own name, if an answer has said what ``latest`` means."""
        return (None if self._seen is None else self._seen.version) or self._asked.version

    def _answer(self) -> Operation[EnsureStatus]:
        left, seen = self._left(), self._seen
        if seen is None:
            # Short, to learn soon that the request is accepted. Long enough to skip the progress display for a version
            # that is already present.
            return self._exchanges.one(self._asked.send(_FIRST_WAIT_SECONDS), min(self._exchanges.retry_seconds, left))
        wait = max(0, int(min(self._longest, left + 0.999)))
        call = self._asked.look(seen.request_id, wait) if self._is_under_way else self._asked.send(wait)
        return self._exchanges.one(call, max(0.0, min(ACCEPTED_RETRY_SECONDS, left)), until_answered=True)

    def _forgotten(self, error: NotFound) -> None:
        """Sends the request again under the same key, because the platform does not know it (any more)."""
        if not self._is_under_way or self._resends >= _MAX_RESENDS:
            raise error
        self._resends += 1
        self._is_under_way = False

    def _pause_after(self, error: ForebayError) -> float:
        """Returns how long to wait before the request is sent again, in seconds.

        An accepted request that the platform refused temporarily may have ended, and would be refused forever. Sending
        it again restarts it, or joins it if it still runs.
        """
        if self._seen is None or not may_pass(error):
            raise error
        left = self._left()
        if left <= 0:
            raise self._timeout(self._seen) from error
        # A caller with a deadline must not wait for several deadlines in a row.
        is_in_time = time.monotonic() - self._begun < self._asked.answered_within
        pause = self._setbacks.next_pause(error) if is_in_time and is_not_now(error) else None
        if pause is None:
            raise error
        self._is_under_way = False
        return min(pause, left)

    def _goes_on(self, status: EnsureStatus) -> None:
        self._is_under_way = True
        self._seen = _not_before(self._told, status)
        progress = self._seen.progress
        if progress is not None:
            self._told = progress
            if self._on_progress is not None:
                self._on_progress(progress)

    def _left(self) -> float:
        """Returns the caller's remaining time, in seconds; infinite without a timeout."""
        return inf if self._seconds is None else self._begun + self._seconds - time.monotonic()

    def _timeout(self, seen: EnsureStatus) -> EnsureTimeout:
        asked, progress = self._asked, seen.progress
        how_far = ""
        if progress is not None:
            total = "" if progress.bytes is None else f" of {human_bytes(progress.bytes)}"
            waiting = progress.waiting
            why = "" if waiting is None else f", waits: {waiting.code}: {waiting.message}"
            how_far = f" ({progress.state}, {human_bytes(progress.bytes_cached)}{total}{why})"
        version = f"{asked.dataset}@{asked.version}"
        pinned = "" if asked.pin is None else ", and will pin it"
        return EnsureTimeout(
            f"{version} was not complete in {asked.region} within {self._seconds} s{how_far}. "
            f"The platform continues the request{pinned}. Call again to join it; "
            f"'forebay cancel {version} {seen.request_id}' cancels it; "
            f"'forebay explain {version} --region {asked.region}' shows what delays it",
            progress=progress,
            request_id=seen.request_id,
        )


class _Setbacks:
    """Counts the temporary refusals of an accepted request, and chooses the pauses."""

    def __init__(self) -> None:
        self._pauses: Pauses | None = None
        self._last = 0.0

    def next_pause(self, error: ForebayError) -> float | None:
        """Returns the next pause in seconds, or None after refusals for ``ACCEPTED_RETRY_SECONDS``."""
        now = time.monotonic()
        # A refusal after such a long time without any has a new reason.
        if self._pauses is None or now - self._last >= ACCEPTED_RETRY_SECONDS:
            self._pauses = Pauses(ACCEPTED_RETRY_SECONDS)
        self._last = now
        return self._pauses.next(error.retry_after if isinstance(error, ApiError) else None)


def _receipts(status: EnsureStatus) -> tuple[Receipt, ...]:
    first = status.receipt
    if first is None:
        raise UnexpectedAnswer("the control plane sent no receipt of a complete request: upgrade it, or this package")
    return (first, *(each for each in status.receipts if each.region != first.region))


def _not_before(told: Progress | None, status: EnsureStatus) -> EnsureStatus:
    """Returns the answer, with at least the earlier progress: a crash may reset the counts, but the bytes stay."""
    now = status.progress
    if told is None or now is None:
        return status
    size = told.bytes if now.bytes is None else now.bytes
    return replace(status, progress=replace(now, bytes_cached=max(told.bytes_cached, now.bytes_cached), bytes=size))
