"""Versions that a call requests and pins in several regions."""

from __future__ import annotations

import asyncio

import pytest
from control_plane import ControlPlane, Problem
from waiting import until

import forebay
from forebay import CachedDataset, ensure_dataset_cached, ensure_dataset_cached_async, release_dataset
from forebay._values import Duration


def _ensured(pin_for: Duration | None = "1h") -> CachedDataset:
    return ensure_dataset_cached("vision/digits", "1", pin_for=pin_for, also_in=["us"], progress=False)


def _where(plane: ControlPlane) -> list[str]:
    """Returns the region of each pin."""
    return [region for region, _ in plane.state.pins]


def _renewed(plane: ControlPlane, region: str) -> int:
    return len([each for each in plane.seen("POST", "/renew$") if each.body == {"region": region}])


def test_a_block_renews_and_releases_the_pins_of_all_regions(plane: ControlPlane) -> None:
    with _ensured(pin_for=3) as ds:
        assert _where(plane) == ["eu", "us"]
        # The first renewal when the block begins, and two more, each after a third of the lease.
        until(lambda: _renewed(plane, "eu") >= 3 and _renewed(plane, "us") >= 3)
        assert ds.pin is not None
        assert ds.pin.region == "eu"
    assert not plane.state.pins


@pytest.mark.parametrize("pin_for", ["1h", None])
def test_an_asyncio_block_pins_and_releases_in_all_regions(plane: ControlPlane, pin_for: str | None) -> None:
    async def train() -> None:
        asked = ensure_dataset_cached_async("vision/digits", "1", pin_for=pin_for, also_in=["us"], progress=False)
        async with await asked:
            assert _where(plane) == ["eu", "us"]

    asyncio.run(train())
    assert not plane.state.pins


def test_a_block_without_pin_for_pins_the_version_in_all_regions(plane: ControlPlane) -> None:
    with _ensured(pin_for=None):
        assert _where(plane) == ["eu", "us"]
        assert len({id for _, id in plane.state.pins}) == 1
    assert not plane.state.pins
    assert len(plane.seen("POST", "/ensure$")) == 1


def test_a_lost_pin_in_another_region_is_only_a_warning(plane: ControlPlane) -> None:
    ds = _ensured(pin_for=1)

    def hold_for_a_while() -> None:
        with ds:
            _lose(plane, "us")
            before = _renewed(plane, "us")
            until(lambda: _renewed(plane, "us") > before and _renewed(plane, "eu") > 4)
            ds.check()
            assert ds.pin_lost is None

    with pytest.warns(forebay.ForebayWarning, match="in us is lost: it has ended; the version may be evicted there"):
        hold_for_a_while()
    assert not plane.state.pins


@pytest.mark.filterwarnings("ignore::forebay.ForebayWarning")
def test_a_lost_pin_in_the_region_of_the_reader_is_an_error(plane: ControlPlane) -> None:
    with _ensured(pin_for=1) as ds:
        _lose(plane, "eu")
        until(lambda: ds.pin_lost is not None)
        with pytest.raises(forebay.PinLost, match="in eu is lost"):
            ds.check()
        assert _where(plane) == ["us"]
    assert not plane.state.pins


def test_a_block_requests_all_regions_again_if_one_pin_has_ended(plane: ControlPlane) -> None:
    ds = _ensured()
    _lose(plane, "us")
    with ds:
        assert sorted(_where(plane)) == ["eu", "us"]
    assert not plane.state.pins
    assert len(plane.seen("POST", "/ensure$")) == 2


def test_a_block_that_requests_latest_again_keeps_its_version(plane: ControlPlane) -> None:
    plane.state.latest = "1"
    ds = ensure_dataset_cached("vision/digits", "latest", pin_for="1h", also_in=["us"], progress=False)
    _lose(plane, "eu")
    plane.state.latest = "2"
    with ds:
        assert ds.version == "1"
        assert sorted(_where(plane)) == ["eu", "us"]
        assert {pin["version"] for pin in plane.state.pins.values()} == {"1"}
    assert not plane.state.pins


def test_a_block_requests_a_version_again_if_one_region_evicted_it(plane: ControlPlane) -> None:
    ds = _ensured(pin_for=None)
    plane.state.cached.discard(("us", "vision/digits@1"))
    with ds:
        assert _where(plane) == ["eu", "us"]
    assert not plane.state.pins
    assert len(plane.seen("POST", "/ensure$")) == 2


def test_renew_and_release_act_on_the_pins_of_all_regions(plane: ControlPlane) -> None:
    ds = _ensured()
    assert ds.renew().region == "eu"
    assert (_renewed(plane, "eu"), _renewed(plane, "us")) == (1, 1)
    _lose(plane, "us")
    with pytest.warns(forebay.ForebayWarning, match="has ended: .*in us"):
        assert ds.renew().region == "eu"
    ds.release()
    assert not plane.state.pins
    assert sorted(each.query["region"] for each in plane.seen("DELETE", "/pins/")) == ["eu", "us"]


def test_a_failed_fill_releases_the_requested_pins_in_all_regions(plane: ControlPlane) -> None:
    plane.state.fill_fails = Problem(409, "LAKE_OBJECT_CHANGED", "a.png was overwritten")
    with pytest.raises(forebay.LakeObjectChanged):
        _ensured()
    assert [each.query["region"] for each in plane.seen("DELETE", "/pins/")] == ["eu", "us"]


@pytest.mark.parametrize("version", ["1", "latest"])
def test_release_dataset_releases_the_pins_of_a_run_in_all_regions(plane: ControlPlane, version: str) -> None:
    plane.state.latest = "1"
    for run in ("train-7", "another"):
        ensure_dataset_cached("vision/digits", version, pin_for="1h", run_id=run, also_in=["us"], progress=False)
    assert len(plane.state.pins) == 4
    release_dataset("vision/digits", version, run_id="train-7")
    assert [pin["holder"] for pin in plane.state.pins.values()] == ["run another"] * 2


def _lose(plane: ControlPlane, region: str) -> None:
    for key in [key for key in plane.state.pins if key[0] == region]:
        del plane.state.pins[key]
