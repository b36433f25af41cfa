"""Hints start work, hold nothing, and end no training."""

from __future__ import annotations

import pytest
from control_plane import ControlPlane, hang_up

import forebay
from forebay import ensure_dataset_cached, prefetch_dataset


def test_a_prefetch_starts_a_fill_and_neither_waits_nor_pins(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 5
    begun = prefetch_dataset("vision/digits", "1")
    assert begun is not None
    assert not begun.done
    assert begun.progress is not None
    assert begun.progress.state == "WARMING"
    (asked,) = plane.seen("POST", "")
    assert asked.body == {"region": "eu", "priority": "speculative"}
    assert asked.query == {"wait_seconds": "0"}
    assert ensure_dataset_cached("vision/digits", "1", progress=False).pin is None


def test_repeated_prefetches_of_a_version_are_one_request(plane: ControlPlane) -> None:
    for _ in range(3):
        prefetch_dataset("vision/digits", "1", "eu")
    assert plane.state.fills == 1
    prefetch_dataset("vision/digits", "2", "eu")
    assert plane.state.fills == 2


def test_each_prefetch_of_latest_uses_the_present_latest_version(plane: ControlPlane) -> None:
    for newest in ("1", "2"):
        plane.state.latest = newest
        begun = prefetch_dataset("vision/digits", "latest")
        assert begun is not None
        assert begun.receipt is not None
        assert begun.receipt.version == newest


def test_a_prefetch_of_latest_retries_a_lost_answer_with_the_same_key(plane: ControlPlane) -> None:
    plane.fail_next(hang_up, hang_up)
    prefetch_dataset("vision/digits", "latest")
    assert len(plane.log) == 3
    assert len({each.headers["idempotency-key"] for each in plane.log}) == 1


def test_a_prefetch_without_an_answer_causes_a_warning(plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebay._prefetch._RETRY_SECONDS", 0.1)
    plane.stop()
    with pytest.warns(forebay.ForebayWarning, match="cannot prefetch vision/digits@1, so first reads may wait"):
        assert prefetch_dataset("vision/digits", "1") is None


def test_an_invalid_prefetch_is_an_error(plane: ControlPlane) -> None:
    with pytest.raises(forebay.NotFound):
        prefetch_dataset("vision/nothing", "1")
    with pytest.raises(forebay.ConfigurationError):
        prefetch_dataset("vision", "1")


def test_a_prefetch_of_an_alias_uses_its_present_version(plane: ControlPlane) -> None:
    for version in ("1", "2"):
        plane.state.aliases["prod"] = version
        prefetch_dataset("vision/digits", "prod")
    first, second = plane.seen("POST", "/ensure$")
    assert [each.path.split("/")[-2] for each in (first, second)] == ["1", "2"]
    assert first.headers["idempotency-key"] != second.headers["idempotency-key"]
