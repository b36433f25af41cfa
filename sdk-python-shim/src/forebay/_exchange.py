"""What a client does to have a call answered, without doing it: send, pause, send again, read the answer.

An ``Operation`` is a generator. It yields what is to be done next, is sent what came of it, and returns the result. All
decisions are made in operations; the two clients carry them out, one by blocking and one by awaiting. An exception that
interrupts a client, such as Ctrl-C, is thrown into the operation, which may do more before it raises it again.

Every request of the API may be sent twice without harm: a dataset that is there already is answered as it is,
``ensure`` carries an idempotency key, a pin has an id that its holder chose, the rest states what should be.
So a lost connection, whether before or after the server has read the request, is always answered by sending it
again, with growing pauses, until a time limit.
"""

from __future__ import annotations

import contextlib
import inspect
import random
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TypeVar

import httpx

from forebay._calls import Call, Paged, Request
from forebay._errors import ApiError, ConnectionFailed, ForebayError, add_note, notes
from forebay._proxies import Route

T = TypeVar("T")

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_LONGEST_RETRY_AFTER_SECONDS = 60.0

# The codes that pass by themselves. LAKE_UNAVAILABLE and its like are left out though somebody may try again later:
# the platform has retried them itself before it says so.
_PASSING = frozenset({"EVICTING", "UNAVAILABLE"})


@dataclass(frozen=True)
class Pause:
    """To do nothing for so long."""

    seconds: float


Outcome = httpx.Response | httpx.RequestError | None
"""What came of a request; None after a pause, and at the beginning."""

Operation = Generator[Request | Pause, Outcome, T]


class Exchanges:
    """Makes operations of calls to one control plane.

    Args:
        base: its address, with ``/api/v1``.
        retry_seconds: how long to go on trying a request that gets no answer.
        route: the proxy through which requests go, for messages; None if there is none.
    """

    def __init__(self, base: httpx.URL, retry_seconds: float, route: Route | None) -> None:
        self.base = base
        self.retry_seconds = retry_seconds
        self._through = "" if route is None else f" through {route}"

    def one(self, call: Call[T], retry_seconds: float | None = None, *, until_answered: bool = False) -> Operation[T]:
        """Has one call answered, trying for ``retry_seconds`` if that is given.

        Args:
            until_answered: whether any answer of the platform will do, "not now" as well: who asks after something
                that is over gets the same one for ever.

        Raises:
            ConnectionFailed: if there was no answer in that time.
            ApiError: if the answer is a problem that does not pass, or did not in that time.
        """
        limit = self.retry_seconds if retry_seconds is None else retry_seconds
        pauses = Pauses(limit)
        while True:
            outcome = yield call.request(self.base)
            if isinstance(outcome, httpx.Response):
                try:
                    return call.parse(outcome)
                except ApiError as error:
                    again = _is_of_proxy(error) or (is_not_now(error) and not until_answered)
                    pause = pauses.next(error.retry_after) if again else None
                    if pause is None:
                        raise
            else:
                pause = pauses.next()
                if pause is None:
                    raise ConnectionFailed(
                        f"the control plane at {self.base} did not answer{self._through} "
                        f"within {limit:.0f} s ({_why(outcome)}): "
                        "is it running, and is FOREBAY_API right?"
                    ) from outcome
            yield Pause(pause)

    def all(self, page: Callable[[str | None], Call[Paged[T]]]) -> Operation[tuple[T, ...]]:
        """Collects the items of all pages; ``page`` makes the call for the page that begins there."""
        found, after = yield from self.one(page(None))
        while after is not None:
            more, after = yield from self.one(page(after))
            found += more
        return found


class Pauses:
    """How long to wait before each next try, until a time limit."""

    def __init__(self, limit_seconds: float) -> None:
        self._deadline = time.monotonic() + limit_seconds
        self._pause = _FIRST_PAUSE_SECONDS

    def next(self, retry_after: str | None = None) -> float | None:
        """In seconds; None when the limit has passed."""
        # Jitter keeps a thousand jobs, thrown out together by a restart, from coming back together.
        pause = self._pause * random.uniform(0.5, 1.0)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_SECONDS)
        if retry_after is not None and retry_after.isdigit():
            pause = max(pause, min(float(retry_after), _LONGEST_RETRY_AFTER_SECONDS))
        left = self._deadline - time.monotonic()
        return None if left <= 0 else min(pause, left)


def is_interrupted(operation: Operation[T]) -> bool:
    """Returns whether an exception came from outside the operation, which then has not ended."""
    return inspect.getgeneratorstate(operation) != inspect.GEN_CLOSED


@contextlib.contextmanager
def ending(operation: Operation[T], interruption: BaseException) -> Iterator[None]:
    """While an interrupted operation tidies up: a second interruption ends that, and has the notes of the first."""
    try:
        yield
    except BaseException as again:
        if is_interrupted(operation):
            operation.close()
            for note in notes(interruption):
                add_note(again, note)
        raise


def is_not_now(error: ForebayError) -> bool:
    """Whether the platform itself says what passes by itself."""
    # A code that usually passes does not when the server says so: a region whose filling was given up as UNAVAILABLE
    # stays so until somebody resumes it.
    return error.retryable and error.code in _PASSING


def may_pass(error: ForebayError) -> bool:
    """Whether nobody has answered, or what was answered passes by itself."""
    return isinstance(error, ConnectionFailed) or is_not_now(error) or _is_of_proxy(error)


def _is_of_proxy(error: ForebayError) -> bool:
    # Without a code it came from a proxy.
    return error.retryable and error.code.startswith("HTTP_")


def _why(error: Exception | None) -> str:
    return str(error) or type(error).__name__
