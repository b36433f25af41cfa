"""``with`` blocks around versions that were requested without a pin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from control_plane import ControlPlane, Problem, send

import forebay
from forebay import CachedDataset, ensure_dataset_cached, ensure_dataset_cached_async

Use = Callable[[CachedDataset], None]
Hold = Callable[..., None]

COLD = {"code": "DEADLINE_EXCEEDED", "message": "eu has not taken it up yet"}


def _hold(between: Callable[[], None], use: Use, **how: Any) -> None:
    """Requests the version, runs ``between``, and holds the version in a block."""
    ds = ensure_dataset_cached("vision/digits", "1", progress=False, **how)
    between()
    with ds:
        use(ds)


def _hold_async(between: Callable[[], None], use: Use, **how: Any) -> None:
    async def hold() -> None:
        ds = await ensure_dataset_cached_async("vision/digits", "1", progress=False, **how)
        between()
        async with ds:
            use(ds)

    asyncio.run(hold())


def _nothing() -> None:
    pass


both_ways = pytest.mark.parametrize("hold", [_hold, _hold_async], ids=["with", "async with"])


@both_ways
def test_a_nested_block_keeps_the_pin_of_the_outer_block(plane: ControlPlane, hold: Hold) -> None:
    def use(ds: CachedDataset) -> None:
        with ds:
            assert len(plane.state.pins) == 1

        async def also() -> None:
            async with ds:
                assert len(plane.state.pins) == 1

        if hold is _hold:
            asyncio.run(also())
        assert len(plane.state.pins) == 1
        ds.check()

    hold(_nothing, use)
    assert not plane.state.pins


@both_ways
def test_a_block_takes_a_pin_without_a_second_request(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, hold: Hold
) -> None:
    monkeypatch.setenv("FOREBAY_JOB_UID", "3f2b8a44")

    def use(ds: CachedDataset) -> None:
        (pin,) = plane.state.pins.values()
        assert (pin["lease"], pin["holder"], pin["reason"], pin["job"]) == (300, "me", "train", "3f2b8a44")
        assert ds.pin is not None
        assert ds.receipt.pin == ds.pin
        # The block must not wait for a fill of the version that has started since.
        assert len(plane.seen("POST", "/ensure$")) == 1

    hold(lambda: setattr(plane.state, "looks_until_cached", 1_000_000), use, holder="me", reason="train", timeout=5)
    assert not plane.state.pins


@both_ways
def test_a_block_requests_an_evicted_version_again(plane: ControlPlane, hold: Hold) -> None:
    def use(ds: CachedDataset) -> None:
        assert ds.pin is not None
        assert list(plane.state.pins) == [("eu", ds.pin.id)]

    hold(plane.state.cached.clear, use)
    assert len(plane.seen("POST", "/ensure$")) == 2
    assert not plane.state.pins


@both_ways
def test_a_block_waits_for_an_eviction_and_requests_the_version_again(plane: ControlPlane, hold: Hold) -> None:
    evicting = Problem(409, "EVICTING", "is being evicted", retryable=True)

    def evict() -> None:
        plane.state.cached.clear()
        plane.fail_next(lambda handler: send(handler, 409, evicting.body))

    hold(evict, lambda ds: ds.check())
    assert len(plane.seen("POST", "/pins$")) == 2
    assert len(plane.seen("POST", "/ensure$")) == 2


@both_ways
def test_a_refused_pin_is_an_error_and_leaves_no_pin(plane: ControlPlane, hold: Hold) -> None:
    full = Problem(507, "CAPACITY_EXCEEDED", "has 1000 pins already")

    def refuse() -> None:
        plane.fail_next(lambda handler: send(handler, 507, full.body))

    with pytest.raises(forebay.CapacityExceeded):
        hold(refuse, lambda ds: pytest.fail("the block began"))
    assert len(plane.seen("DELETE", "/pins/")) == 1


@both_ways
@pytest.mark.parametrize("pin_for", ["1h", None])
def test_a_block_on_a_cold_version_neither_waits_nor_pins(plane: ControlPlane, hold: Hold, pin_for: str | None) -> None:
    plane.state.cold = COLD

    def use(ds: CachedDataset) -> None:
        assert ds.receipt.cold is not None
        assert ds.pin is None
        ds.check()
        with pytest.raises(forebay.PinLost, match="never taken"):
            ds.renew()

    hold(_nothing, use, pin_for=pin_for, deadline=1, on_deadline="run_cold")
    assert len(plane.log) == 1


@both_ways
@pytest.mark.parametrize("pin_for", ["1h", None])
def test_a_block_pins_a_cold_version_that_is_mounted(plane: ControlPlane, hold: Hold, pin_for: str | None) -> None:
    plane.state.cold, plane.state.cold_is_mounted = COLD, True

    def use(ds: CachedDataset) -> None:
        assert ds.receipt.cold is not None
        assert len(plane.state.pins) == 1

    hold(_nothing, use, pin_for=pin_for, deadline=1, on_deadline="run_cold")
    assert len(plane.seen("POST", "/ensure$")) == 1
    assert not plane.state.pins


@both_ways
def test_a_block_pins_a_cold_version_that_was_not_pinned_in_time(plane: ControlPlane, hold: Hold) -> None:
    plane.state.cold, plane.state.cold_is_mounted, plane.state.cold_is_pinned = COLD, True, False
    hold(_nothing, lambda ds: ds.renew(), pin_for="1h", deadline=1, on_deadline="run_cold")
    assert len(plane.seen("POST", "/ensure$")) == 1
    assert not plane.state.pins


@both_ways
def test_a_block_reads_an_evicted_cold_version_without_a_pin(plane: ControlPlane, hold: Hold) -> None:
    plane.state.cold, plane.state.cold_is_mounted = COLD, True
    hold(plane.state.cached.clear, lambda ds: ds.check(), deadline=1, on_deadline="run_cold")
    assert len(plane.seen("POST", "/ensure$")) == 1


def test_release_dataset_releases_the_pin_of_a_block_by_run_id(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", run_id="train-7", progress=False):
        assert [pin["holder"] for pin in plane.state.pins.values()] == ["run train-7"]
        forebay.release_dataset("vision/digits", "1", run_id="train-7")
        assert not plane.state.pins
