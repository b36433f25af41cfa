"""How an ``ensure`` is brought to its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from forebay import _calls
from forebay._calls import MAX_WAIT_SECONDS
from forebay._errors import ConnectionFailed, EnsureTimeout, NotFound, UnexpectedAnswer
from forebay._exchange import Exchanges, Operation
from forebay._models import EnsureStatus, PinSpec, Progress, Receipt, Terms
from forebay._values import Duration, human_bytes, seconds_of

ACCEPTED_RETRY_SECONDS = 900.0
"""How long a control plane that has accepted a request may be away before the caller is told."""

_MAX_RESENDS = 5
_FIRST_WAIT_SECONDS = 1


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
) -> Operation[Receipt]:
    """Asks for a version, looks after the request, and returns the receipt.

    The first request is given up as any other is. Once it is accepted, outages of up to ``ACCEPTED_RETRY_SECONDS`` are
    waited out: the work goes on without us.

    Raises:
        EnsureTimeout: if it takes longer than ``timeout``.
    """
    key = idempotency_key or _calls.new_id()
    seconds = None if timeout is None else seconds_of(timeout)
    deadline = None if seconds is None else time.monotonic() + seconds
    # Somebody who watches wants figures every second; everybody else holds fewer, longer requests.
    longest_wait = MAX_WAIT_SECONDS if on_progress is None else 1
    seen: EnsureStatus | None = None
    told: Progress | None = None
    resends = 0
    # Short at first, that we soon know the request is accepted; but not so short that one who asks for what is there
    # already is told of progress.
    wait = _FIRST_WAIT_SECONDS
    while True:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0 and seen is not None:
            raise _timeout(dataset, version, region, seconds, seen)
        if seen is None:
            call = _calls.ensure(dataset, version, region, pin, wait, key, run_id, terms)
            limit = exchanges.retry_seconds
        else:
            call = _calls.ensure_status(dataset, version, region, seen.request_id, wait)
            limit = ACCEPTED_RETRY_SECONDS
        try:
            status = yield from exchanges.one(call, limit if left is None else max(0.0, min(limit, left)))
        except NotFound:
            # The platform does not know our request (any more): say it again under the same key.
            if seen is None or resends >= _MAX_RESENDS:
                raise
            resends += 1
            seen = None
            continue
        except ConnectionFailed as error:
            if seen is not None and deadline is not None and time.monotonic() >= deadline:
                raise _timeout(dataset, version, region, seconds, seen) from error
            raise
        if not status.done:
            status = _not_before(told, status)
            told = status.progress or told
        seen = status
        if status.done:
            if status.receipt is None:
                raise UnexpectedAnswer("the control plane says that the request is done but gives no receipt")
            return status.receipt
        if on_progress is not None and status.progress is not None:
            on_progress(status.progress)
        wait = longest_wait if deadline is None else _wait(longest_wait, deadline - time.monotonic())


def _not_before(told: Progress | None, status: EnsureStatus) -> EnsureStatus:
    """The answer, without less than was told before: what is counted anew after a crash was there all the same."""
    now = status.progress
    if told is None or now is None:
        return status
    size = told.bytes if now.bytes is None else now.bytes
    return replace(status, progress=replace(now, bytes_cached=max(told.bytes_cached, now.bytes_cached), bytes=size))


def _wait(longest: int, left: float) -> int:
    return max(0, min(longest, int(left + 0.999)))


def _timeout(dataset: str, version: str, region: str, seconds: float | None, seen: EnsureStatus) -> EnsureTimeout:
    progress = seen.progress
    how_far = ""
    if progress is not None:
        total = "" if progress.bytes is None else f" of {human_bytes(progress.bytes)}"
        how_far = f" ({progress.state}, {human_bytes(progress.bytes_cached)}{total})"
    return EnsureTimeout(
        f"{dataset}@{version} was not complete in {region} within {seconds:.0f} s{how_far}; "
        "the platform goes on with it, and asking again joins it; "
        f"'forebay cancel {dataset}@{version} {seen.request_id}' takes it back",
        progress=progress,
        request_id=seen.request_id,
    )
