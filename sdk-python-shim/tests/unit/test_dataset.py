from __future__ import annotations

import asyncio
import inspect
import os
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from control_plane import ControlPlane, Problem, hang_up
from waiting import until

import forebay
from forebay import ensure_dataset_cached, ensure_dataset_cached_async


def test_ensure_returns_a_path_with_the_files(plane: ControlPlane) -> None:
    ds = ensure_dataset_cached("vision/digits", "1", progress=False)
    assert (ds.path / "labels.csv").read_text() == "0,7\n"
    assert os.listdir(ds) == ["labels.csv"]
    assert ds.receipt.region == "eu"
    assert ds.pin is None


def test_a_with_block_holds_a_pin_and_releases_it(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", pin_for="12h", holder="me", reason="x", progress=False) as ds:
        (held,) = plane.state.pins.values()
        assert held["lease"] == 12 * 3600
        assert (held["holder"], held["reason"]) == ("me", "x")
        assert ds.pin is not None
        ds.check()
    assert not plane.state.pins


def test_a_with_block_without_pin_for_takes_a_pin(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", progress=False):
        assert len(plane.state.pins) == 1
    assert not plane.state.pins


def test_a_pin_without_a_with_block_stays_until_it_is_released(plane: ControlPlane) -> None:
    ds = ensure_dataset_cached("vision/digits", "1", pin_for=90, progress=False)
    assert len(plane.state.pins) == 1
    first = ds.pin
    renewed = ds.renew()
    assert first is not None
    assert [("eu", renewed.id)] == [("eu", first.id)] == list(plane.state.pins)
    assert ds.pin == renewed != first
    ds.release()
    assert not plane.state.pins
    ds.release()


def test_a_manual_renewal_updates_the_pin_of_a_with_block(plane: ControlPlane) -> None:
    ds = ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False)
    with ds:
        before = ds.pin
        renewed = ds.renew()
        assert ds.pin == renewed != before


def test_a_block_takes_its_pin_again_if_the_pin_has_ended(plane: ControlPlane) -> None:
    ds = ensure_dataset_cached("vision/digits", "1", pin_for=2, progress=False)
    first = ds.pin
    plane.state.pins.clear()
    with ds:
        assert first is not None
        assert [pin["id"] for pin in plane.state.pins.values()] == [first.id]
    assert len(plane.seen("POST", "/ensure$")) == 2


def test_a_block_may_begin_while_the_control_plane_is_away(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebay._dataset._ENTRY_RETRY_SECONDS", 0.1)
    ds = ensure_dataset_cached("vision/digits", "1", pin_for=6, progress=False)
    plane.stop()
    with ds:
        plane.start()
        until(lambda: len(plane.seen("POST", "/renew$")) > 0)
        ds.check()


@pytest.mark.parametrize(
    ("name", "version", "message"),
    [
        ("vision/digits", None, "version is None: it must be text"),
        ("vision/digits", 2, "version is 2: it must be text: write '2'"),
        ("vision/digits", "", "version is '': it must not be empty"),
        ("vision/digits", "..", "version is '..': it must not be"),
        (None, "1", "name is None: it must be the name of a dataset, 'namespace/name'"),
        ("", "1", "name is '': it must be the name of a dataset"),
        (b"vision/digits", "1", "name is b'vision/digits': it must be the name"),
    ],
)
def test_an_invalid_name_is_refused_before_a_request(
    plane: ControlPlane, name: Any, version: Any, message: str
) -> None:
    with pytest.raises(forebay.ConfigurationError, match=f"^{re.escape(message)}"):
        ensure_dataset_cached(name, version, progress=False)
    assert plane.log == []


def test_a_block_keeps_renewing_its_pin(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", pin_for=3, progress=False) as ds:
        # A renewal follows every third of the lease, so the pin lives longer than one lease.
        until(lambda: len(plane.seen("POST", "/renew$")) >= 5, seconds=30)
        ds.check()
        assert ds.pin_lost is None


def test_renewal_survives_a_restart_of_the_control_plane(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", pin_for=9, progress=False) as ds:
        plane.stop()
        time.sleep(4.0)  # the renewal after 3 s gets no answer; the pin lives for 9 s
        plane.start()
        until(lambda: len(plane.seen("POST", "/renew$")) > 0)
        ds.check()


def test_a_block_retries_a_renewal_whose_answer_is_lost(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", pin_for=3, progress=False) as ds:
        plane.fail_next(hang_up)
        until(lambda: len(plane.seen("POST", "/renew$")) > 1)
        ds.check()


def test_an_asyncio_renewal_survives_a_restart_of_the_control_plane(plane: ControlPlane) -> None:
    async def train() -> None:
        async with await ensure_dataset_cached_async("vision/digits", "1", pin_for=6, progress=False) as ds:
            plane.stop()
            await asyncio.sleep(2.5)  # the renewal after 2 s gets no answer; the pin lives for 6 s
            plane.start()
            before = len(plane.seen("POST", "/renew$"))
            # Blocks the event loop, as the computation of a training step does.
            until(lambda: len(plane.seen("POST", "/renew$")) > before + 1)
            ds.check()
            assert len(plane.state.pins) == 1

    asyncio.run(train())
    assert not plane.state.pins


@pytest.mark.filterwarnings("ignore::forebay.ForebayWarning")
def test_an_asyncio_block_loses_its_pin_if_renewals_fail_for_a_lease(plane: ControlPlane) -> None:
    async def train() -> None:
        async with await ensure_dataset_cached_async("vision/digits", "1", pin_for=1, progress=False) as ds:
            plane.stop()
            await asyncio.to_thread(until, lambda: ds.pin_lost is not None)
            with pytest.raises(forebay.PinLost, match="whole lease"):
                ds.check()

    asyncio.run(train())


def test_a_cancelled_asyncio_wait_releases_its_pin(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1_000_000

    async def train() -> None:
        def cancel() -> None:
            waiting.cancel()

        waiting = asyncio.create_task(
            ensure_dataset_cached_async("vision/digits", "1", pin_for="1h", progress=lambda _: cancel())
        )
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(train())
    assert len(plane.seen("DELETE", "/pins/")) == 1


def test_an_interrupted_wait_for_latest_unpins_the_version_it_resolved_to(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1_000_000

    def stop(_: forebay.Progress) -> None:
        plane.state.latest = "2"
        raise KeyboardInterrupt

    plane.state.latest = "1"
    with pytest.raises(KeyboardInterrupt):
        ensure_dataset_cached("vision/digits", "latest", pin_for="1h", progress=stop)
    plane.state.latest = "1"
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(ensure_dataset_cached_async("vision/digits", "latest", pin_for="1h", progress=stop))
    assert [each.path.split("/")[-3] for each in plane.seen("DELETE", "/pins/")] == ["1", "1"]


@pytest.mark.filterwarnings("ignore::forebay.ForebayWarning")
def test_check_raises_an_error_if_the_pin_is_lost(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", pin_for=1, progress=False) as ds:
        plane.state.pins.clear()
        until(lambda: ds.pin_lost is not None)
        with pytest.raises(forebay.PinLost, match="has ended"):
            ds.check()


def test_a_block_warns_if_its_pin_is_lost(plane: ControlPlane) -> None:
    ds = ensure_dataset_cached("vision/digits", "1", pin_for=1, progress=False)

    def hold_until_lost() -> None:
        with ds:
            plane.state.pins.clear()
            until(lambda: ds.pin_lost is not None)

    with pytest.warns(forebay.ForebayWarning, match="is lost"):
        hold_until_lost()


@pytest.mark.filterwarnings("ignore::forebay.ForebayWarning")
def test_a_block_loses_its_pin_if_renewals_fail_for_a_lease(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", pin_for=1, progress=False) as ds:
        plane.stop()
        until(lambda: ds.pin_lost is not None)
        with pytest.raises(forebay.PinLost, match="whole lease"):
            ds.check()


def test_an_exception_in_the_block_releases_the_pin_and_is_not_hidden(plane: ControlPlane) -> None:
    with pytest.raises(ZeroDivisionError), ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False):
        _ = 1 / 0
    assert not plane.state.pins


def test_leaving_the_block_while_the_control_plane_is_away_is_no_error(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False):
        plane.stop()


def test_a_failed_fill_releases_the_requested_pin(plane: ControlPlane) -> None:
    plane.state.fill_fails = Problem(409, "LAKE_OBJECT_CHANGED", "a.png was overwritten")
    with pytest.raises(forebay.LakeObjectChanged):
        ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False)
    assert len(plane.seen("DELETE", "/pins/")) == 1


def test_a_released_dataset_cannot_be_entered(plane: ControlPlane) -> None:
    ds = ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False)
    ds.release()
    with pytest.raises(forebay.ForebayError, match="released"), ds:
        pass


def test_a_process_that_ends_inside_the_block_releases_the_pin(plane: ControlPlane) -> None:
    program = (
        "import forebay\n"
        "ds = forebay.ensure_dataset_cached('vision/digits', '1', pin_for='1h', progress=False)\n"
        "ds.__enter__()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    assert len(plane.seen("POST", "/ensure")) == 1
    assert not plane.state.pins


def test_a_forked_child_does_not_release_its_parents_pin(plane: ControlPlane) -> None:
    program = (
        "import os, sys, forebay\n"
        "with forebay.ensure_dataset_cached('vision/digits', '1', pin_for='1h', progress=False) as ds:\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        sys.exit(0)\n"
        "    os.waitpid(child, 0)\n"
        "    os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    assert len(plane.state.pins) == 1


def test_a_pickled_copy_keeps_the_path_and_releases_no_pin(plane: ControlPlane) -> None:
    with ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False) as ds:
        copy = pickle.loads(pickle.dumps(ds))
        assert copy.path == ds.path
        copy.release()
        assert len(plane.state.pins) == 1


def test_mount_root_overrides_the_mount_root_of_the_region(
    plane: ControlPlane, mount_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plane.mount_root = "/nowhere"
    mount_root.rename(tmp_path / "elsewhere")
    ds = ensure_dataset_cached("vision/digits", "1", progress=False, mount_root=tmp_path / "elsewhere")
    assert ds.path == tmp_path / "elsewhere" / "vision" / "digits" / "1"
    monkeypatch.setenv("FOREBAY_MOUNT_ROOT", str(tmp_path / "elsewhere"))
    assert ensure_dataset_cached("vision/digits", "1", progress=False).path == ds.path


def test_a_missing_mount_is_an_error_that_says_what_to_do(plane: ControlPlane) -> None:
    plane.mount_root = "/nowhere/forebay"
    ds = ensure_dataset_cached("vision/digits", "1", progress=False)
    with pytest.raises(forebay.MountMissing) as missing:
        _ = ds.path
    text = str(missing.value)
    assert "/nowhere/forebay does not exist" in text
    assert "FOREBAY_MOUNT_ROOT" in text
    assert str(ds.expected_path) == "/nowhere/forebay/vision/digits/1"


def test_path_waits_for_a_version_that_appears_later(plane: ControlPlane, mount_root: Path) -> None:
    hidden = mount_root / "vision" / "digits" / "2"
    ds = ensure_dataset_cached("vision/digits", "2", progress=False)
    appearing = threading.Timer(0.3, hidden.mkdir)
    appearing.start()
    assert ds.path == hidden
    appearing.join()


@pytest.mark.parametrize("missing", ["FOREBAY_API", "FOREBAY_REGION"])
def test_a_missing_variable_is_an_error_that_names_it(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.delenv(missing)
    with pytest.raises(forebay.ConfigurationError, match=missing):
        ensure_dataset_cached("vision/digits", "1")


def test_an_invalid_duration_is_refused_before_a_request(plane: ControlPlane) -> None:
    with pytest.raises(forebay.ConfigurationError, match="12h"):
        ensure_dataset_cached("vision/digits", "1", pin_for="twelve hours")
    assert not plane.log


def test_progress_may_be_a_function(plane: ControlPlane, capsys: pytest.CaptureFixture[str]) -> None:
    plane.state.looks_until_cached = 2
    seen: list[forebay.Progress] = []
    ensure_dataset_cached("vision/digits", "1", progress=seen.append)
    assert len(seen) == 2
    assert capsys.readouterr() == ("", "")


def test_a_normal_block_causes_no_warning(plane: ControlPlane) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ensure_dataset_cached("vision/digits", "1", pin_for=1, progress=False):
            pass


def test_both_ensure_functions_have_the_same_parameters(plane: ControlPlane) -> None:
    one, other = inspect.signature(ensure_dataset_cached), inspect.signature(ensure_dataset_cached_async)
    assert one.parameters == other.parameters


def test_a_pin_has_the_job_of_the_environment(plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    with forebay.ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False) as ds:
        assert ds.pin is not None
        assert "job" not in plane.seen("POST", "/ensure")[-1].body["pin"]
    monkeypatch.setenv("FOREBAY_JOB_UID", "3f2b8a44")
    with forebay.ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False) as ds:
        assert ds.pin is not None
        assert ds.pin.job == "3f2b8a44"
