"""Accepted requests that the platform refuses temporarily later."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from control_plane import TOTAL_BYTES, ControlPlane, Problem, busy, hang_up, send

import forebay
from forebay import AsyncClient, Client, Progress, Receipt, Terms

EVICTING = Problem(409, "EVICTING", "was evicted from eu while it was being filled", retryable=True)
UNAVAILABLE = Problem(503, "UNAVAILABLE", "the agent of eu does not answer", retryable=True)


def _ensure(**how: Any) -> Receipt:
    with Client(retry_seconds=5) as client:
        return client.ensure("vision/digits", "1", "eu", **how)


def _ensure_async(**how: Any) -> Receipt:
    async def ensure() -> Receipt:
        async with AsyncClient(retry_seconds=5) as client:
            return await client.ensure("vision/digits", "1", "eu", **how)

    return asyncio.run(ensure())


Ensure = Callable[..., Receipt]
both_clients = pytest.mark.parametrize("ensure", [_ensure, _ensure_async], ids=["Client", "AsyncClient"])


@pytest.fixture(autouse=True)
def period(monkeypatch: pytest.MonkeyPatch) -> float:
    """Shortens the time for which an accepted request survives refusals, in seconds."""
    monkeypatch.setattr("forebay._ensure.ACCEPTED_RETRY_SECONDS", 3.0)
    return 3.0


@both_clients
@pytest.mark.parametrize("problem", [EVICTING, UNAVAILABLE], ids=["EVICTING", "UNAVAILABLE"])
def test_ensure_retries_a_temporary_refusal_with_the_same_key(
    plane: ControlPlane, ensure: Ensure, problem: Problem
) -> None:
    plane.state.looks_until_cached = 1
    plane.state.attempts_fail = [problem] * 2
    assert ensure().bytes == TOTAL_BYTES
    asked = plane.seen("POST", "/ensure$")
    assert len(asked) == 3
    assert len({each.headers["idempotency-key"] for each in asked}) == 1
    assert plane.state.fills == 1


@both_clients
def test_ensure_backs_off_and_fails_if_refusals_persist(plane: ControlPlane, ensure: Ensure, period: float) -> None:
    plane.state.looks_until_cached = 1
    plane.state.attempts_fail = [EVICTING] * 1000
    started = time.monotonic()
    with pytest.raises(forebay.Evicting):
        ensure()
    assert period <= time.monotonic() - started < period + 5
    # Without growing pauses there would be dozens.
    assert 3 <= len(plane.seen("POST", "/ensure$")) <= 12


@both_clients
def test_ensure_times_out_while_it_retries_refusals(plane: ControlPlane, ensure: Ensure) -> None:
    plane.state.looks_until_cached = 1
    plane.state.attempts_fail = [UNAVAILABLE] * 1000
    with pytest.raises(forebay.EnsureTimeout, match="within 1 s") as late:
        ensure(timeout=1)
    assert late.value.request_id == plane.seen("POST", "/ensure$")[0].headers["idempotency-key"]


def test_a_later_refusal_starts_a_new_retry_period(plane: ControlPlane, period: float) -> None:
    plane.state.looks_until_cached = 8
    plane.state.attempts_fail = [UNAVAILABLE]
    looks: list[Progress] = []

    def watch(progress: Progress) -> None:
        looks.append(progress)
        if len(looks) == 3:
            time.sleep(period + 0.5)
            plane.state.attempts_fail = [UNAVAILABLE]

    assert _ensure(on_progress=watch).bytes == TOTAL_BYTES
    assert not plane.state.attempts_fail


def test_a_deadline_bounds_the_retries_of_refusals(plane: ControlPlane, period: float) -> None:
    plane.state.looks_until_cached = 1
    plane.state.attempts_fail = [EVICTING] * 1000
    started = time.monotonic()
    with pytest.raises(forebay.Evicting):
        _ensure(terms=Terms(deadline_seconds=1))
    assert 1 <= time.monotonic() - started < period


def test_ensure_does_not_repeat_a_request_while_the_platform_is_away(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 2

    def disturb(_: Progress) -> None:
        if len(plane.seen("GET", "/requests/")) == 0:
            plane.fail_next(busy(), hang_up, busy())

    assert _ensure(on_progress=disturb).bytes == TOTAL_BYTES
    assert len(plane.seen("GET", "/requests/")) == 5
    assert len(plane.seen("POST", "/ensure$")) == 1


def test_ensure_honours_the_retry_after_of_a_refusal(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1
    looked: list[float] = []

    def refuse(handler: BaseHTTPRequestHandler) -> None:
        looked.append(time.monotonic())
        send(handler, 503, UNAVAILABLE.body, headers={"Retry-After": "1"})

    _ensure(on_progress=lambda _: None if looked else plane.fail_next(refuse))
    assert time.monotonic() - looked[0] >= 1.0
    assert len(plane.seen("POST", "/ensure$")) == 2


def test_ensure_fails_at_once_if_the_platform_gives_up_later(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1
    plane.state.attempts_fail = [Problem(503, "LAKE_UNAVAILABLE", "the lake does not answer", retryable=True)]
    with pytest.raises(forebay.LakeUnavailable):
        _ensure()
    assert len(plane.log) == 2
